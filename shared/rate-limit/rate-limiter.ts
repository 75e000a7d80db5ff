import type { KeyHash } from '../api-keys/api-key.ts'
import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import { shardItems } from '../api-keys/shards.ts'
import type { Clock } from '../clock.ts'
import { isStoreAway, isThrottled } from '../dynamodb/store-errors.ts'
import { type Admission, figures, heldFigures } from './admission.ts'
import { type Attempt, attempt, attemptByReading } from './attempt.ts'
import { type BanPolicy, banSeconds } from './ban-policy.ts'
import type { RequestCounter } from './counter.ts'
import type { KnownKey } from './known-key.ts'
import { levelDay } from './level-day.ts'
import { RecentKeys } from './recent-keys.ts'
import { bindingWindow, standingOf } from './standing.ts'

/** What a shard made of a request, and whether it takes writes at the moment. */
type Tried = Attempt & { readonly isWritable: boolean }

/**
 * Authenticates, counts and limits the requests of a key, exactly, however many come at once. The usual request costs
 * one write, the first of a new window two. A key has one item, or several shards, of which any may take a request;
 * it is refused when none does.
 */
export class RateLimiter {
  readonly #counter: RequestCounter
  readonly #bans: BanPolicy
  readonly #clock: Clock
  readonly #random: () => number
  readonly #keys = new RecentKeys()

  /** @param random draws among the shards of a key: from 0 up to, but not including, 1 */
  constructor(counter: RequestCounter, bans: BanPolicy, clock: Clock, random: () => number = Math.random) {
    this.#counter = counter
    this.#bans = bans
    this.#clock = clock
    this.#random = random
  }

  /** @throws Error when the store is away: without an answer from it nobody is let in. */
  async admit(keyHash: KeyHash): Promise<Admission> {
    const key = this.#keys.recall(keyHash)
    const now = this.#clock()
    const tried = new Map<number, Tried>()
    const next = () => nextShard(key, tried, now, this.#random)
    for (let index = next(); index !== undefined; index = next()) {
      const [answer] = await Promise.all([this.#attempt(key, index, now), this.#refresh(key, now)])
      tried.set(index, answer)
      if (answer.kind === 'invalid') {
        // Only the root's word is final: another shard may have been given up, or not be there yet.
        if (index === 0) {
          this.#keys.forget(keyHash)
          return { kind: 'invalid' }
        }
        key.overlook(index)
        continue
      }
      key.see(index, answer.record, now)
      // The root may just have told that there are shards.
      await this.#refresh(key, now)
      const whole = key.whole(index, answer.record)
      if (answer.kind === 'admitted') return { kind: 'admitted', ...figures(whole, now) }
      if (answer.kind === 'banned') return { kind: 'banned', ...heldFigures(whole, answer.record.bannedUntil, now) }
    }
    return this.#refuse(key, tried, now)
  }

  async #attempt(key: KnownKey, index: number, now: number): Promise<Tried> {
    const item = key.item(index)
    try {
      return { ...(await attempt(this.#counter, item, now)), isWritable: true }
    } catch (error) {
      if (!isThrottled(error)) throw error
      return { ...(await attemptByReading(this.#counter, item, key.seen(index), this.#clock())), isWritable: false }
    }
  }

  /** Reads the shards beside the write that counts, so that it takes no time. Without it the figures are older. */
  #refresh(key: KnownKey, now: number): Promise<void> {
    return key.refresh(now, async () => {
      const { items } = key
      try {
        const records = await this.#counter.readAll(items)
        for (const [index, item] of items.entries()) {
          const record = records.get(item)
          if (record !== undefined) key.glimpse(index, record, now)
        }
      } catch (error) {
        if (!isStoreAway(error)) throw error
      }
    })
  }

  async #refuse(key: KnownKey, tried: ReadonlyMap<number, Tried>, now: number): Promise<Admission> {
    const answer = tried.get(0)
    const root = answer === undefined || answer.kind === 'invalid' ? key.seen(0) : answer.record
    if (root === undefined) throw new Error('An API key was refused of which nothing is known.')
    const mayHaveRoom = key.open(tried, now).length > 0 || [...tried.values()].some(({ kind }) => kind === 'throttled')
    if (mayHaveRoom) {
      const later = this.#clock()
      return { kind: 'throttled', ...heldFigures(key.whole(0, root), Math.ceil(later / 1_000) + 1, later) }
    }
    const index = await levelDay(this.#counter, key, now)
    const again = index === undefined ? undefined : await this.#attempt(key, index, now)
    if (index !== undefined && again?.kind === 'admitted') {
      key.see(index, again.record, now)
      return { kind: 'admitted', ...figures(key.whole(index, again.record), now) }
    }
    const bannedUntil = answer?.isWritable === false ? 0 : await this.#countRefusal(key, now)
    const whole = key.whole(0, root)
    return bannedUntil * 1_000 > now
      ? { kind: 'banned', ...heldFigures(whole, bannedUntil, now) }
      : { kind: 'exhausted', ...exhaustedFigures(key, whole, now) }
  }

  /** Refusals are counted on the root. @returns until when the key is banned, in Unix seconds. */
  async #countRefusal(key: KnownKey, now: number): Promise<number> {
    try {
      let written = await this.#counter.refuse(key.keyHash, now)
      if (written.done && written.record.refusalCount >= this.#bans.refusalsBeforeBan) {
        const until = Math.ceil(now / 1_000) + banSeconds(this.#bans, written.record.banCount)
        written = await this.#counter.ban(key.keyHash, written.record, until)
        if (written.done) await this.#banShards(key.keyHash, written.record)
      }
      if (written.record !== undefined) key.see(0, written.record, now)
      // A ban is this request's, or that of another which came at the same time.
      return written.record?.bannedUntil ?? 0
    } catch (error) {
      if (!isThrottled(error)) throw error
      return 0
    }
  }

  /** The root is banned by now. A shard that does not learn it here is not asked by who has seen the root. */
  async #banShards(keyHash: KeyHash, { sharding, bannedUntil }: ApiKeyRecord): Promise<void> {
    const [, ...shards] = shardItems(keyHash, sharding)
    await Promise.allSettled(shards.map((item) => this.#counter.banShard(item, bannedUntil)))
  }
}

/** Of shards that take no writes no more are tried: each try takes time, and the caller waits. */
export const mostThrottled = 3

/** A shard that may take the request, drawn among those left so that all are used alike; `undefined` where none is. */
const nextShard = (
  key: KnownKey,
  tried: ReadonlyMap<number, Tried>,
  now: number,
  random: () => number,
): number | undefined => {
  const answers = [...tried.values()]
  if (!tried.has(0) && answers.some(({ kind }) => kind === 'invalid')) return 0
  if (answers.filter(({ isWritable }) => !isWritable).length >= mostThrottled) return undefined
  const open = key.open(tried, now)
  return open[Math.floor(random() * open.length)]
}

/** With clocks that differ the shards may be used up in different windows: the first that passes lets requests in. */
const exhaustedFigures = (key: KnownKey, whole: ApiKeyRecord, now: number) => {
  if (bindingWindow(standingOf(whole, now)).remaining === 0) return figures(whole, now)
  const resets = key.items.flatMap((_item, index) => {
    const record = key.seen(index)
    return record === undefined ? [] : bindingWindow(standingOf(record, now)).resetAt
  })
  return heldFigures(whole, Math.min(...resets), now)
}
