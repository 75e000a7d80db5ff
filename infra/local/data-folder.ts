import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { UserError } from '../command-line/user-error.ts'
import {
  dataFolderRecordFile,
  type LocalEnvironmentRecord,
  readDataFolderRecord,
  writeDataFolderRecord,
} from '../commands/environment/local-environment.ts'

/** Version of the layout of a data folder: the form of its files. */
const currentLayout = 5

/**
 * Opens a data folder: creates it, or checks that it is one. Each has a file, its *record*, with the version of its
 * layout and with the environment that runs on it. The lock of the database stops a second process that opens the
 * folder.
 *
 * @param fresh whether the caller will delete the contents; then any layout is accepted
 * @returns a function that records that the environment on the folder responds
 * @throws UserError when the folder contains something else, or cannot be written
 */
export const openDataFolder = (path: string, fresh = false) => {
  try {
    // Without `recursive`, which never returns for a folder below /proc (Node.js 24).
    if (!existsSync(path)) mkdirSync(path)
    markAsDataFolder(path, fresh)
  } catch (error) {
    if (error instanceof UserError || !(error instanceof Error)) throw error
    throw new UserError(`The folder ${path} cannot be used (${error.message}). Choose another with --data.`)
  }
  return (environment: LocalEnvironmentRecord): void =>
    writeDataFolderRecord(path, { layout: currentLayout, environment })
}

/** Writes a record into a folder that has none of this version. */
const markAsDataFolder = (path: string, fresh: boolean): void => {
  const lastRecord = readDataFolderRecord(path)
  // A record of this version stays: another process may run on the folder, and commands find it by its record.
  if (lastRecord?.layout === currentLayout) return

  if (lastRecord === undefined) checkIsEmpty(path)
  else if (!fresh) {
    throw new UserError(`The folder ${path} is of another version of the local environment. Start with --fresh.`)
  }
  writeDataFolderRecord(path, { layout: currentLayout })
}

/** Checks that a folder without a record is empty, but for the file that an interrupted write of a record has left. */
const checkIsEmpty = (path: string): void => {
  const isEmpty = readdirSync(path).every((name) => name.startsWith(dataFolderRecordFile))
  if (isEmpty) return

  const problem = `The folder ${path} is not empty and is no data folder of a local environment.`
  throw new UserError(`${problem} Empty it, or choose another with --data.`)
}
