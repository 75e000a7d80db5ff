import type { KeyHash } from '../api-keys/api-key.ts'
import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import type { Clock } from '../clock.ts'
import { isThrottled } from '../dynamodb/store-errors.ts'
import { type Admission, blockedSnapshot, judge, snapshotOf } from './admission.ts'
import type { RequestCounter } from './request-counter.ts'

/** When requests that continue after a 429 lead to a ban, and how long it lasts. */
export interface BanPolicy {
  /** So many refusals ban the key. The first request that is admitted in a new window sets their count to zero. */
  readonly refusalsBeforeBan: number
  /** How long the first ban of a UTC day lasts, in seconds. Each further one lasts twice as long. */
  readonly firstBanSeconds: number
  readonly longestBanSeconds: number
}

/** The seconds of a ban that follows `earlierBans` others of the same UTC day. */
export const banSeconds = (policy: BanPolicy, earlierBans: number): number =>
  Math.min(policy.longestBanSeconds, policy.firstBanSeconds * 2 ** earlierBans)

/**
 * Authenticates, counts and limits the requests of a key, exactly, under any concurrency. The usual request costs one
 * write, and so does one over a limit; the first of a new window and the first over a limit cost two.
 */
export class RateLimiter {
  readonly #counter: RequestCounter
  readonly #bans: BanPolicy
  readonly #clock: Clock
  /**
   * Until when keys are over a limit (Unix seconds), as far as this instance knows. It only decides which write comes
   * first; the table decides the outcome. It has only keys that exist.
   */
  readonly #exhausted = new Map<KeyHash, number>()

  constructor(counter: RequestCounter, bans: BanPolicy, clock: Clock) {
    this.#counter = counter
    this.#bans = bans
    this.#clock = clock
  }

  /** @throws Error when DynamoDB is unavailable: a request that was not counted is never admitted. */
  async admit(keyHash: KeyHash): Promise<Admission> {
    try {
      return await this.#count(keyHash, this.#clock())
    } catch (error) {
      if (!isThrottled(error)) throw error
      return this.#decideByReading(keyHash, this.#clock())
    }
  }

  async #count(keyHash: KeyHash, now: number): Promise<Admission> {
    let isOverLimit = (this.#exhausted.get(keyHash) ?? 0) * 1_000 > now
    let written = isOverLimit ? await this.#counter.refuse(keyHash, now) : await this.#counter.count(keyHash, now)
    for (let turn = 0; turn < maximumTurns; turn += 1) {
      const { done, record } = written
      if (record === undefined) return { kind: 'invalid' }
      if (done && isOverLimit) return this.#refused(keyHash, record, now)
      this.#exhausted.delete(keyHash)
      if (done) return { kind: 'admitted', ...snapshotOf(record, now) }
      const verdict = judge(record, now)
      if (verdict === 'invalid') return { kind: 'invalid' }
      if (verdict === 'banned') return { kind: 'banned', ...blockedSnapshot(record, record.bannedUntil, now) }
      isOverLimit = verdict === 'exhausted'
      if (isOverLimit) written = await this.#counter.refuse(keyHash, now)
      else if (verdict === 'windowExpired') written = await this.#counter.rollOver(keyHash, record, now)
      else written = await this.#counter.count(keyHash, now)
    }
    throw new Error('The record of an API key kept changing while a request was counted.')
  }

  /** The refusal that reaches the threshold bans the key. */
  async #refused(keyHash: KeyHash, record: ApiKeyRecord, now: number): Promise<Admission> {
    const exhausted = { kind: 'exhausted', ...snapshotOf(record, now) } as const
    this.#exhausted.set(keyHash, exhausted.bindingWindow.resetAt)
    if (record.refusalCount < this.#bans.refusalsBeforeBan) return exhausted
    const until = Math.ceil(now / 1_000) + banSeconds(this.#bans, record.banCount)
    const banned = await this.#counter.ban(keyHash, record, until, now)
    // This request banned the key, or a concurrent one did.
    const bannedUntil = banned.record?.bannedUntil ?? 0
    return bannedUntil * 1_000 > now ? { kind: 'banned', ...blockedSnapshot(record, bannedUntil, now) } : exhausted
  }

  /** DynamoDB throttles the writes of an item apart from its reads, so the record still shows which requests to refuse. */
  async #decideByReading(keyHash: KeyHash, now: number): Promise<Admission> {
    const record = await this.#counter.read(keyHash)
    if (record === undefined) return { kind: 'invalid' }
    const kind = judge(record, now)
    if (kind === 'invalid') return { kind }
    if (kind === 'banned') return { kind, ...blockedSnapshot(record, record.bannedUntil, now) }
    if (kind === 'exhausted') return { kind, ...snapshotOf(record, now) }
    return { kind: 'throttled', ...blockedSnapshot(record, Math.ceil(now / 1_000) + 1, now) }
  }
}

/** When many requests find an expired window at once, one opens the new one and the others count in it: two turns. */
const maximumTurns = 5
