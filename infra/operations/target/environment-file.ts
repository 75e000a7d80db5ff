import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UserError } from '../../command-line/user-error.ts'
import { isRunning, type RunningProcess } from './is-running.ts'
import type { ResourceNames } from './resource-names.ts'

/**
 * The file that marks a data folder as ours, so that nothing in another folder is overwritten or deleted. It names the last
 * process that has opened the folder, and stays when that ends.
 */
export interface EnvironmentFile {
  /** Of the folder. */
  readonly layout: number
  readonly holder: RunningProcess
  /** Once it responds. */
  readonly environment?: RunningEnvironment
}

/** A running environment as the commands beside it see it. */
export interface RunningEnvironment extends ResourceNames {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly databaseEndpoint: string
}

export const environmentFile = 'pet-adoption-environment.json'

/** A reader sees the whole file or none. */
export const writeEnvironmentFile = (dataFolder: string, contents: EnvironmentFile): void => {
  const unfinished = join(dataFolder, `${environmentFile}.new`)
  writeFileSync(unfinished, `${JSON.stringify(contents, null, 2)}\n`)
  renameSync(unfinished, join(dataFolder, environmentFile))
}

export const readEnvironmentFile = (dataFolder: string): EnvironmentFile | undefined => {
  const file = join(dataFolder, environmentFile)
  // Only writeEnvironmentFile writes it.
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

/** @returns undefined when none runs on this data folder: the commands use its database, so that must respond */
export const findRunningEnvironment = async (dataFolder: string): Promise<RunningEnvironment | undefined> => {
  const { holder, environment } = readEnvironmentFile(dataFolder) ?? {}
  if (holder === undefined || environment === undefined) return undefined
  const port = Number(new URL(environment.databaseEndpoint).port)
  return (await isRunning({ ...holder, port })) ? environment : undefined
}

/** @throws UserError when no environment runs on this data folder */
export const requireRunningEnvironment = async (dataFolder: string): Promise<RunningEnvironment> => {
  const environment = await findRunningEnvironment(dataFolder)
  if (environment !== undefined) return environment
  throw new UserError(
    `No local environment runs on the data folder ${dataFolder}. Start one with "npm start", or name its folder with --data.`,
  )
}
