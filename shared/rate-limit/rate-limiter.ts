/**
 * Limits the requests of a key, exactly, under any concurrency. All times of this folder are Unix seconds, with
 * fractions; only the clock gives milliseconds.
 */
import type { KeyHash } from '../api-keys/api-key.ts'
import type { Clock } from '../clock.ts'
import { isThrottled } from '../dynamodb/unavailable.ts'
import type { CountedKey } from './counted-key.ts'
import { type Decision, decideAs, judgeRecord, type Verdict } from './decision.ts'
import { KeyMemory } from './key-memory.ts'
import type { CountedRequest, RequestCounter, WriteOutcome } from './request-counter.ts'

/** When requests that continue after a 429 lead to a ban, and how long the ban lasts. */
export interface BanPolicy {
  /** The number of refusals that bans a key. The first admitted request of a new minute resets the count. */
  readonly refusalsBeforeBan: number
  /** The length of the first ban of a UTC day, in seconds. Each further ban lasts twice as long. */
  readonly firstBanSeconds: number
  readonly longestBanSeconds: number
}

/** Computes the length of a ban, in seconds, that follows `earlierBans` others of the same UTC day. */
export const computeBanSeconds = (policy: BanPolicy, earlierBans: number): number =>
  Math.min(policy.longestBanSeconds, policy.firstBanSeconds * 2 ** earlierBans)

/** A write to try on the record of a key. The write succeeds only if it fits the record. */
type CounterWrite =
  | { readonly kind: 'count request' }
  | { readonly kind: 'count refusal' }
  /** Opens new windows in place of those of `record`, and counts the request in them. */
  | { readonly kind: 'open windows'; readonly record: CountedKey }

/**
 * The most writes for one request. Usually two suffice: when many requests find an expired window at once, one opens
 * the new window and the others count in it.
 */
const maximumWrites = 5

/**
 * Time for which an instance refuses the requests of a banned key without calling DynamoDB. A ban that an operator ends
 * lasts no longer than this.
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
 * const limiter = new RateLimiter(new RequestCounter(client, table), bans, systemClock)
 * const decision = await limiter.decide(hashApiKey(apiKey), AbortSignal.timeout(4_500))
 */
export class RateLimiter {
  readonly #counter: RequestCounter
  readonly #bans: BanPolicy
  readonly #clock: Clock
  /** Records of banned keys. Their requests are not written. */
  readonly #banned = new KeyMemory<CountedKey>()

  constructor(counter: RequestCounter, bans: BanPolicy, clock: Clock) {
    this.#counter = counter
    this.#bans = bans
    this.#clock = clock
  }

  /**
   * Decides about a request.
   *
   * @param signal ends the calls to DynamoDB; by default they end by themselves
   * @throws Error if DynamoDB is unavailable, or the record of the key is malformed
   */
  async decide(keyHash: KeyHash, signal = new AbortController().signal): Promise<Decision> {
    const request = { keyHash, nowSeconds: this.#readSeconds(), signal }
    const banned = this.#banned.recall(keyHash, request.nowSeconds)
    if (banned !== undefined) return decideAs('banned', banned, request.nowSeconds)

    try {
      return await this.#decideByWriting(request)
    } catch (error) {
      if (!isThrottled(error)) throw error
      return this.#decideByReading({ ...request, nowSeconds: this.#readSeconds() })
    }
  }

  #readSeconds(): number {
    return this.#clock() / 1_000
  }

  /** Tries the write that fits the latest known record, until a write succeeds or the record allows none. */
  async #decideByWriting(request: CountedRequest): Promise<Decision> {
    let write: CounterWrite = { kind: 'count request' }

    for (let writes = 0; writes < maximumWrites; writes += 1) {
      const { done, record } = await this.#perform(write, request)
      if (record === undefined) return { kind: 'invalid' }
      if (done) return this.#decideAfterWrite(write, request, record)

      const verdict = judgeRecord(record, request.nowSeconds)
      if (verdict === 'invalid') return { kind: 'invalid' }
      if (verdict === 'banned') return this.#rememberBan(request, record)
      write = chooseWrite(verdict, record)
    }
    throw new Error(
      `The record of the API key with the hash ${request.keyHash} kept changing while a request was counted.`,
    )
  }

  #perform(write: CounterWrite, request: CountedRequest): Promise<WriteOutcome> {
    switch (write.kind) {
      case 'count request':
        return this.#counter.count(request)
      case 'count refusal':
        return this.#counter.countRefusal(request)
      case 'open windows':
        return this.#counter.openWindows(request, write.record)
    }
  }

  /** Decides about a request whose write has succeeded. `record` is the record after the write. */
  async #decideAfterWrite({ kind }: CounterWrite, request: CountedRequest, record: CountedKey): Promise<Decision> {
    return kind === 'count refusal'
      ? this.#decideAfterRefusal(request, record)
      : decideAs('admitted', record, request.nowSeconds)
  }

  /**
   * Decides about a request over a limit, whose refusal has been counted. The refusal that reaches the threshold bans
   * the key.
   */
  async #decideAfterRefusal(request: CountedRequest, record: CountedKey): Promise<Decision> {
    const { nowSeconds } = request
    const exhausted = decideAs('exhausted', record, nowSeconds)
    if (record.refusalCount < this.#bans.refusalsBeforeBan) return exhausted

    const until = Math.ceil(nowSeconds) + computeBanSeconds(this.#bans, record.banCount)
    // Lambda may have frozen this instance since the refusal. A ban that is already over would block nothing, and would
    // make the next ban longer.
    if (until <= this.#readSeconds()) return exhausted

    const { record: latest } = await this.#counter.ban(request, record, until)
    // Either this request banned the key, or a concurrent one did.
    const isBanned = latest !== undefined && latest.bannedUntil > nowSeconds
    return isBanned ? this.#rememberBan(request, latest) : exhausted
  }

  #rememberBan({ keyHash, nowSeconds }: CountedRequest, record: CountedKey): Decision {
    this.#banned.remember(keyHash, record, Math.min(nowSeconds + banMemorySeconds, record.bannedUntil))
    return decideAs('banned', record, nowSeconds)
  }

  /**
   * Decides about a request that could not be counted, because DynamoDB throttles the writes of the item. It throttles
   * reads separately, so the record still shows why a request is not admitted. A request that the record would allow is
   * `uncounted`.
   */
  async #decideByReading(request: CountedRequest): Promise<Decision> {
    const { nowSeconds } = request
    const record = await this.#counter.read(request)
    if (record === undefined) return { kind: 'invalid' }

    switch (judgeRecord(record, nowSeconds)) {
      case 'invalid':
        return { kind: 'invalid' }
      case 'banned':
        return this.#rememberBan(request, record)
      case 'exhausted':
        return decideAs('exhausted', record, nowSeconds)
      default:
        return decideAs('uncounted', record, nowSeconds)
    }
  }
}

/** Chooses the write that fits a record, by the verdict about the record. */
const chooseWrite = (verdict: Exclude<Verdict, 'invalid' | 'banned'>, record: CountedKey): CounterWrite => {
  switch (verdict) {
    case 'exhausted':
      return { kind: 'count refusal' }
    case 'windowExpired':
      return { kind: 'open windows', record }
    case 'countable':
      return { kind: 'count request' }
  }
}
