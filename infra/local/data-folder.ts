import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join, resolve } from 'node:path'
import { ClearError } from '../command-line/clear-error.ts'
import { isRunning } from './environment-file.ts'

/** The folder of one local environment's data, held by this process alone until it is released. */
export interface DataFolder {
  /** Absolute. */
  readonly path: string
  release(): void
}

/** Tells our data folders from any other, so that nothing of anybody else's is ever written over or deleted. */
const markerName = 'pet-adoption-data.txt'
const markerText = 'The data of a local Pet Adoption environment. `npm start -- --fresh` empties this folder.\n'
const lockName = 'lock.json'

export interface DataFolderOptions {
  /** Deletes what the folder holds. */
  readonly fresh: boolean
  /** The port on which the holder of the folder answers; undefined if it answers on none. */
  readonly port: number | undefined
}

/** @throws ClearError when the folder is not ours, cannot be written, or is held by another process. */
export const openDataFolder = async (path: string, { fresh, port }: DataFolderOptions): Promise<DataFolder> => {
  prepare(path)
  const lock = join(path, lockName)
  const holder = readHolder(lock)
  if (holder !== undefined && (await isHolding(holder))) {
    throw new ClearError(
      `The folder ${path} is in use by the local environment with process id ${holder.pid}. Stop it, or choose another with --data.`,
    )
  }
  if (fresh) empty(path)
  writeFileSync(join(path, markerName), markerText)
  writeFileSync(lock, JSON.stringify({ pid: process.pid, port } satisfies Holder))
  return { path: resolve(path), release: () => rmSync(lock, { force: true }) }
}

const prepare = (path: string): void => {
  const advice = 'Choose another with --data.'
  try {
    mkdirSync(path, { recursive: true })
    const isOurs = existsSync(join(path, markerName))
    if (!isOurs && readdirSync(path).length > 0) {
      throw new ClearError(`The folder ${path} holds something else than a local environment's data. ${advice}`)
    }
    writeFileSync(join(path, markerName), markerText)
  } catch (error) {
    if (error instanceof ClearError || !isSystemError(error)) throw error
    const isFile = error.code === 'EEXIST' || error.code === 'ENOTDIR'
    throw new ClearError(
      isFile ? `${path} is not a folder. ${advice}` : `The folder ${path} cannot be written. ${advice}`,
    )
  }
}

const empty = (path: string): void => {
  for (const name of readdirSync(path)) {
    if (name !== markerName) rmSync(join(path, name), { recursive: true })
  }
}

interface Holder {
  readonly pid: number
  readonly port: number | undefined
}

const readHolder = (lock: string): Holder | undefined => {
  try {
    // Only openDataFolder writes this file.
    return JSON.parse(readFileSync(lock, 'utf8')) as Holder
  } catch {
    return undefined
  }
}

/**
 * A process that was killed leaves its lock behind, and its id may be another's by now: so the
 * holder must also answer on its port.
 */
const isHolding = async ({ pid, port }: Holder): Promise<boolean> => {
  if (pid === process.pid || !isRunning(pid)) return false
  return port === undefined || answers(port)
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'code' in error
