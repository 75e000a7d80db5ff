import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { UserError } from '../command-line/user-error.ts'
import {
  type DataFolderRecord,
  dataFolderRecordFile,
  isProcessRunning,
  type LocalEnvironmentRecord,
  readDataFolderRecord,
  writeDataFolderRecord,
} from '../operations/environment/local-environment-record.ts'

/** Version of the files in a data folder. */
const layout = 4

/**
 * Opens a data folder for this process. Two processes may open it at the same moment; the lock of the database then
 * stops one of them.
 *
 * @param port this process accepts connections on it, so that other processes see that it runs
 * @param fresh the caller will delete the contents, so any layout is accepted
 * @returns a function that records that the environment on the folder responds
 * @throws UserError when the folder contains something else, cannot be written, or is in use by another process
 */
export const openDataFolder = async (path: string, port: number, fresh = false) => {
  const record: DataFolderRecord = { layout, holder: { pid: process.pid, port } }
  try {
    // Not `recursive`: below /proc that never returns (Node.js 24).
    if (!existsSync(path)) mkdirSync(path)
    await checkContents(path, port, fresh)
    writeDataFolderRecord(path, record)
  } catch (error) {
    if (error instanceof UserError || !(error instanceof Error)) throw error
    throw new UserError(`The folder ${path} cannot be used (${error.message}). Choose another with --data.`)
  }
  return (environment: LocalEnvironmentRecord): void => writeDataFolderRecord(path, { ...record, environment })
}

const checkContents = async (path: string, port: number, fresh: boolean): Promise<void> => {
  const last = readDataFolderRecord(path)
  if (last === undefined) {
    checkNothingElse(path)
    return
  }

  // A process that had the port of this process has ended.
  const isInUse = last.holder.port !== port && (await isProcessRunning(last.holder))
  if (isInUse) {
    const problem = `The folder ${path} is in use by the local environment with process id ${last.holder.pid}.`
    throw new UserError(`${problem} Stop it, or choose another with --data.`)
  }
  if (last.layout !== layout && !fresh) {
    throw new UserError(`The folder ${path} is of another version of the local environment. Start with --fresh.`)
  }
}

/** Checks that a folder without a record is empty. It may have a record whose writing was interrupted. */
const checkNothingElse = (path: string): void => {
  const isEmpty = readdirSync(path).every((name) => name.startsWith(dataFolderRecordFile))
  if (isEmpty) return

  const problem = `The folder ${path} is not empty and is no data folder of a local environment.`
  throw new UserError(`${problem} Empty it, or choose another with --data.`)
}
