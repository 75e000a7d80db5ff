import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { UserError } from '../command-line/user-error.ts'
import {
  dataFolderRecordFile,
  isProcessRunning,
  type LocalEnvironmentRecord,
  readDataFolderRecord,
  writeDataFolderRecord,
} from '../operations/environment/local-environment-record.ts'

const layout = 4

/**
 * Takes a data folder for this process. Of two that do so at the same moment, one cannot open the database.
 *
 * @param port on which this process accepts connections, so that others know that it runs
 * @param fresh its contents will be deleted, so that their layout does not matter
 * @returns what says that the environment on it responds
 * @throws UserError when the folder is not ours, cannot be written, or is in use by another process
 */
export const openDataFolder = async (path: string, port: number, fresh = false) => {
  const contents = { layout, holder: { pid: process.pid, port } }
  try {
    // Not `recursive`: below /proc that would never return (Node.js 24).
    if (!existsSync(path)) mkdirSync(path)
    const last = readDataFolderRecord(path)
    if (last === undefined && readdirSync(path).some((name) => !name.startsWith(dataFolderRecordFile))) {
      throw new UserError(
        `The folder ${path} is not empty and is no data folder of a local environment. Empty it, or choose another with --data.`,
      )
    }
    // Whoever had the port that this process has now has ended.
    if (last !== undefined && last.holder.port !== port && (await isProcessRunning(last.holder))) {
      throw new UserError(
        `The folder ${path} is in use by the local environment with process id ${last.holder.pid}. Stop it, or choose another with --data.`,
      )
    }
    if (last !== undefined && last.layout !== layout && !fresh) {
      throw new UserError(`The folder ${path} is of another version of the local environment. Start with --fresh.`)
    }
    writeDataFolderRecord(path, contents)
  } catch (error) {
    if (error instanceof UserError || !(error instanceof Error)) throw error
    throw new UserError(`The folder ${path} cannot be used (${error.message}). Choose another with --data.`)
  }
  return (environment: LocalEnvironmentRecord): void => writeDataFolderRecord(path, { ...contents, environment })
}
