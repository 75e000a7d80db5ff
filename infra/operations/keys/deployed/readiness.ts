import { setTimeout } from 'node:timers/promises'
import { type Clock, systemClock } from '../../../../shared/clock.ts'
import type { ErrorCode } from '../../../../shared/errors/catalogue.ts'

export interface ReadinessOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: string
  /** How long to wait at most. @default five minutes */
  readonly seconds?: number
  /** Called every few seconds with the reason why it still waits. */
  readonly report: (line: string) => void
  readonly clock?: Clock
  /** Before each try, which counts as a request of the key. */
  readonly beforeTry?: () => Promise<void>
  /** Ends the waiting early. */
  readonly signal?: AbortSignal
}

const defaultSeconds = 5 * 60
const firstPause = 1_000
const longestPause = 10_000
const requestTimeout = 10_000
const reportEvery = 10_000

/** The code of the INVALID_API_KEY response: the authorizer knows the key already, the usage plans at the edge do not yet. */
const notReady: ErrorCode = 'api_key_not_ready'

/**
 * Waits until a new key works: API Gateway takes some seconds, at times minutes, to know a key at the edge.
 *
 * @returns `undefined` when the key works, else why it did not the last time.
 */
export const waitUntilReady = async (options: ReadinessOptions): Promise<string | undefined> => {
  const { baseUrl, apiKey, report, clock = systemClock, seconds = defaultSeconds } = options
  const start = clock()
  const deadline = start + seconds * 1_000
  let pause = firstPause
  let nextReport = start
  while (true) {
    await options.beforeTry?.()
    const reason = await tryKey(baseUrl, apiKey)
    const now = clock()
    if (reason === undefined || now + pause > deadline || options.signal?.aborted) return reason
    if (now >= nextReport) {
      const passed = Math.round((now - start) / 1_000)
      report(`Waiting until the key works at ${baseUrl} (${passed} s of at most ${seconds} s): ${reason}.`)
      nextReport = now + reportEvery
    }
    await setTimeout(pause)
    pause = Math.min(pause * 1.5, longestPause)
  }
}

/** @returns why the key does not work */
const tryKey = async (baseUrl: string, apiKey: string): Promise<string | undefined> => {
  try {
    const response = await fetch(`${baseUrl}/pets?limit=1`, {
      headers: { Authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(requestTimeout),
    })
    if (response.ok) return undefined
    const code = codeOf(await response.text())
    if (code === notReady) return 'API Gateway does not know it at the edge yet'
    return `the response is ${response.status}${code === undefined ? '' : ` ${code}`}`
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return `no response came: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

const codeOf = (body: string): string | undefined => {
  try {
    const json: unknown = JSON.parse(body)
    return typeof json === 'object' && json !== null && 'code' in json ? String(json.code) : undefined
  } catch {
    return undefined
  }
}
