/** Invariants of keys and their limits, as the README promises them to callers. */
import type { Limits } from '../../shared/api-keys/plans.ts'
import { catalogue } from '../../shared/contract/generated/errors.ts'
import { type WindowName, windowSeconds } from '../../shared/rate-limit/windows.ts'
import { type ApiResponse, readCode } from './api-response.ts'
import type { History } from './history.ts'
import type { VirtualTime } from './virtual-time.ts'

/** A request that was sent. */
interface Attempt {
  readonly apiKey: string
  readonly startedAt: number
}

/** The last response, as a caller reads it that sends one request after the other. */
interface LastResponse {
  readonly endedAt: number
  /** The requests that remain in the window that has fewer. */
  readonly remaining: number
  /** The seconds to wait, after a 429 for a limit or a ban. */
  readonly retryAfter: number | undefined
  /** The requests that were sent since, with or without a response. */
  attemptsSince: number
}

interface KnownKey {
  readonly name: string
  /** The largest limits that a command may have given the key. */
  limits: Limits
  readonly isSequential: boolean
  /** Time from which no request may succeed. */
  endsAt: number
  last: LastResponse | undefined
  pending: number
  /** Times at which requests got a response that does not say whether they were counted. */
  doubtful: number[]
  /** Numbers of admitted requests that began and ended in one window. */
  readonly admitted: Readonly<Record<WindowName, Map<number, number>>>
}

/** The limit of each window in the limits of a key. */
const limitNames = { minute: 'perMinute', day: 'perDay' } as const satisfies Record<WindowName, keyof Limits>

/** Instances' clocks differ from the time by at most this. */
const clockMarginMilliseconds = 600

/** Time for which a request may be counted after API Gateway has given up its authorizer: twice the longest freeze. */
const doubtMilliseconds = 6 * 60_000

/** Time for which an instance remembers a ban, and responds 429 without reading the key. */
const banMemoryMilliseconds = 2_000

export class LimitRules {
  readonly #time: VirtualTime
  readonly #history: History
  readonly #keys = new Map<string, KnownKey>()

  constructor(time: VirtualTime, history: History) {
    this.#time = time
    this.#history = history
  }

