/** The operator who runs a command. */
import { userInfo } from 'node:os'
import { environments } from '../../environments.ts'
import type { EnvironmentSelector } from './open-environment.ts'

/** Finds the AWS identity of the operator; for the local environment, the user of this machine. */
export const findOperator = async ({ name }: Pick<EnvironmentSelector, 'name'>): Promise<string> => {
  if (name === 'local') return userInfo().username

  // The clients of AWS take 10 MB of memory, which a local environment does not need.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts')
  const { region } = environments[name]
  const client = new STSClient(region === undefined ? {} : { region })
  const { Arn = '' } = await client.send(new GetCallerIdentityCommand({}))
  return Arn
}
