import type { KeyHash } from '../api-keys/api-key.ts'
import type { Clock } from '../clock.ts'
import { isThrottled } from '../dynamodb/store-errors.ts'
import type { CountedKey } from './counted-key.ts'
import { blockUntil, type Decision, judgeRecord, takeLimitSnapshot, type Verdict } from './decision.ts'
import { KeyMemory } from './key-memory.ts'
import type { RequestCounter, WriteOutcome } from './request-counter.ts'

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
  | { readonly kind: 'roll over'; readonly record: CountedKey }

/**
 * The most writes for one request. Usually two suffice: when many requests find an expired window at once, one opens
 * the new window and the others count in it.
 */
const maximumWrites = 5

/**
 * Time for which an instance refuses the requests of a banned key without calling DynamoDB. A ban that an operator ends
 * lasts no longer than this.
 */
const banMemoryMilliseconds = 2_000

/**
 * Authenticates, counts and limits the requests of a key, exactly, under any concurrency.
 *
 * - A usual request costs one write, and so does a request over a limit.
 * - The first request of a new window and the first request over a limit cost two.
 * - The requests of a banned key cost one write every two seconds in each instance.
 *
 * @example
 * const limiter = new RateLimiter(new RequestCounter(client, table), bans, systemClock)
 * const decision = await limiter.decide(hashApiKey(apiKey))
 */
export class RateLimiter {
  readonly #counter: RequestCounter
  readonly #bans: BanPolicy
  readonly #clock: Clock
  /** Keys that exhausted a window. Only a hint for which write to try first; the write decides. */
  readonly #exhausted = new KeyMemory<true>()
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
   * @throws Error if DynamoDB is unavailable: a request that was not counted is not admitted
   */
  async decide(keyHash: KeyHash): Promise<Decision> {
    const now = this.#clock()
    const banned = this.#banned.recall(keyHash, now)
    if (banned !== undefined) return blockUntil('banned', banned, banned.bannedUntil, now)

    try {
      return await this.#decideByWriting(keyHash, now)
    } catch (error) {
      if (!isThrottled(error)) throw error
      return this.#decideByReading(keyHash, this.#clock())
    }
  }

  /** Tries the write that fits the latest known record, until a write succeeds or the record allows none. */
  async #decideByWriting(keyHash: KeyHash, now: number): Promise<Decision> {
    let write: CounterWrite = { kind: this.#exhausted.recall(keyHash, now) ? 'count refusal' : 'count request' }

    for (let writes = 0; writes < maximumWrites; writes += 1) {
      const { done, record } = await this.#perform(write, keyHash, now)
      if (record === undefined) return { kind: 'invalid' }
      if (done) return this.#decideAfterWrite(write, keyHash, record, now)

      this.#exhausted.forget(keyHash)
      const verdict = judgeRecord(record, now)
      if (verdict === 'invalid') return { kind: 'invalid' }
      if (verdict === 'banned') return this.#blockForBan(keyHash, record, now)
      write = chooseWrite(verdict, record)
    }
    throw new Error(`The record of the API key with the hash ${keyHash} kept changing while a request was counted.`)
  }

  #perform(write: CounterWrite, keyHash: KeyHash, now: number): Promise<WriteOutcome> {
    switch (write.kind) {
      case 'count request':
        return this.#counter.count(keyHash, now)
      case 'count refusal':
        return this.#counter.countRefusal(keyHash, now)
      case 'roll over':
        return this.#counter.rollOver(keyHash, write.record, now)
    }
  }

  /** Decides about a request whose write has succeeded. `record` is the record after the write. */
  async #decideAfterWrite(write: CounterWrite, keyHash: KeyHash, record: CountedKey, now: number): Promise<Decision> {
    if (write.kind === 'count refusal') return this.#decideAfterRefusal(keyHash, record, now)
    this.#exhausted.forget(keyHash)
    return { kind: 'admitted', ...takeLimitSnapshot(record, now) }
  }

  /**
   * Decides about a request over a limit, whose refusal has been counted. The refusal that reaches the threshold bans
   * the key.
   */
  async #decideAfterRefusal(keyHash: KeyHash, record: CountedKey, now: number): Promise<Decision> {
    const exhausted = { kind: 'exhausted', ...takeLimitSnapshot(record, now) } as const
    this.#exhausted.remember(keyHash, true, exhausted.bindingWindow.resetAt * 1_000)
    if (record.refusalCount < this.#bans.refusalsBeforeBan) return exhausted

    const until = Math.ceil(now / 1_000) + computeBanSeconds(this.#bans, record.banCount)
    // Lambda may have frozen this instance since the refusal. A ban that is already over would block nothing, and would
    // make the next ban longer.
    if (until * 1_000 <= this.#clock()) return exhausted

    const { record: latest } = await this.#counter.ban(keyHash, record, until, now)
    // Either this request banned the key, or a concurrent one did.
    const isBanned = latest !== undefined && latest.bannedUntil * 1_000 > now
    return isBanned ? this.#blockForBan(keyHash, latest, now) : exhausted
  }

  #blockForBan(keyHash: KeyHash, record: CountedKey, now: number): Decision {
    this.#banned.remember(keyHash, record, Math.min(now + banMemoryMilliseconds, record.bannedUntil * 1_000))
    return blockUntil('banned', record, record.bannedUntil, now)
  }

  /**
   * Decides about a request that could not be counted, because DynamoDB throttles the writes of the item. It throttles
   * reads separately, so the record still shows why a request is not admitted. A request that the record would allow is
   * `throttled`.
   */
  async #decideByReading(keyHash: KeyHash, now: number): Promise<Decision> {
    const record = await this.#counter.read(keyHash)
    if (record === undefined) return { kind: 'invalid' }

    switch (judgeRecord(record, now)) {
      case 'invalid':
        return { kind: 'invalid' }
      case 'banned':
        return this.#blockForBan(keyHash, record, now)
      case 'exhausted':
        return { kind: 'exhausted', ...takeLimitSnapshot(record, now) }
      default:
        return blockUntil('throttled', record, Math.ceil(now / 1_000) + 1, now)
    }
  }
}

/** Chooses the write that fits a record, by the verdict about the record. */
const chooseWrite = (verdict: Exclude<Verdict, 'invalid' | 'banned'>, record: CountedKey): CounterWrite => {
  switch (verdict) {
    case 'exhausted':
      return { kind: 'count refusal' }
    case 'windowExpired':
      return { kind: 'roll over', record }
    case 'windowOpen':
      return { kind: 'count request' }
  }
}
