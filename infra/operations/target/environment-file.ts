import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../command-line/user-error.ts'
import { isRunning } from './is-running.ts'
import type { ResourceNames } from './resource-names.ts'

/**
 * A running environment as the commands beside it see it: `environment.json` in its data folder.
 * It exists from the moment the environment responds until it ends.
 */
export interface RunningEnvironment extends ResourceNames {
  readonly pid: number
  readonly port: number
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly databaseEndpoint: string
}

const fileIn = (dataFolder: string): string => join(dataFolder, 'environment.json')

/** A reader sees the whole file or none. */
export const writeEnvironmentFile = (dataFolder: string, environment: RunningEnvironment): void => {
  const unfinished = `${fileIn(dataFolder)}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(environment, null, 2)}\n`)
  renameSync(unfinished, fileIn(dataFolder))
}

export const removeEnvironmentFile = (dataFolder: string): void => rmSync(fileIn(dataFolder), { force: true })

/**
 * @returns undefined when no environment runs on this data folder; one that was killed leaves its
 * file behind. The commands use its database, so the database must respond.
 */
export const findRunningEnvironment = async (dataFolder: string): Promise<RunningEnvironment | undefined> => {
  const environment = readEnvironmentFile(dataFolder)
  if (environment === undefined) return undefined
  const { pid, databaseEndpoint } = environment
  return (await isRunning({ pid, port: Number(new URL(databaseEndpoint).port) })) ? environment : undefined
}

/** @throws UserError when no environment runs on this data folder */
export const requireRunningEnvironment = async (dataFolder: string): Promise<RunningEnvironment> => {
  const environment = await findRunningEnvironment(dataFolder)
  if (environment !== undefined) return environment
  throw new UserError(
    `No local environment runs on the data folder ${dataFolder}. Start one with "npm start", or name its folder with --data.`,
  )
}

/** What the file contains, whether or not the environment still runs. */
const readEnvironmentFile = (dataFolder: string): RunningEnvironment | undefined => {
  try {
    // Only writeEnvironmentFile writes this file.
    return JSON.parse(readFileSync(fileIn(dataFolder), 'utf8')) as RunningEnvironment
  } catch {
    return undefined
  }
}
