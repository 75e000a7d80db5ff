import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { UserError } from '../command-line/user-error.ts'
import {
  type DataFolderRecord,
  dataFolderRecordFile,
  isProcessRunning,
  type LocalEnvironmentRecord,
  readDataFolderRecord,
  writeDataFolderRecord,
} from './record/local-environment-record.ts'

/** Version of the files in a data folder. */
const currentLayout = 4

/**
 * Opens a data folder: writes a record into it that names this process as the holder. If two processes open the folder
 * at the same moment, the lock of the database stops one of them.
 *
 * @param port port on which this process accepts connections, so that others can check whether it still runs
 * @param fresh whether the caller will delete the contents; then any layout is accepted
 * @returns a function that records that the environment on the folder responds
 * @throws UserError when the folder contains something else, cannot be written, or is in use by another process
 */
export const openDataFolder = async (path: string, port: number, fresh = false) => {
  const record: DataFolderRecord = { layout: currentLayout, holder: { pid: process.pid, port } }
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
  const lastRecord = readDataFolderRecord(path)
  if (lastRecord === undefined) {
    checkIsEmpty(path)
    return
  }

  // This process already listens on its port, so a last holder with the same port has ended.
  const { layout, holder } = lastRecord
  const isInUse = holder.port !== port && (await isProcessRunning(holder))
  if (isInUse) {
    const problem = `The folder ${path} is in use by the local environment with process id ${holder.pid}.`
    throw new UserError(`${problem} Stop it, or choose another with --data.`)
  }
  if (layout !== currentLayout && !fresh) {
    throw new UserError(`The folder ${path} is of another version of the local environment. Start with --fresh.`)
  }
}

/** Checks that a folder without a record is empty. An interrupted write of a record may have left a temporary file. */
const checkIsEmpty = (path: string): void => {
  const isEmpty = readdirSync(path).every((name) => name.startsWith(dataFolderRecordFile))
  if (isEmpty) return

  const problem = `The folder ${path} is not empty and is no data folder of a local environment.`
  throw new UserError(`${problem} Empty it, or choose another with --data.`)
}
