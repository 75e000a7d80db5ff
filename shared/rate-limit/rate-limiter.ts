import type { KeyHash } from '../api-keys/api-key.ts'
import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import type { Clock } from '../clock.ts'
import { isThrottled } from '../dynamodb/store-errors.ts'
import { type BanPolicy, banSeconds } from './ban-policy.ts'
import type { RequestCounter } from './counter.ts'
import { RecentRecords } from './recent-records.ts'
import { bindingWindow, heldUntil, type Standing, standingOf, type WindowStanding } from './standing.ts'
import { judge } from './verdict.ts'

/** What becomes of a request. `now` (milliseconds) is the time at which it was decided. */
export type Admission =
  | { readonly kind: 'invalid' }
  | ({ readonly kind: 'admitted' | 'exhausted' | 'banned' } & Figures)
  /** DynamoDB takes no more writes to this key's item at the moment. */
  | ({ readonly kind: 'throttled' } & Figures)

interface Figures {
  readonly record: ApiKeyRecord
  readonly standing: Standing
  /** The window that the answer shows. A refused request goes through after its `resetAt`, not before. */
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
  readonly #recent = new RecentRecords()

  constructor(counter: RequestCounter, bans: BanPolicy, clock: Clock) {
    this.#counter = counter
    this.#bans = bans
    this.#clock = clock
  }

  /** @throws Error when the store is away: without an answer from it nobody is let in. */
  async admit(keyHash: KeyHash): Promise<Admission> {
    try {
      const admission = await this.#admit(keyHash)
      if (admission.kind !== 'invalid') this.#recent.remember(keyHash, admission.record)
      return admission
    } catch (error) {
      if (!isThrottled(error)) throw error
      return this.#throttled(keyHash)
    }
  }

  async #admit(keyHash: KeyHash): Promise<Admission> {
    const now = this.#clock()
    let written = await this.#counter.count(keyHash, now)
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      if (written.done) return { kind: 'admitted', ...figures(written.record, now) }
      if (written.record === undefined) return { kind: 'invalid' }
      const verdict = judge(written.record, now)
      switch (verdict.kind) {
        case 'invalid':
          return verdict
        case 'banned':
          return { kind: 'banned', ...heldFigures(written.record, verdict.until, now) }
        case 'exhausted':
          return this.#refuse(keyHash, written.record, now)
        case 'passed':
          written = await this.#counter.rollOver(keyHash, written.record, verdict.windows, now)
          break
        case 'open':
          written = await this.#counter.count(keyHash, now)
      }
    }
    throw new Error('The record of an API key kept changing while a request was counted.')
  }

  async #refuse(keyHash: KeyHash, record: ApiKeyRecord, now: number): Promise<Admission> {
    let written = await this.#counter.refuse(keyHash, now)
    if (written.done && written.record.refusalCount >= this.#bans.refusalsBeforeBan) {
      const until = Math.ceil(now / 1_000) + banSeconds(this.#bans, written.record.banCount)
      written = await this.#counter.ban(keyHash, written.record, until)
    }
    // A ban is this request's, or that of another which came at the same time.
    const bannedUntil = written.record?.bannedUntil ?? 0
    return bannedUntil * 1_000 > now
      ? { kind: 'banned', ...heldFigures(record, bannedUntil, now) }
      : { kind: 'exhausted', ...figures(record, now) }
  }

  async #throttled(keyHash: KeyHash): Promise<Admission> {
    const now = this.#clock()
    const record = await this.#read(keyHash)
    if (record === undefined) return { kind: 'invalid' }
    const verdict = judge(record, now)
    switch (verdict.kind) {
      case 'invalid':
        return verdict
      case 'banned':
        return { kind: 'banned', ...heldFigures(record, verdict.until, now) }
      case 'exhausted':
        return { kind: 'exhausted', ...figures(record, now) }
      case 'passed':
      case 'open':
        return { kind: 'throttled', ...heldFigures(record, Math.ceil(now / 1_000) + 1, now) }
    }
  }

  /** Reads are throttled apart from writes. Where they are too, the figures are those that were seen last. */
  async #read(keyHash: KeyHash): Promise<ApiKeyRecord | undefined> {
    try {
      return await this.#counter.read(keyHash)
    } catch (error) {
      const seen = this.#recent.recall(keyHash)
      if (!isThrottled(error) || seen === undefined) throw error
      return seen
    }
  }
}

/** Of many requests at once that find a window passed, one opens the new one and the others count in it: two turns. */
const mostAttempts = 5

const figures = (record: ApiKeyRecord, now: number): Figures => {
  const standing = standingOf(record, now)
  return { record, standing, shown: bindingWindow(standing), now }
}

/** No window need be used up, and yet nothing goes through before `moment` (Unix seconds): the figures say so. */
const heldFigures = (record: ApiKeyRecord, moment: number, now: number): Figures => {
  const standing = heldUntil(moment, standingOf(record, now))
  return { record, standing, shown: bindingWindow(standing), now }
}
