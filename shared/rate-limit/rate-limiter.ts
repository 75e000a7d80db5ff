import type { KeyHash } from '../api-keys/api-key.ts'
import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import type { Clock } from '../clock.ts'
import { isThrottled } from '../dynamodb/store-errors.ts'
import { type BanPolicy, banSeconds } from './ban-policy.ts'
import type { RequestCounter } from './counter.ts'
import { bindingWindow, type Standing, standingOf, type WindowStanding } from './standing.ts'
import { judge } from './verdict.ts'

/** What becomes of a request. `now` (milliseconds) is the time at which it was decided. */
export type Admission =
  | { readonly kind: 'invalid' }
  | ({ readonly kind: 'admitted' } & Known)
  | ({ readonly kind: 'exhausted'; readonly retryAt: number } & Known)
  | ({ readonly kind: 'banned'; readonly retryAt: number } & Known)
  /** DynamoDB takes no more writes to this key's item at the moment. */
  | ({ readonly kind: 'throttled'; readonly retryAt: number } & Known)

interface Known {
  readonly record: ApiKeyRecord
  readonly standing: Standing
  /** The window that the answer's `X-RateLimit-*` headers show. */
  readonly shown: WindowStanding
  readonly now: number
}

/**
 * Authenticates, counts and limits the requests of a key, exactly, however many come at once. The usual
 * request costs one write, the first of a new window two.
 */
export class RateLimiter {
  readonly #counter: RequestCounter
  readonly #bans: BanPolicy
  readonly #clock: Clock

  constructor(counter: RequestCounter, bans: BanPolicy, clock: Clock) {
    this.#counter = counter
    this.#bans = bans
    this.#clock = clock
  }

  /** @throws Error when the store is away: without an answer from it nobody is let in. */
  async admit(keyHash: KeyHash): Promise<Admission> {
    try {
      return await this.#admit(keyHash)
    } catch (error) {
      if (!isThrottled(error)) throw error
      return this.#throttled(keyHash)
    }
  }

  async #admit(keyHash: KeyHash): Promise<Admission> {
    const now = this.#clock()
    let written = await this.#counter.count(keyHash, now)
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      if (written.done) return { kind: 'admitted', ...known(written.record, now) }
      if (written.record === undefined) return { kind: 'invalid' }
      const verdict = judge(written.record, now)
      switch (verdict.kind) {
        case 'invalid':
          return verdict
        case 'banned':
          return { kind: 'banned', ...heldUntil(verdict.until, known(written.record, now)) }
        case 'exhausted':
          return this.#refuse(keyHash, written.record, verdict.window, now)
        case 'passed':
          written = await this.#counter.rollOver(keyHash, written.record, verdict.windows, now)
          break
        case 'open':
          written = await this.#counter.count(keyHash, now)
      }
    }
    throw new Error('The record of an API key kept changing while a request was counted.')
  }

  async #refuse(keyHash: KeyHash, record: ApiKeyRecord, window: 'minute' | 'day', now: number): Promise<Admission> {
    const figures = known(record, now)
    const shown = figures.standing[window]
    let written = await this.#counter.refuse(keyHash, now)
    if (written.done && written.record.refusalCount >= this.#bans.refusalsBeforeBan) {
      const until = Math.ceil(now / 1_000) + banSeconds(this.#bans, written.record.banCount)
      written = await this.#counter.ban(keyHash, written.record, until)
    }
    // A ban is this request's, or that of another which came at the same time.
    const bannedUntil = written.record?.bannedUntil ?? 0
    return bannedUntil * 1_000 > now
      ? { kind: 'banned', ...heldUntil(bannedUntil, figures) }
      : { kind: 'exhausted', retryAt: shown.resetAt, ...figures, shown }
  }

  /** Reads are throttled apart from writes, so the figures can still be told. */
  async #throttled(keyHash: KeyHash): Promise<Admission> {
    const now = this.#clock()
    const record = await this.#counter.read(keyHash)
    if (record === undefined || judge(record, now).kind === 'invalid') return { kind: 'invalid' }
    return { kind: 'throttled', ...heldUntil(Math.ceil(now / 1_000) + 1, known(record, now)) }
  }
}

/** Of many requests at once that find a window passed, one opens the new one and the others count in it: two turns. */
const mostAttempts = 5

const known = (record: ApiKeyRecord, now: number): Known => {
  const standing = standingOf(record, now)
  return { record, standing, shown: bindingWindow(standing), now }
}

/** No window is used up, and yet nothing goes before `retryAt` (Unix seconds): the limit headers say so too. */
const heldUntil = (retryAt: number, figures: Known): Known & { readonly retryAt: number } => ({
  ...figures,
  retryAt,
  shown: { ...figures.shown, remaining: 0, resetAt: retryAt },
})
