import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { UserError } from '../../command-line/user-error.ts'
import { findFreePort } from '../gateway/server/listen.ts'
import type { Database } from './database.ts'

const minimumJava = 17
const startMilliseconds = 30_000

/**
 * Starts the official DynamoDB Local, which runs on Java.
 *
 * @param folder keeps the tables; without one they are in memory
 * @throws UserError when there is no suitable Java, or DynamoDB Local does not start.
 */
export const startDynamodbLocal = async (folder: string | undefined): Promise<Database> => {
  await requireJava()
  if (folder !== undefined) await mkdir(folder, { recursive: true })
  const port = await findFreePort()
  const supervisor = spawn(
    process.execPath,
    [
      fileURLToPath(new URL('./dynamodb-local-supervisor.ts', import.meta.url)),
      String(port),
      ...(folder === undefined ? [] : [resolve(folder)]),
    ],
    // Ctrl-C reaches every process of the terminal's group at once; detached, the database
    // outlives the gateway, which closes it last.
    { stdio: ['pipe', 'ignore', 'ignore'], detached: true },
  )
  const endpoint = `http://127.0.0.1:${port}`
  await waitUntilReady(endpoint, supervisor)
  supervisor.unref()
  const stopWatching = folder === undefined ? undefined : reportFullDisk(folder)
  return {
    endpoint,
    deletesExpiredItems: true,
    close: async () => {
      stopWatching?.()
      if (hasEnded(supervisor)) return
      const ended = once(supervisor, 'exit')
      supervisor.ref()
      supervisor.stdin?.end()
      await ended
    },
  }
}

/** A process that a signal ended has no exit code. */
const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** @throws UserError when there is no suitable Java. */
export const requireJava = async (): Promise<void> => {
  const version = await new Promise<string | undefined>((found) => {
    execFile('java', ['-version'], (error, _output, errors) => found(error === null ? errors : undefined))
  })
  const needed = `--engine dynamodb-local needs Java ${minimumJava} or newer on the PATH`
  if (version === undefined) throw new UserError(`${needed}; there is none. Install it, or leave out --engine.`)
  // Before Java 9 the version began with 1, as in "1.8.0_402".
  const [, legacy = '', major = legacy] = /version "(\d+)(?:\.(\d+))?/.exec(version) ?? []
  const found = Number(legacy === '1' ? major : legacy)
  if (found < minimumJava) throw new UserError(`${needed}; there is Java ${found}. Upgrade it, or leave out --engine.`)
}

const waitUntilReady = async (endpoint: string, supervisor: ChildProcess): Promise<void> => {
  const deadline = Date.now() + startMilliseconds
  while (Date.now() < deadline && !hasEnded(supervisor)) {
    const isReady = await fetch(endpoint).then(
      () => true,
      () => false,
    )
    if (isReady) return
    await setTimeout(50)
  }
  supervisor.stdin?.end()
  throw new UserError('DynamoDB Local did not start. Leave out --engine to use the built-in database.')
}

/** A disk with less space than this counts as full: the database writes more than its items. */
const fullDiskBytes = 1024 * 1024
const diskCheckMilliseconds = 1_000

/**
 * Reports on standard error that the disk of a folder is full, and when it has space again: the engine itself
 * responds only with "unknown error".
 *
 * @returns a function that ends the checks
 */
const reportFullDisk = (folder: string): (() => void) => {
  let isFull = false
  const check = async (): Promise<void> => {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < fullDiskBytes === isFull) return
    isFull = !isFull
    console.error(
      isFull
        ? `[database] The disk of ${folder} is full. Requests fail until you free some space.`
        : '[database] The disk has space again.',
    )
  }
  const timer = setInterval(() => check().catch(() => undefined), diskCheckMilliseconds).unref()
  return () => clearInterval(timer)
}
