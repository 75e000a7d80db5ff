/** The file in a data folder by which commands find the local environment that runs on it. */
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { UserError } from '../../command-line/user-error.ts'

/** Names of the resources of an environment that commands use. */
export interface ResourceNames {
  readonly tables: {
    readonly pets: string
    readonly apiKeys: string
    readonly idempotency: string
    readonly audit: string
    readonly listings: string
  }
}

/**
 * Reads the names from the outputs of an environment's stacks.
 *
 * @param readOutput returns the value of an output by its name
 */
export const readResourceNames = (readOutput: (name: string) => string): ResourceNames => ({
  tables: {
    pets: readOutput('PetsTableName'),
    apiKeys: readOutput('ApiKeysTableName'),
    idempotency: readOutput('IdempotencyTableName'),
    audit: readOutput('AuditTableName'),
    listings: readOutput('ListingsTableName'),
  },
})

/**
 * Contents of `pet-adoption-environment.json`. This file marks a folder as a data folder, so that nothing in another
 * folder is overwritten or deleted. The file stays when the local environment ends.
 */
interface DataFolderRecord {
  /** Version of the layout of the folder. */
  readonly layout: number
  /** The last environment on the folder; undefined until an environment was ready to respond. */
  readonly environment?: LocalEnvironmentRecord
}

/** A running local environment as commands in other processes reach it. */
export interface LocalEnvironmentRecord extends ResourceNames {
  readonly processId: number
  /** Base URL of the API, without a slash at its end. */
  readonly baseUrl: string
  readonly databaseEndpoint: string
}

export const dataFolderRecordFile = 'pet-adoption-environment.json'

/** Writes the record of a data folder: a complete file is renamed, so that no reader sees a part of it. */
export const writeDataFolderRecord = (dataFolder: string, record: DataFolderRecord): void => {
  const unfinished = join(dataFolder, `${dataFolderRecordFile}.new`)
  writeFileSync(unfinished, `${JSON.stringify(record, null, 2)}\n`)
  renameSync(unfinished, join(dataFolder, dataFolderRecordFile))
}

/** Reads the record of a data folder. @returns undefined if the folder has no record */
export const readDataFolderRecord = (dataFolder: string): DataFolderRecord | undefined => {
  const file = join(dataFolder, dataFolderRecordFile)
  // The contents need no check: only writeDataFolderRecord writes this file.
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/**
 * Finds the local environment that runs on a data folder.
 *
 * @returns undefined if no environment runs on it, or its database accepts no connections
 */
export const findLocalEnvironment = async (dataFolder: string): Promise<LocalEnvironmentRecord | undefined> => {
  const environment = readDataFolderRecord(dataFolder)?.environment
  if (environment === undefined || !existsProcess(environment.processId)) return undefined
  // A killed process leaves its record behind, and another process may have its id now.
  return (await acceptsConnections(environment.databaseEndpoint)) ? environment : undefined
}

/** @throws UserError if no environment runs on the data folder */
export const requireLocalEnvironment = async (dataFolder: string): Promise<LocalEnvironmentRecord> => {
  const environment = await findLocalEnvironment(dataFolder)
  if (environment !== undefined) return environment
  throw new UserError(
    `No local environment runs on the data folder ${dataFolder}. ` +
      'Start one with "npm start", or name its folder with --data.',
  )
}

export const existsProcess = (pid: number): boolean => {
  try {
    // Signal 0 is not delivered: it only checks whether the process exists.
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Time limit of a connection: a host that does not exist would never answer. */
const connectionMilliseconds = 5_000

/** Checks whether a database, which may run on another machine, accepts connections. */
export const acceptsConnections = async (endpoint: string): Promise<boolean> => {
  const { protocol, hostname, port } = new URL(endpoint)
  const defaultPort = protocol === 'https:' ? 443 : 80
  // A URL has an IPv6 address in brackets.
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = connect({ host, port: port === '' ? defaultPort : Number(port) })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectionMilliseconds) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
