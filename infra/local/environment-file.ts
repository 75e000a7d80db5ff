import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ResourceNames } from './resource-names.ts'

/**
 * A running environment as the commands beside it see it: `environment.json` in its data folder.
 * It is there from the moment the environment answers until it ends.
 */
export interface RunningEnvironment extends ResourceNames {
  readonly pid: number
  /** ISO 8601. */
  readonly startedAt: string
  readonly port: number
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly databaseEndpoint: string
}

const fileIn = (dataFolder: string): string => join(dataFolder, 'environment.json')

/** Whoever reads meanwhile sees the whole file or none. */
export const writeEnvironmentFile = (dataFolder: string, environment: RunningEnvironment): void => {
  const unfinished = `${fileIn(dataFolder)}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify(environment, null, 2)}\n`)
  renameSync(unfinished, fileIn(dataFolder))
}

export const removeEnvironmentFile = (dataFolder: string): void => rmSync(fileIn(dataFolder), { force: true })

/** @returns undefined when no environment runs on this data folder; one that was killed leaves its file behind. */
export const findRunningEnvironment = (dataFolder: string): RunningEnvironment | undefined => {
  try {
    // Only writeEnvironmentFile writes this file.
    const environment = JSON.parse(readFileSync(fileIn(dataFolder), 'utf8')) as RunningEnvironment
    return isRunning(environment.pid) ? environment : undefined
  } catch {
    return undefined
  }
}

/** Signal 0 is sent to nobody: it only tells whether the process is there. */
export const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user is there, though it takes no signal of ours.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