  /**
   * Makes a key known.
   *
   * @param isSequential whether its caller sends one request after the other
   */
  addKey(apiKey: string, name: string, limits: Limits, isSequential: boolean): void {
    this.#keys.set(apiKey, {
      name,
      isSequential,
      limits,
      endsAt: Number.POSITIVE_INFINITY,
      last: undefined,
      pending: 0,
      doubtful: [],
      admitted: { minute: new Map(), day: new Map() },
    })
  }

  /** An operator begins to change a key, so the last response may no longer hold. */
  expectChange(apiKey: string): void {
    const key = this.#keys.get(apiKey)
    if (key !== undefined) key.last = undefined
  }

  /** An operator begins to give a key other limits. It may keep its earlier ones: the command may fail. */
  expectLimits(apiKey: string, { perMinute, perDay }: Limits): void {
    this.expectChange(apiKey)
    const key = this.#keys.get(apiKey)
    if (key === undefined) return
    const { limits } = key
    key.limits = {
      perMinute: Math.max(limits.perMinute, perMinute),
      perDay: Math.max(limits.perDay, perDay),
    }
  }

  /** Records that an operator has ended a key. No request that begins later may succeed. */
  endKey(apiKey: string, at: number): void {
    const key = this.#keys.get(apiKey)
    if (key !== undefined) key.endsAt = Math.min(key.endsAt, at)
  }

  begin(apiKey: string): Attempt {
    const key = this.#keys.get(apiKey)
    if (key !== undefined) {
      key.pending += 1
      if (key.last !== undefined) key.last.attemptsSince += 1
    }
    return { apiKey, startedAt: this.#time.now }
  }

  /** Checks a response that its caller gets. */
  end({ apiKey, startedAt }: Attempt, response: ApiResponse): void {
    const key = this.#keys.get(apiKey)
    if (key === undefined) return
    this.#check(apiKey, key, startedAt, response)
    if (key.isSequential) this.#checkPromises(apiKey, key, startedAt, response)
    key.last = this.#readLast(response)
  }

  /** Checks a response that its caller does not get. What the caller's last response promised still holds. */
  lose({ apiKey, startedAt }: Attempt, response: ApiResponse): void {
    const key = this.#keys.get(apiKey)
    if (key !== undefined) this.#check(apiKey, key, startedAt, response)
  }

  #check(apiKey: string, key: KnownKey, startedAt: number, response: ApiResponse): void {
    key.pending -= 1
    this.#checkEnd(apiKey, key, startedAt, response)
    this.#checkCount('minute', apiKey, key, startedAt, response)
    this.#checkCount('day', apiKey, key, startedAt, response)
    const isDoubtful = response.status >= 500 && !hasLimitHeaders(response)
    if (isDoubtful) key.doubtful.push(this.#time.now)
  }

  #checkEnd(apiKey: string, key: KnownKey, startedAt: number, response: ApiResponse): void {
    const millisecondsSinceEnd = startedAt - key.endsAt - clockMarginMilliseconds
    if (millisecondsSinceEnd <= 0) return
    const { status } = response
    const isRefusedByEdge = status === 429 && !hasLimitHeaders(response)
    const isRememberedBan = readCode(response) === 'api_key_banned' && millisecondsSinceEnd <= banMemoryMilliseconds
    if (status === 401 || status >= 500 || isRefusedByEdge || isRememberedBan) return
    this.#history.report('no key works after its end', apiKey, `${key.name} got ${status} ${response.body}`)
  }

  /** Counts the requests that began and ended in one window. A request with a 5xx may be counted or not. */
  #checkCount(window: WindowName, apiKey: string, key: KnownKey, startedAt: number, { status }: ApiResponse): void {
    const isAdmitted = status < 300 || (status >= 400 && status < 429 && status !== 401)
    const length = windowSeconds[window] * 1_000
    const number = Math.floor(startedAt / length)
    const isWithin =
      startedAt >= number * length + clockMarginMilliseconds &&
      this.#time.now <= (number + 1) * length - clockMarginMilliseconds
    if (!isAdmitted || !isWithin) return

    const admitted = key.admitted[window]
    const count = (admitted.get(number) ?? 0) + 1
    admitted.set(number, count)
    const limit = key.limits[limitNames[window]]
    if (count <= limit) return
    const text = `${key.name} had ${count} of ${limit} requests in a ${window}`
    this.#history.report('no window is over its limit', apiKey, text)
  }

  #checkPromises(apiKey: string, key: KnownKey, startedAt: number, response: ApiResponse): void {
    const { last } = key
    const retryAfter = readLimitRefusal(response)
    if (last === undefined || retryAfter === undefined) return

    key.doubtful = key.doubtful.filter((at) => at > this.#time.now - doubtMilliseconds)
    const doubtfulRequests = key.doubtful.length
    const hasWaited = last.retryAfter !== undefined && startedAt >= last.endedAt + last.retryAfter * 1_000
    if (hasWaited && last.attemptsSince === 1 && doubtfulRequests === 0) {
      const text = `${key.name} waited ${last.retryAfter} s and got ${response.body}`
      this.#history.report('who waits as long as Retry-After says is admitted', apiKey, text)
    }
    const isAllowed = last.retryAfter === undefined && last.remaining >= last.attemptsSince + doubtfulRequests
    if (isAllowed && key.pending === 0) {
      const text = `${key.name} had ${last.remaining} requests left, sent ${last.attemptsSince} and got ${response.body}`
      this.#history.report('no request is refused that the last headers allowed', apiKey, text)
    }
  }

  #readLast(response: ApiResponse): LastResponse | undefined {
    if (!hasLimitHeaders(response)) return undefined
    const remaining = [...readHeader(response, 'RateLimit').matchAll(/;r=(\d+)/g)].map(([, count]) => Number(count))
    return {
      endedAt: this.#time.now,
      remaining: Math.min(...remaining),
      retryAfter: readLimitRefusal(response),
      attemptsSince: 0,
    }
  }
}

/** Whether a response tells the limits of the key. A response of the edge itself says nothing about them. */
const hasLimitHeaders = (response: ApiResponse): boolean => readHeader(response, 'RateLimit') !== ''

const readHeader = ({ headers }: ApiResponse, name: string): string =>
  headers.find(([candidate]) => candidate.toLowerCase() === name.toLowerCase())?.[1] ?? ''

/**
 * Reads `Retry-After` of a 429 for a used-up limit or a ban. A 429 because DynamoDB throttles the key has only the
 * message of the catalogue, and a promise is not made.
 */
const readLimitRefusal = (response: ApiResponse): number | undefined => {
  if (response.status !== 429) return undefined
  const isThrottled = response.body.includes(JSON.stringify(catalogue.rate_limit_exceeded.message))
  return isThrottled ? undefined : Number(readHeader(response, 'Retry-After'))
}
