import { userInfo } from 'node:os'
import { createAwsClientSettings } from './aws-client-settings.ts'
import type { EnvironmentSelector } from './open-environment.ts'

/** The person who runs a command, as the audit names them. */
export interface Operator {
  /** AWS identity; for the local environment, the user of this machine. */
  readonly who: string
  /** The reason of the changes. */
  readonly why?: string | undefined
}

/** Finds who runs a command. */
export const findOperator = async (
  { name }: Pick<EnvironmentSelector, 'name'>,
  why: string | undefined,
): Promise<Operator> => {
  if (name === 'local') return { who: userInfo().username, why }

  // The clients of AWS take 10 MB of memory, which a local environment does not need.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts')
  const client = new STSClient(createAwsClientSettings(name))
  const { Arn = '' } = await client.send(new GetCallerIdentityCommand({}))
  return { who: Arn, why }
}
