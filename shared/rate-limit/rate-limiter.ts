/**
 * Limits the requests of a key, exactly, under any concurrency. A *window* is the minute or the UTC day in which
 * requests are counted. All times of this folder are Unix seconds, with fractions; only the clock gives milliseconds.
 */

import type { KeyHash } from '../api-keys/api-key.ts'
import { isUsable } from '../api-keys/api-key-record.ts'
import type { Clock } from '../clock.ts'
import { isThrottled } from '../dynamodb/unavailable.ts'
import type { CountedKey } from './counted-key.ts'
import { KeyMemory } from './key-memory.ts'
import type { CountedRequest, RequestCounter, WriteOutcome } from './request-counter.ts'
import {
  blockBothWindows,
  chooseBindingWindow,
  computeLimitStatus,
  findExpiredWindows,
  type LimitStatus,
  type WindowStatus,
} from './windows.ts'

/** When requests that continue after a 429 lead to a ban, and how long the ban lasts. */
export interface BanPolicy {
  /** The number of refusals that bans a key. The first admitted request of a new minute resets the count. */
  readonly refusalsBeforeBan: number
  /** The length of the first ban of a UTC day, in seconds. Each further ban lasts twice as long. */
  readonly firstBanSeconds: number
  readonly longestBanSeconds: number
}

/** Computes the length of a ban, in seconds, that follows `earlierBans` others of the same UTC day. */
const computeBanSeconds = (policy: BanPolicy, earlierBans: number): number =>
  Math.min(policy.longestBanSeconds, policy.firstBanSeconds * 2 ** earlierBans)

/**
 * The limiter's decision about a request. Only an `admitted` request counts against the limits.
 *
 * - `invalid`: no key has this hash, or the key is revoked or has ended.
 * - `exhausted`: the key has no request remaining in a window.
 * - `banned`: the key is banned, because its requests continued after too many refusals.
 * - `uncounted`: the key is within its limits, and DynamoDB throttles the writes of its item. The request is refused,
 *   because no request is admitted uncounted.
 */
export type Decision = { readonly kind: 'invalid' } | DecisionOfKey

/** A decision about the request of a key: every decision but `invalid`. */
export interface DecisionOfKey {
  readonly kind: 'admitted' | 'exhausted' | 'banned' | 'uncounted'
  readonly record: CountedKey
  readonly status: LimitStatus
  /** The window that `X-RateLimit-*` shows. */
  readonly bindingWindow: WindowStatus
  /** The time of the decision, in Unix seconds. */
  readonly nowSeconds: number
}

/** Creates the decision about the request of a key. The status is that of the record; in a ban no request remains. */
export const decideAs = (kind: DecisionOfKey['kind'], record: CountedKey, nowSeconds: number): DecisionOfKey => {
  const countedStatus = computeLimitStatus(record, nowSeconds)
  const status = kind === 'banned' ? blockBothWindows(countedStatus, record.bannedUntil) : countedStatus
  return { kind, record, status, bindingWindow: chooseBindingWindow(status), nowSeconds }
}

/**
 * Judges by the record of a key how to treat a request. The first failed check decides, in this order: validity of the
 * key, ban, limit of the day, limit of the minute.
 *
 * - `invalid`, `banned`, `exhausted`: the request is not admitted, as in `Decision`.
 * - `windowExpired`: the request is the first of a new minute, and perhaps of a new day.
 * - `countable`: the request counts in the minute and the day of the record.
 */
const judgeRecord = (record: CountedKey, nowSeconds: number) => {
  if (!isUsable(record, nowSeconds)) return 'invalid'
  if (record.bannedUntil > nowSeconds) return 'banned'

  const expired = findExpiredWindows(record, nowSeconds)
  if (!expired.day && record.dayCount >= record.dayLimit) return 'exhausted'
  if (!expired.minute && record.minuteCount >= record.minuteLimit) return 'exhausted'
  // A day ends at the end of a minute, so this is also the case of an expired day.
  return expired.minute ? 'windowExpired' : 'countable'
}

/** A write to try on the record of a key. DynamoDB makes it only if it fits the record. */
interface CounterWrite {
  /** The decision about the request if the write is made. */
  readonly decision: 'admitted' | 'exhausted' | 'banned'
  readonly send: () => Promise<WriteOutcome>
}

/**
 * Maximum number of writes for one request. Two suffice, unless the record changes meanwhile: another request opens a
 * window or takes the last place in it, or an operator changes the limits. Each such change may cost one write more.
 */
const maximumWrites = 12

/**
 * Time for which an instance refuses the requests of a banned key without calling DynamoDB. So a ban that an operator
 * ends may go on for this time.
 */
const banMemorySeconds = 2

