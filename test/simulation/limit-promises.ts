/**
 * Promises of keys and their limits, as callers can check them by times and headers.
 *
 * `test/fixtures/service/limit-rules.ts` has the exact rules, and needs requests that come one after the other. Here they
 * overlap, and instances have clocks of their own, so nobody knows their order. Three promises hold whatever the order
 * is: no window admits more than its limit, a caller that does as its last headers say is admitted, and no key works
 * after its end.
 */
import type { Limits } from '../../shared/api-keys/plans.ts'
import { findWindowEnd } from '../fixtures/service/limit-rules.ts'
import { type ApiResponse, readCode } from './edge.ts'
import type { History } from './history.ts'
import type { VirtualTime } from './virtual-time.ts'

/** A request that was sent. */
interface SentRequest {
  readonly apiKey: string
  readonly startedAt: number
}

/** A promise of the last response: from a time on, as many requests are admitted as may be sent. */
interface HeaderPromise {
  readonly from: number
  readonly requests: number
  /** The requests that were sent since the response, with or without a response of their own. */
  sent: number
}

interface KnownKey {
  readonly name: string
  /** The largest limits that a command may have given the key. */
  limits: Limits
  /** Whether its caller sends one request after the other, and no operator changes the key. */
  readonly isSequential: boolean
  /** Time from which no request may succeed. */
  endsAt: number
  promise: HeaderPromise | undefined
  /** Requests under way. */
  pending: number
  /** Times at which requests got a response that does not say whether they were counted. */
  doubtful: number[]
  /** Numbers of admitted requests by the windows in which all clocks see them, such as `minute 1762084860000`. */
  readonly admitted: Map<string, number>
}

/** Instances' clocks differ from the time by at most this. */
const clockMarginMilliseconds = 600

/** Time for which a request may be counted after API Gateway has given up its authorizer: twice the longest freeze. */
const doubtMilliseconds = 6 * 60_000

/** Time for which an instance remembers a ban, and responds 429 without reading the key. */
const banMemoryMilliseconds = 2_000

export class LimitPromises {
  readonly #time: VirtualTime
  readonly #history: History
  readonly #keys = new Map<string, KnownKey>()

  constructor(time: VirtualTime, history: History) {
    this.#time = time
    this.#history = history
  }

  /** Makes a key known. */
  addKey(apiKey: string, { name, limits, isSequential }: Pick<KnownKey, 'name' | 'limits' | 'isSequential'>): void {
    this.#keys.set(apiKey, {
      name,
      isSequential,
      limits,
      endsAt: Number.POSITIVE_INFINITY,
      promise: undefined,
      pending: 0,
      doubtful: [],
      admitted: new Map(),
    })
  }

  /** Records that an operator begins to give a key other limits. It may keep its earlier ones: the command may fail. */
  expectLimits(apiKey: string, { perMinute, perDay }: Limits): void {
    const key = this.#keys.get(apiKey)
    if (key === undefined) return
    const { limits } = key
    key.limits = { perMinute: Math.max(limits.perMinute, perMinute), perDay: Math.max(limits.perDay, perDay) }
  }

  /** Records that an operator has ended a key. No request that begins later may succeed. */
  endKey(apiKey: string, at: number): void {
    const key = this.#keys.get(apiKey)
    if (key !== undefined) key.endsAt = Math.min(key.endsAt, at)
  }

  begin(apiKey: string): SentRequest {
    const key = this.#keys.get(apiKey)
    if (key !== undefined) {
      key.pending += 1
      if (key.promise !== undefined) key.promise.sent += 1
    }
    return { apiKey, startedAt: this.#time.now }
  }

  /** Checks a response. If its caller does not get it, what the caller's last response promised still holds. */
  end({ apiKey, startedAt }: SentRequest, response: ApiResponse, headers: Headers, isLost: boolean): void {
    const key = this.#keys.get(apiKey)
    if (key === undefined) return
    const report: Report = (invariant, text) => this.#history.report(invariant, apiKey, `${key.name} ${text}`)
    const now = this.#time.now
    const figures = headers.get('RateLimit')
    key.pending -= 1
    checkEnd(key, startedAt, response, figures, report)
    if (isAdmitted(response)) countAdmitted(key, startedAt, now, report)
    // A response of the edge itself says nothing about the limits of the key.
    if (response.status >= 500 && figures === null) key.doubtful.push(now)
    key.doubtful = key.doubtful.filter((at) => at > now - doubtMilliseconds)
    if (isLost) return

    if (key.isSequential && response.status === 429) checkPromise(key, startedAt, response, report)
    key.promise = figures === null ? undefined : readPromise(response, headers, figures, now)
  }
}

type Report = (invariant: Parameters<History['report']>[0], text: string) => void

/** Whether a request is counted. One that gets a 5xx may be counted or not. */
const isAdmitted = ({ status }: ApiResponse): boolean => status < 429 && status !== 401

const checkEnd = (
  { endsAt }: KnownKey,
  startedAt: number,
  response: ApiResponse,
  figures: string | null,
  report: Report,
): void => {
  const millisecondsSinceEnd = startedAt - endsAt - clockMarginMilliseconds
  if (millisecondsSinceEnd <= 0) return
  const { status, body } = response
  const isRefusedByEdge = status === 429 && figures === null
  const isRememberedBan = readCode(response) === 'api_key_banned' && millisecondsSinceEnd <= banMemoryMilliseconds
  if (status === 401 || status >= 500 || isRefusedByEdge || isRememberedBan) return
  report('no key works after its end', `got ${status} ${body}`)
}

/** Counts a request in the minute and in the day in which all clocks see its begin and its end. */
const countAdmitted = ({ admitted, limits }: KnownKey, startedAt: number, endedAt: number, report: Report): void => {
  const windows = [
    { window: 'minute', limit: limits.perMinute },
    { window: 'day', limit: limits.perDay },
  ] as const
  for (const { window, limit } of windows) {
    const end = findWindowEnd(window, startedAt - clockMarginMilliseconds)
    if (findWindowEnd(window, endedAt + clockMarginMilliseconds) !== end) continue
    const count = (admitted.get(`${window} ${end}`) ?? 0) + 1
    admitted.set(`${window} ${end}`, count)
    if (count > limit) report('no window is over its limit', `had ${count} of ${limit} requests in a ${window}`)
  }
}

/** Checks that a request with a 429 is none of those that the last response has promised. */
const checkPromise = (
  { promise, doubtful, pending }: KnownKey,
  startedAt: number,
  { body }: ApiResponse,
  report: Report,
): void => {
  if (promise === undefined || pending > 0 || startedAt < promise.from) return
  if (promise.sent > promise.requests - doubtful.length) return
  const text = `was promised ${promise.requests} requests, sent ${promise.sent} and got ${body}`
  report('a caller that does as its last headers say is admitted', text)
}

/** Reads what a response promises: one request after `Retry-After`, or the requests that remain in both windows. */
const readPromise = (
  { status }: ApiResponse,
  headers: Headers,
  figures: string,
  endedAt: number,
): HeaderPromise | undefined => {
  if (status === 429) {
    return { from: endedAt + Number(headers.get('Retry-After')) * 1_000, requests: 1, sent: 0 }
  }
  const remaining = [...figures.matchAll(/;r=(\d+)/g)].map(([, count]) => Number(count))
  return { from: endedAt, requests: Math.min(...remaining), sent: 0 }
}
