import type { KeyHash } from '../api-keys/api-key.ts'
import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import { type ItemKey, shardItem, shardItems, wholeRecord } from '../api-keys/shards.ts'
import { judge } from './verdict.ts'

/** How long what was seen of a shard is relied on, in milliseconds. */
const reliedOnFor = 1_000

interface Seen {
  readonly record: ApiKeyRecord
  /** Milliseconds. */
  readonly at: number
}

/**
 * What an instance knows of a key from the answers of its items: how many shards it has, and how far each is used. It
 * words answers and saves hopeless tries; only the items themselves let anyone in.
 */
export class KnownKey {
  readonly keyHash: KeyHash
  readonly #seen = new Map<number, Seen>()
  #refreshedAt = Number.NEGATIVE_INFINITY
  #refreshing: Promise<void> = Promise.resolve()

  constructor(keyHash: KeyHash) {
    this.keyHash = keyHash
  }

  /** All items that count this key's requests: the root alone, until its record tells of more. */
  get items(): readonly ItemKey[] {
    return shardItems(this.keyHash, this.seen(0)?.sharding)
  }

  get isSharded(): boolean {
    return this.seen(0)?.sharding !== undefined
  }

  item(index: number): ItemKey {
    return shardItem(this.keyHash, index)
  }

  seen(index: number): ApiKeyRecord | undefined {
    return this.#seen.get(index)?.record
  }

  /** Takes in what an item has just answered. */
  see(index: number, record: ApiKeyRecord, now: number): void {
    this.#seen.set(index, { record, at: now })
  }

  /** Takes in what was read without waiting for the latest write, unless an answer was ahead of it. */
  glimpse(index: number, record: ApiKeyRecord, now: number): void {
    const before = this.#seen.get(index)
    if (before !== undefined && now - before.at < reliedOnFor && isBehind(record, before.record)) return
    this.see(index, record, now)
  }

  /** The shard is none of this key's, or none any more. */
  overlook(index: number): void {
    this.#seen.delete(index)
  }

  /** The key as though one item counted it. `record` is what the request itself has just been told by one shard. */
  whole(index: number, record: ApiKeyRecord): ApiKeyRecord {
    const records = this.items.flatMap((_item, other) => (other === index ? record : (this.seen(other) ?? [])))
    const [root, ...others] = index === 0 || this.seen(0) !== undefined ? records : [record]
    return root === undefined ? record : wholeRecord(root, others)
  }

  /**
   * The shards that may take a request, but for those already tried. A shard of one key alone is always asked. Where
   * the root says that the key is not to be used, it alone; of a key that is banned just the shards that say so: the
   * others may not have heard of it.
   */
  open(tried: ReadonlyMap<number, unknown>, now: number): readonly number[] {
    const left = this.items.map((_item, index) => index).filter((index) => !tried.has(index))
    if (!this.isSharded) return left
    const root = this.seen(0)
    if (root !== undefined && judge(root, now).kind === 'invalid') return left.filter((index) => index === 0)
    const banned = left.filter((index) => (this.seen(index)?.bannedUntil ?? 0) * 1_000 > now)
    return banned.length === 0 ? left.filter((index) => !this.isExhausted(index, now)) : banned
  }

  /** Whether the shard was used up within the last second: windows only fill, until they pass. */
  isExhausted(index: number, now: number): boolean {
    const seen = this.#seen.get(index)
    return seen !== undefined && now - seen.at < reliedOnFor && judge(seen.record, now).kind === 'exhausted'
  }

  /** Reads the shards, at most once a second, and once for all requests that wait for it. */
  refresh(now: number, read: () => Promise<void>): Promise<void> {
    if (this.isSharded && now - this.#refreshedAt >= reliedOnFor) {
      this.#refreshedAt = now
      this.#refreshing = read()
    }
    return this.#refreshing
  }
}

/** In a window counts rise. */
const isBehind = (record: ApiKeyRecord, before: ApiKeyRecord): boolean => {
  if (record.dayWindow !== before.dayWindow) return record.dayWindow < before.dayWindow
  if (record.minuteWindow !== before.minuteWindow) return record.minuteWindow < before.minuteWindow
  return record.dayCount < before.dayCount
}