/**
 * Authenticates, counts and limits the requests of a key.
 *
 * - A usual request costs one write.
 * - The first request of a new window and a request over a limit cost two.
 * - The requests of a banned key cost one write every two seconds in each instance.
 *
 * @example
 * const limiter = new RateLimiter(new RequestCounter(client, tableName), bans, systemClock)
 * const decision = await limiter.decide(hashApiKey(apiKey), AbortSignal.timeout(4_500))
 */
export class RateLimiter {
  readonly #counter: RequestCounter
  readonly #bans: BanPolicy
  readonly #clock: Clock
  /** Records of keys that are banned: their requests are refused without a call to DynamoDB. */
  readonly #bannedKeys = new KeyMemory<CountedKey>()

  constructor(counter: RequestCounter, bans: BanPolicy, clock: Clock) {
    this.#counter = counter
    this.#bans = bans
    this.#clock = clock
  }

  /**
   * Decides about a request.
   *
   * @param signal ends the calls to DynamoDB
   * @throws Error if DynamoDB is unavailable, or the record of the key is malformed
   */
  async decide(keyHash: KeyHash, signal: AbortSignal): Promise<Decision> {
    const request = { keyHash, nowSeconds: this.#clock() / 1_000, signal }
    const bannedKey = this.#bannedKeys.recall(keyHash, request.nowSeconds)
    if (bannedKey !== undefined) return decideAs('banned', bannedKey, request.nowSeconds)
    try {
      return await this.#decideByWriting(request)
    } catch (error) {
      if (!isThrottled(error)) throw error
      // The SDK has repeated the write for some time, so the clock is read again.
      return this.#decideByReading({ ...request, nowSeconds: this.#clock() / 1_000 })
    }
  }

  /** Tries the write that fits the latest known record, until a write is made or the record allows none. */
  async #decideByWriting(request: CountedRequest): Promise<Decision> {
    // No record is known yet. Most requests can be counted in the open windows, so this write is tried first.
    let write: CounterWrite = { decision: 'admitted', send: () => this.#counter.count(request) }

    for (let writes = 0; writes < maximumWrites; writes += 1) {
      const { done, record } = await write.send()
      if (record === undefined) return { kind: 'invalid' }
      if (done) return this.#decideAndRemember(write.decision, request, record)

      switch (judgeRecord(record, request.nowSeconds)) {
        case 'invalid':
          return { kind: 'invalid' }
        case 'banned':
          return this.#decideAndRemember('banned', request, record)
        case 'exhausted':
          write = this.#createRefusal(request, record)
          break
        case 'windowExpired':
          write = { decision: 'admitted', send: () => this.#counter.openWindows(request, record) }
          break
        case 'countable':
          write = { decision: 'admitted', send: () => this.#counter.count(request) }
      }
    }
    throw new Error(`The record of the API key ${request.keyHash} kept changing while a request was counted.`)
  }

  /** Creates the write that counts a refusal. The refusal that reaches the threshold bans the key. */
  #createRefusal(request: CountedRequest, record: CountedKey): CounterWrite {
    const { refusalsBeforeBan } = this.#bans
    if (record.refusalCount + 1 < refusalsBeforeBan) {
      return { decision: 'exhausted', send: () => this.#counter.countRefusal(request, refusalsBeforeBan) }
    }
    const bannedUntil = Math.ceil(request.nowSeconds) + computeBanSeconds(this.#bans, record.banCount)
    return { decision: 'banned', send: () => this.#counter.ban(request, record, bannedUntil) }
  }

  /**
   * Decides about a request that could not be counted, because DynamoDB throttles the writes of the item. Reads are
   * throttled separately, so the record still shows whether the request exceeds a limit. If it does not, the decision
   * is `uncounted`.
   */
  async #decideByReading(request: CountedRequest): Promise<Decision> {
    const record = await this.#counter.read(request)
    if (record === undefined) return { kind: 'invalid' }
    const judgement = judgeRecord(record, request.nowSeconds)
    if (judgement === 'invalid') return { kind: 'invalid' }
    const isRefused = judgement === 'banned' || judgement === 'exhausted'
    return this.#decideAndRemember(isRefused ? judgement : 'uncounted', request, record)
  }

  /** Creates the decision about a request. Remembers the key if it is banned. */
  #decideAndRemember(
    kind: DecisionOfKey['kind'],
    { keyHash, nowSeconds }: CountedRequest,
    record: CountedKey,
  ): Decision {
    if (kind === 'banned') {
      this.#bannedKeys.remember(keyHash, record, Math.min(nowSeconds + banMemorySeconds, record.bannedUntil))
    }
    return decideAs(kind, record, nowSeconds)
  }
}
