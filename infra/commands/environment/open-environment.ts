/** Opening the environment that a command works on. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { toDocumentClient } from '../../../shared/dynamodb/document-client.ts'
import { defaultDataFolder } from '../../command-line/command.ts'
import { UsageError } from '../../command-line/user-error.ts'
import type { EnvironmentName } from '../../environments.ts'
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

/** The tables of an environment whose name decides what a command does. */
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
 * const keys = readKeys(environment)
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
