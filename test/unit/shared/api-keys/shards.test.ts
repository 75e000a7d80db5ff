import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { shardItem, shardsFor, shareOf, wholeRecord } from '../../../../shared/api-keys/shards.ts'
import { apiKeyRecord } from './records.ts'

describe('the shards of a key', () => {
  it.each([
    [1, 1],
    [30_000, 1],
    [30_001, 2],
    [120_000, 4],
    [3_000_000, 100],
    [1_000_000_000, 100],
  ])('for %i requests a minute are %i', (perMinute, count) => {
    expect(shardsFor({ perMinute, perDay: 10_000_000_000 })).toBe(count)
  })

  it('are no more than the limit of a day needs', () => {
    expect(shardsFor({ perMinute: 6_000_000, perDay: 20 })).toBe(1)
    expect(shardsFor({ perMinute: 40, perDay: 3 }, 1)).toBe(3)
  })

  it('have shares that add up to the limit and differ by one at most', () => {
    const limits = fc.integer({ min: 1, max: 1_000_000_000 })
    fc.assert(
      fc.property(limits, fc.integer({ min: 1, max: 100 }), (limit, count) => {
        const shares = Array.from({ length: count }, (_, index) => shareOf(limit, index, count))
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit)
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('are items of their own beside the key’s, which is the root', () => {
    const keyHash = hashApiKey('a key')
    expect([0, 1, 12].map((index) => shardItem(keyHash, index))).toEqual([keyHash, `${keyHash}#1`, `${keyHash}#12`])
  })
})

describe('a key as a whole', () => {
  const sharding = { count: 3, minuteLimit: 90, dayLimit: 900 }

  it('is its own record where there are no shards', () => {
    const record = apiKeyRecord()
    expect(wholeRecord(record, [])).toBe(record)
  })

  it('has the whole limits, and what its items have counted in the latest windows', () => {
    const root = apiKeyRecord({
      sharding,
      minuteLimit: 30,
      minuteWindow: 7,
      minuteCount: 5,
      dayWindow: 2,
      dayCount: 50,
    })
    const ahead = { ...root, minuteWindow: 8, minuteCount: 3, dayCount: 60 }
    const other = { ...root, minuteWindow: 8, minuteCount: 4, dayCount: 70 }
    expect(wholeRecord(root, [ahead, other])).toMatchObject({
      minuteLimit: 90,
      dayLimit: 900,
      minuteWindow: 8,
      minuteCount: 7,
      dayWindow: 2,
      dayCount: 180,
    })
  })
})
