import type { KeyHash } from './api-key.ts'
import type { ApiKeyRecord, Sharding } from './api-key-record.ts'
import type { Allowance } from './plans.ts'

declare const shardKey: unique symbol
type ShardKey = string & { readonly [shardKey]: true }

/** The partition key of an item that counts requests: the key's own, which is the root, or a further shard. */
export type ItemKey = KeyHash | ShardKey

/**
 * The requests a minute that one item counts: 500 a second. It takes 1,000 writes a second ("Best practices for
 * designing and using partition keys effectively"); the other half is for requests that come unevenly.
 */
export const requestsPerShard = 30_000

/** As many as one BatchGetItem reads, for 100,000 requests a second at most. */
export const mostShards = 100

/** How many items count the requests of a key. No minute has more than the day allows, and no share is 0. */
export const shardsFor = ({ perMinute, perDay }: Allowance, perShard: number = requestsPerShard): number =>
  Math.min(mostShards, Math.max(1, Math.ceil(Math.min(perMinute, perDay) / perShard)))

/** The root, shard 0, is the key's own item. */
export const shardItem = (keyHash: KeyHash, index: number): ItemKey =>
  // A brand: nothing but this function makes the key of a shard.
  index === 0 ? keyHash : (`${keyHash}#${index}` as ShardKey)

/** The items that count a key's requests; one where there is no sharding. */
export const shardItems = (keyHash: KeyHash, sharding: Sharding | undefined): readonly ItemKey[] =>
  Array.from({ length: sharding?.count ?? 1 }, (_, index) => shardItem(keyHash, index))

/** A shard's part of a limit. The parts of all `count` shards add up to it, and differ by one at most. */
export const shareOf = (limit: number, index: number, count: number): number =>
  Math.floor(limit / count) + (index < limit % count ? 1 : 0)

/**
 * A key as though one item counted it: the root with the whole limits and the sums of the counts in the latest windows
 * that any of its items has opened. An item that is not among `others` counts as untouched.
 */
export const wholeRecord = (root: ApiKeyRecord, others: Iterable<ApiKeyRecord>): ApiKeyRecord => {
  if (root.sharding === undefined) return root
  const items = [root, ...others]
  const minuteWindow = Math.max(...items.map((item) => item.minuteWindow))
  const dayWindow = Math.max(...items.map((item) => item.dayWindow))
  return {
    ...root,
    minuteLimit: root.sharding.minuteLimit,
    dayLimit: root.sharding.dayLimit,
    minuteWindow,
    minuteCount: sum(items.map((item) => (item.minuteWindow === minuteWindow ? item.minuteCount : 0))),
    dayWindow,
    dayCount: sum(items.map((item) => (item.dayWindow === dayWindow ? item.dayCount : 0))),
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0)
