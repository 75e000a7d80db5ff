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
  if (name === 'local') return { who: findUserName(), why }

  // The clients of AWS take 10 MB of memory, which a local environment does not need.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts')
  const client = new STSClient(createAwsClientSettings(name))
  const { Arn = '' } = await client.send(new GetCallerIdentityCommand({}))
  return { who: Arn, why }
}

/** Finds the name of this machine's user. A user of a container may have only a number, which is then the name. */
const findUserName = (): string => {
  try {
    return userInfo().username
  } catch (error) {
    // Windows has no such numbers, and a name for every user.
    if (process.getuid === undefined) throw error
    return String(process.getuid())
  }
}
