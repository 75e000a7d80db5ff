import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findLocalKeys } from '../../infra/keys/local-keys.ts'
import type { Allowance } from '../../shared/api-keys/plans.ts'
import { onOneItem } from './workbench.ts'

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

export const serveApi = async (): Promise<ServedApi> => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'pet-adoption-bench-'))
  const server = spawn(process.execPath, ['infra/local/start.ts', '--port', '0', '--data', dataFolder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = async (): Promise<void> => {
    if (server.exitCode === null) {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
    }
    await rm(dataFolder, { recursive: true, force: true })
  }
  try {
    const baseUrl = await announcedUrl(server.stdout)
    const keys = await findLocalKeys(dataFolder, onOneItem)
    const issueKey = async (allowance: Allowance): Promise<string> =>
      (await keys.issue({ owner: 'benchmark', plan: 'enterprise', allowance })).apiKey
    const apiKey = await issueKey({ perMinute: 1_000_000_000, perDay: 1_000_000_000 })
    const exhaustedKey = await issueKey({ perMinute: 1_000, perDay: 1 })
    const headers = { authorization: `Bearer ${exhaustedKey}` }
    const list = await (await fetch(`${baseUrl}/pets`, { headers })).text()
    const petId = Number(/"id":(\d+)/.exec(list)?.[1])
    return { baseUrl, apiKey, exhaustedKey, petId, issueKey, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
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
