import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { UserError } from '../../command-line/user-error.ts'

/** The names by which commands reach the resources of an environment. */
export type ResourceNames = Readonly<ReturnType<typeof readResourceNames>>

/** Reads the names from the outputs of an environment's stacks. */
export const readResourceNames = (output: (name: string) => string) => ({
  tables: {
    pets: output('PetsTableName'),
    apiKeys: output('ApiKeysTableName'),
    idempotency: output('IdempotencyTableName'),
  },
})

/**
 * The file that marks a data folder as ours, so that nothing in another folder is overwritten or deleted. It names the last
 * process that has opened the folder, and stays when that ends.
 */
export interface DataFolderRecord {
  /** Of the folder. */
  readonly layout: number
  readonly holder: { readonly pid: number; readonly port: number | undefined }
  /** Once it responds. */
  readonly environment?: LocalEnvironmentRecord
}

/** A running environment as the commands beside it see it. */
export interface LocalEnvironmentRecord extends ResourceNames {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly databaseEndpoint: string
}

export const dataFolderRecordFile = 'pet-adoption-environment.json'

/** A reader sees the whole file or none. */
export const writeDataFolderRecord = (dataFolder: string, contents: DataFolderRecord): void => {
  const unfinished = join(dataFolder, `${dataFolderRecordFile}.new`)
  writeFileSync(unfinished, `${JSON.stringify(contents, null, 2)}\n`)
  renameSync(unfinished, join(dataFolder, dataFolderRecordFile))
}

export const readDataFolderRecord = (dataFolder: string): DataFolderRecord | undefined => {
  const file = join(dataFolder, dataFolderRecordFile)
  // Only writeEnvironmentFile writes it.
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** @returns undefined when none runs on this data folder: the commands use its database, so that must respond */
export const findLocalEnvironment = async (dataFolder: string): Promise<LocalEnvironmentRecord | undefined> => {
  const { holder, environment } = readDataFolderRecord(dataFolder) ?? {}
  if (holder === undefined || environment === undefined) return undefined
  const port = Number(new URL(environment.databaseEndpoint).port)
  return (await isProcessRunning({ ...holder, port })) ? environment : undefined
}

/** @throws UserError when no environment runs on this data folder */
export const requireLocalEnvironment = async (dataFolder: string): Promise<LocalEnvironmentRecord> => {
  const environment = await findLocalEnvironment(dataFolder)
  if (environment !== undefined) return environment
  throw new UserError(
    `No local environment runs on the data folder ${dataFolder}. Start one with "npm start", or name its folder with --data.`,
  )
}

/**
 * Whether the process named in a file still runs. A killed process leaves its files behind, and another process may have its
 * id by now, so it must also accept connections on its port, if it listens on one of this machine.
 */
export const isProcessRunning = async ({ pid, port }: DataFolderRecord['holder']): Promise<boolean> => {
  try {
    // Signal 0 reaches no process: it only checks whether the process exists.
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user exists, but refuses our signals.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  if (port === undefined) return true
  const socket = connect(port, '127.0.0.1')
  const isConnected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isConnected
}
