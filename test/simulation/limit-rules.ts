/** Invariants of keys and their limits, as the README promises them to callers. */
import type { Allowance } from '../../shared/api-keys/plans.ts'
import { catalogue } from '../../shared/contract/generated/errors.ts'
import type { ApiResponse } from './api-response.ts'
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
  /** Allowances, each with the time from which the key may have it. */
  readonly allowances: { readonly from: number; readonly allowance: Allowance }[]
  readonly isSequential: boolean
  /** Time from which no request may succeed. */
  endsAt: number
  last: LastResponse | undefined
  pending: number
  /** Times at which requests got a response that does not say whether they were counted. */
  doubtful: number[]
  /** Times at which requests began and were admitted, by the minute in which they began and ended. */
  readonly admittedByMinute: Map<number, number>
}

/** Instances' clocks differ from the time by at most this. */
const clockMarginMilliseconds = 600

/** Time for which a request may be counted after API Gateway has given up its authorizer: twice the longest freeze. */
const doubtMilliseconds = 6 * 60_000

const minuteMilliseconds = 60_000

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
  addKey(apiKey: string, name: string, allowance: Allowance, isSequential: boolean): void {
    this.#keys.set(apiKey, {
      name,
      isSequential,
      allowances: [{ from: this.#time.now, allowance }],
      endsAt: Number.POSITIVE_INFINITY,
      last: undefined,
      pending: 0,
      doubtful: [],
      admittedByMinute: new Map(),
    })
  }

  /** An operator begins to change a key, so the last response may no longer hold. */
  expectChange(apiKey: string, allowance?: Allowance): void {
    const key = this.#keys.get(apiKey)
    if (key === undefined) return
    key.last = undefined
    if (allowance !== undefined) key.allowances.push({ from: this.#time.now, allowance })
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

  end({ apiKey, startedAt }: Attempt, response: ApiResponse): void {
    const key = this.#keys.get(apiKey)
    if (key === undefined) return
    key.pending -= 1
    this.#checkEnd(apiKey, key, startedAt, response)
    this.#checkCount(apiKey, key, startedAt, response)
    if (key.isSequential) this.#checkPromises(apiKey, key, startedAt, response)
    key.last = this.#readLast(response)
    if (response.status >= 500 && key.last === undefined) key.doubtful.push(this.#time.now)
  }

  #checkEnd(apiKey: string, key: KnownKey, startedAt: number, { status }: ApiResponse): void {
    const isAccepted = status < 300
    if (!isAccepted || startedAt <= key.endsAt + clockMarginMilliseconds) return
    this.#history.report('no key works after its end', apiKey, `${key.name} got ${status}`)
  }

  /** Counts the requests that began and ended in one minute. A request with a 5xx may be counted or not. */
  #checkCount(apiKey: string, key: KnownKey, startedAt: number, { status }: ApiResponse): void {
    const isAdmitted = status < 300 || (status >= 400 && status < 429 && status !== 401)
    const minute = Math.floor(startedAt / minuteMilliseconds)
    const isWithin =
      startedAt >= minute * minuteMilliseconds + clockMarginMilliseconds &&
      this.#time.now <= (minute + 1) * minuteMilliseconds - clockMarginMilliseconds
    if (!isAdmitted || !isWithin) return

    const count = (key.admittedByMinute.get(minute) ?? 0) + 1
    key.admittedByMinute.set(minute, count)
    const limit = findLargestLimit(key.allowances, minute)
    if (count <= limit) return
    this.#history.report('no window is over its limit', apiKey, `${key.name} had ${count} of ${limit} in a minute`)
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
    const remaining = [...readHeader(response, 'RateLimit').matchAll(/;r=(\d+)/g)].map(([, count]) => Number(count))
    // A response of the edge itself says nothing about the limits of the key.
    if (remaining.length === 0) return undefined
    return {
      endedAt: this.#time.now,
      remaining: Math.min(...remaining),
      retryAfter: readLimitRefusal(response),
      attemptsSince: 0,
    }
  }
}

/** Finds the largest limit that a key may have had in a minute, or shortly before. */
const findLargestLimit = (allowances: KnownKey['allowances'], minute: number): number => {
  const start = minute * minuteMilliseconds
  const inForce = allowances.filter(({ from }, index) => {
    const until = allowances[index + 1]?.from ?? Number.POSITIVE_INFINITY
    return from < start + minuteMilliseconds && until > start - minuteMilliseconds
  })
  return Math.max(...inForce.map(({ allowance }) => allowance.perMinute))
}

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
