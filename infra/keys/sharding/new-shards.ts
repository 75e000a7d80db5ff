import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import { shareOf } from '../../../shared/api-keys/shards.ts'

/** The records of a new key's items, the root first: each is the key's own with its share of both limits. */
export const newShards = (record: ApiKeyRecord, count: number): readonly [ApiKeyRecord, ...ApiKeyRecord[]] => {
  const { minuteLimit, dayLimit } = record
  const shardAt = (index: number): ApiKeyRecord => ({
    ...record,
    sharding: { count, minuteLimit, dayLimit },
    minuteLimit: shareOf(minuteLimit, index, count),
    dayLimit: shareOf(dayLimit, index, count),
  })
  if (count === 1) return [record]
  return [shardAt(0), ...Array.from({ length: count - 1 }, (_, before) => shardAt(before + 1))]
}
