/** The environment that a command works on, and the operator who runs the command. */
import { userInfo } from 'node:os'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { toDocumentClient } from '../../../shared/dynamodb/document-client.ts'
import { defaultDataFolder } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/user-error.ts'
import type { EnvironmentName } from '../../environments.ts'
import { createAwsClientSettings } from './aws-client-settings.ts'
import { connectCommandToLocalDatabase } from './local-database.ts'
import { type ResourceNames, requireLocalEnvironment } from './local-environment.ts'

/** Name and data folder of the environment to open. */
export interface EnvironmentSelector {
  readonly name: 'local' | EnvironmentName
  /** Data folder of the local environment; undefined on AWS. */
  readonly dataFolder?: string | undefined
}

/** The tables of an environment, and the client that reaches them. */
export interface TableAccess extends ResourceNames {
  readonly database: DynamoDBDocumentClient
}

/** The tables of an environment, with its name: limits, prefixes and pace depend on the name. */
export interface NamedTableAccess extends TableAccess, Pick<EnvironmentSelector, 'name'> {}

/** An environment that a command works on, local or on AWS. Disposing of it closes its database client. */
export interface Environment extends EnvironmentSelector, TableAccess, Disposable {
  /** Base URL of the API, without a slash at its end. */
  readonly baseUrl: string
}

/**
 * Opens an environment.
 *
 * @example
 * using environment = await openEnvironment({ name: 'staging' })
 * const { keys } = await listKeys(environment)
 *
 * @throws UserError if the local environment is not running, or the stacks are not deployed
 */
export const openEnvironment = async ({ name, dataFolder }: EnvironmentSelector): Promise<Environment> => {
  if (name !== 'local' && dataFolder !== undefined) throw new UsageError(`--env ${name} does not take --data.`)

  const { client, ...resources } = await (name === 'local' ? openLocal(dataFolder) : openDeployed(name))
  const database = toDocumentClient(client)
  return { ...resources, name, database, [Symbol.dispose]: () => client.destroy() }
}

/** Loads the clients of AWS only for a deployed environment. They take 10 MB of memory. */
const openDeployed = async (name: EnvironmentName) => {
  const { openDeployedEnvironment } = await import('./deployed-environment.ts')
  return openDeployedEnvironment(name)
}

const openLocal = async (dataFolder = defaultDataFolder) => {
  const { baseUrl, tables, databaseEndpoint } = await requireLocalEnvironment(dataFolder)
  return {
    dataFolder,
    baseUrl,
    tables,
    client: connectCommandToLocalDatabase(databaseEndpoint),
  }
}

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
  // STS always returns the ARN, although its type is optional.
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
