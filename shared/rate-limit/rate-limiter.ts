import type { KeyHash } from '../api-keys/api-key.ts'
import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import type { Clock } from '../clock.ts'
import { isThrottled } from '../dynamodb/store-errors.ts'
import { type Admission, blockUntil, judgeRecord, takeLimitSnapshot, type Verdict } from './admission.ts'
import { KeyMemory } from './key-memory.ts'
import type { RequestCounter, WriteOutcome } from './request-counter.ts'

/** When requests that continue after a 429 lead to a ban, and how long it lasts. */
export interface BanPolicy {
  /** So many refusals ban the key. The first request that is admitted in a new window sets their count to zero. */
  readonly refusalsBeforeBan: number
  /** How long the first ban of a UTC day lasts, in seconds. Each further one lasts twice as long. */
  readonly firstBanSeconds: number
  readonly longestBanSeconds: number
}

/** The seconds of a ban that follows `earlierBans` others of the same UTC day. */
export const computeBanSeconds = (policy: BanPolicy, earlierBans: number): number =>
  Math.min(policy.longestBanSeconds, policy.firstBanSeconds * 2 ** earlierBans)

/**
 * Authenticates, counts and limits the requests of a key, exactly, under any concurrency. The usual request costs one
 * write, and so does one over a limit; the first of a new window and the first over a limit cost two. One that is
 * refused for a ban costs one every two seconds in each instance.
 */
export class RateLimiter {
  readonly #counter: RequestCounter
  readonly #bans: BanPolicy
  readonly #clock: Clock
  /** Keys that exhausted a window: it decides which write comes first, and the table decides the outcome. */
  readonly #exhausted = new KeyMemory<true>()
  readonly #banned = new KeyMemory<ApiKeyRecord>()

  constructor(counter: RequestCounter, bans: BanPolicy, clock: Clock) {
    this.#counter = counter
    this.#bans = bans
    this.#clock = clock
  }

  /** @throws Error when DynamoDB is unavailable: a request that was not counted is never admitted. */
  async admit(keyHash: KeyHash): Promise<Admission> {
    const now = this.#clock()
    const banned = this.#banned.recall(keyHash, now)
    if (banned !== undefined) return blockUntil('banned', banned, banned.bannedUntil, now)
    try {
      return await this.#decide(keyHash, now)
    } catch (error) {
      if (!isThrottled(error)) throw error
      return this.#decideByReading(keyHash, this.#clock())
    }
  }

  /** Makes the write that the record asks for, until one succeeds or the record forbids them all. */
  async #decide(keyHash: KeyHash, now: number): Promise<Admission> {
    let verdict: Exclude<Verdict, 'invalid' | 'banned'> = this.#exhausted.recall(keyHash, now) ? 'exhausted' : 'usable'
    let latest: ApiKeyRecord | undefined
    for (let turn = 0; turn < maximumTurns; turn += 1) {
      const { done, record } = await this.#write(verdict, keyHash, latest, now)
      if (record === undefined) return { kind: 'invalid' }
      if (done && verdict === 'exhausted') return this.#refused(keyHash, record, now)
      this.#exhausted.forget(keyHash)
      if (done) return { kind: 'admitted', ...takeLimitSnapshot(record, now) }
      const next = judgeRecord(record, now)
      if (next === 'invalid') return { kind: 'invalid' }
      if (next === 'banned') return this.#refusedForBan(keyHash, record, now)
      verdict = next
      latest = record
    }
    throw new Error('The record of an API key kept changing while a request was counted.')
  }

  #write(verdict: Verdict, keyHash: KeyHash, latest: ApiKeyRecord | undefined, now: number): Promise<WriteOutcome> {
    if (verdict === 'exhausted') return this.#counter.refuse(keyHash, now)
    if (verdict === 'windowExpired' && latest !== undefined) return this.#counter.rollOver(keyHash, latest, now)
    return this.#counter.count(keyHash, now)
  }

  /** The refusal that reaches the threshold bans the key. */
  async #refused(keyHash: KeyHash, record: ApiKeyRecord, now: number): Promise<Admission> {
    const exhausted = { kind: 'exhausted', ...takeLimitSnapshot(record, now) } as const
    this.#exhausted.remember(keyHash, true, exhausted.bindingWindow.resetAt * 1_000)
    if (record.refusalCount < this.#bans.refusalsBeforeBan) return exhausted
    const until = Math.ceil(now / 1_000) + computeBanSeconds(this.#bans, record.banCount)
    // Lambda may have frozen this instance since the refusal. A ban that is over would only make the next one longer.
    if (until * 1_000 <= this.#clock()) return exhausted
    const banned = (await this.#counter.ban(keyHash, record, until, now)).record
    // This request banned the key, or a concurrent one did.
    return banned !== undefined && banned.bannedUntil * 1_000 > now
      ? this.#refusedForBan(keyHash, banned, now)
      : exhausted
  }

  #refusedForBan(keyHash: KeyHash, record: ApiKeyRecord, now: number): Admission {
    this.#banned.remember(keyHash, record, Math.min(now + banMemoryMilliseconds, record.bannedUntil * 1_000))
    return blockUntil('banned', record, record.bannedUntil, now)
  }

  /** DynamoDB throttles the writes of an item apart from its reads, so the record still shows which requests to refuse. */
  async #decideByReading(keyHash: KeyHash, now: number): Promise<Admission> {
    const record = await this.#counter.read(keyHash)
    if (record === undefined) return { kind: 'invalid' }
    const verdict = judgeRecord(record, now)
    if (verdict === 'invalid') return { kind: 'invalid' }
    if (verdict === 'banned') return this.#refusedForBan(keyHash, record, now)
    if (verdict === 'exhausted') return { kind: 'exhausted', ...takeLimitSnapshot(record, now) }
    return blockUntil('throttled', record, Math.ceil(now / 1_000) + 1, now)
  }
}

/** When many requests find an expired window at once, one opens the new one and the others count in it: two turns. */
const maximumTurns = 5

/** A ban is refused without a call for so long. An operator who ends it waits no longer than this. */
const banMemoryMilliseconds = 2_000
