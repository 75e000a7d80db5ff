import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { UserError } from '../command-line/user-error.ts'
import { isRunning, type RunningProcess } from '../operations/target/is-running.ts'

/** The folder of one local environment. No other process can open it until it is released. */
export interface DataFolder {
  /** Absolute. */
  readonly path: string
  release(): void
}

/** Marks our data folders, so that nothing in any other folder is ever overwritten or deleted. */
const markerName = 'pet-adoption-data.txt'
const markerText =
  'The data of a local Pet Adoption environment, in layout 2. `npm start -- --fresh` empties this folder.\n'
const lockName = 'lock.json'

interface DataFolderOptions {
  /** Deletes what the folder holds. */
  readonly fresh: boolean
  /** The port on which this process accepts connections; undefined if there is none. */
  readonly port: number | undefined
}

/** @throws UserError when the folder is not ours, cannot be written, or is in use by another process. */
export const openDataFolder = async (path: string, { fresh, port }: DataFolderOptions): Promise<DataFolder> => {
  const isOlder = prepare(path)
  const lock = join(path, lockName)
  const holder = readHolder(lock)
  if (holder !== undefined && holder.pid !== process.pid && (await isRunning(holder))) {
    throw new UserError(
      `The folder ${path} is in use by the local environment with process id ${holder.pid}. Stop it, or choose another with --data.`,
    )
  }
  if (isOlder && !fresh) {
    throw new UserError(`The folder ${path} is of an older version of the local environment. Start with --fresh.`)
  }
  if (fresh) empty(path)
  writeFileSync(join(path, markerName), markerText)
  writeFileSync(lock, JSON.stringify({ pid: process.pid, port } satisfies RunningProcess))
  return { path: resolve(path), release: () => rmSync(lock, { force: true }) }
}

/** @returns whether an older version has written it */
const prepare = (path: string): boolean => {
  const advice = 'Choose another with --data.'
  try {
    mkdirSync(path, { recursive: true })
    const marker = join(path, markerName)
    if (existsSync(marker)) return readFileSync(marker, 'utf8') !== markerText
    if (readdirSync(path).length > 0) {
      throw new UserError(`The folder ${path} is not empty and is no data folder of a local environment. ${advice}`)
    }
    writeFileSync(marker, markerText)
    return false
  } catch (error) {
    if (error instanceof UserError || !isSystemError(error)) throw error
    const isFile = error.code === 'EEXIST' || error.code === 'ENOTDIR'
    throw new UserError(
      isFile ? `${path} is not a folder. ${advice}` : `The folder ${path} cannot be written. ${advice}`,
    )
  }
}

const empty = (path: string): void => {
  for (const name of readdirSync(path)) {
    if (name !== markerName) rmSync(join(path, name), { recursive: true })
  }
}

const readHolder = (lock: string): RunningProcess | undefined => {
  try {
    // Only openDataFolder writes this file.
    return JSON.parse(readFileSync(lock, 'utf8')) as RunningProcess
  } catch {
    return undefined
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'code' in error
