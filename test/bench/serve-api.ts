import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findLocalKeys } from '../../infra/operations/keys/local-keys.ts'
import type { Allowance } from '../../shared/api-keys/plans.ts'

/** A local environment in a process of its own, with what the scenarios need. */
export interface ServedApi extends AsyncDisposable {
  readonly baseUrl: string
  /** With room for every request of the benchmark. */
  readonly apiKey: string
  /** Its limit is used up. */
  readonly exhaustedKey: string
  readonly petId: number
  issueKey(allowance: Allowance): Promise<string>
}

interface Server {
  readonly baseUrl: string
  /** From the start of its process until it is ready. */
  readonly seconds: number
  stop(): Promise<void>
}

const startServer = async (dataFolder: string): Promise<Server> => {
  const startedAt = performance.now()
  const server = spawn(process.execPath, ['infra/local/start.ts', '--port', '0', '--data', dataFolder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill('SIGTERM')
    await ended
  }
  try {
    const baseUrl = await announcedUrl(server.stdout)
    return { baseUrl, seconds: (performance.now() - startedAt) / 1_000, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** How long `npm start` takes, without npm: on a fresh machine, and again with the data of that. In seconds. */
export const timeStarts = async (): Promise<{ readonly first: number; readonly again: number }> => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'pet-adoption-bench-'))
  const seconds = async (): Promise<number> => {
    const server = await startServer(dataFolder)
    await server.stop()
    return server.seconds
  }
  try {
    return { first: await seconds(), again: await seconds() }
  } finally {
    await rm(dataFolder, { recursive: true, force: true })
  }
}

export const serveApi = async (): Promise<ServedApi> => {
  await using resources = new AsyncDisposableStack()
  const dataFolder = await mkdtemp(join(tmpdir(), 'pet-adoption-bench-'))
  resources.defer(() => rm(dataFolder, { recursive: true, force: true }))
  const { baseUrl, stop } = await startServer(dataFolder)
  resources.defer(stop)
  const keys = await findLocalKeys(dataFolder)
  const issueKey = async (allowance: Allowance): Promise<string> =>
    (await keys.issue({ owner: 'benchmark', plan: 'enterprise', allowance })).apiKey
  const apiKey = await issueKey({ perMinute: 1_000_000_000, perDay: 1_000_000_000 })
  const exhaustedKey = await issueKey({ perMinute: 1_000, perDay: 1 })
  const headers = { authorization: `Bearer ${exhaustedKey}` }
  const list = await (await fetch(`${baseUrl}/pets`, { headers })).text()
  const petId = Number(/"id":(\d+)/.exec(list)?.[1])
  const running = resources.move()
  return { baseUrl, apiKey, exhaustedKey, petId, issueKey, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

const announcedUrl = async (output: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface(output)) {
    const url = /^ {2}(http:\S+)$/.exec(line)?.[1]
    if (url !== undefined) {
      output.resume()
      return url
    }
  }
  throw new Error('The local environment ended before it was ready.')
}
