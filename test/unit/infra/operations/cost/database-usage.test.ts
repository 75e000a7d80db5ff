import { describe, expect, it } from 'vitest'
import { databaseUsage, gigabyte, rollOverShare } from '../../../../../infra/operations/cost/database-usage.ts'
import { itemSize, sizes } from '../../../../../infra/operations/cost/item-sizes.ts'
import { creations, workload } from './workloads.ts'

const writesEach = (change: Parameters<typeof workload>[0]): number =>
  databaseUsage(workload(change)).writeUnits / 1_000_000

const readsEach = (change: Parameters<typeof workload>[0]): number =>
  databaseUsage(workload(change)).readUnits / 1_000_000

const only = (kind: 'list' | 'get' | 'refused' | 'unauthorized') => ({ ...creations, create: 0, [kind]: 1 })

describe('the write units of a request', () => {
  it('are one to count it', () => {
    expect(writesEach({})).toBeCloseTo(1, 6)
  })

  it('are two when it is the first of its minute: the write that was refused is charged too', () => {
    // 1 request a minute and key: 1 - 1/e of the minutes have one.
    expect(rollOverShare(workload({ requests: 43_800, keys: 1 }))).toBeCloseTo(0.632121, 6)
    expect(writesEach({ keys: 1e6 })).toBeCloseTo(2, 4)
  })

  it('are one when it is over a limit: its refusal is counted', () => {
    expect(writesEach({ mix: only('refused') })).toBe(1)
  })

  it('are none without a well-formed key, and one with a key that does not exist', () => {
    expect(writesEach({ mix: only('unauthorized') })).toBe(0)
    expect(writesEach({ mix: only('unauthorized'), unknownKeys: 1 })).toBe(1)
  })

  it('of a key do not depend on how many requests come without one', () => {
    const half = { ...only('get'), get: 0.5, unauthorized: 0.5 }
    expect(rollOverShare(workload({ requests: 87_600, keys: 1, mix: half }))).toBeCloseTo(0.632121, 6)
  })

  it('are three to create a pet, in the table and in the status index, and four with an Idempotency-Key', () => {
    expect(writesEach({ mix: creations })).toBeCloseTo(3, 6)
    expect(writesEach({ mix: creations, idempotent: 1 })).toBeCloseTo(4, 6)
  })
})

describe('the read units of a request', () => {
  it('are one to get a pet as of the latest write', () => {
    expect(readsEach({ mix: only('get') })).toBe(1)
  })

  it('are half of one for each 4 KB of a list, of one status or of all three', () => {
    expect(readsEach({ mix: only('list') })).toBe(0.5)
    expect(readsEach({ mix: only('list'), unfiltered: 1 })).toBe(1.5)
    // 101 pets of 96 bytes are 9.5 KB.
    expect(readsEach({ mix: only('list'), page: 100 })).toBe(1.5)
  })

  it('are none for a creation or a refusal', () => {
    expect(readsEach({ mix: only('unauthorized'), unknownKeys: 1 })).toBe(0)
    expect(readsEach({ mix: creations })).toBe(0)
    expect(readsEach({ mix: only('refused') })).toBe(0)
  })
})

describe('what is stored', () => {
  it('is each pet twice, with a hundred bytes that DynamoDB adds', () => {
    const { storage, recoverable } = databaseUsage(workload({ pets: 1e6 }))
    expect(storage * gigabyte).toBeCloseTo(2e6 * (sizes.pet + 100), 0)
    expect(recoverable * gigabyte).toBeCloseTo(1e6 * (sizes.pet + 100), 0)
  })

  it('is half of the pets that the month adds, and the reservations of a day', () => {
    const { storage } = databaseUsage(workload({ mix: creations, idempotent: 1, requests: 730_000 }))
    const petBytes = 365_000 * 2 * (sizes.pet + 100)
    // 24,000 creations a day.
    expect(storage * gigabyte).toBeCloseTo(petBytes + 24_000 * (sizes.reservation + 100), 0)
  })
})

describe('the size of an item', () => {
  it('is that of its names and values, as AWS counts them', () => {
    expect(itemSize({ name: 'Zoë' })).toBe(4 + 4)
    expect(itemSize({ id: 12_345n })).toBe(2 + 3 + 1)
    expect(itemSize({ id: 12_000n })).toBe(2 + 1 + 1)
    expect(itemSize({ id: -5n, none: undefined })).toBe(2 + 1 + 1 + 1)
    expect(itemSize({ id: 0 })).toBe(2 + 1)
  })

  it('leaves each write of the service at one unit, of 1 KB', () => {
    for (const size of [sizes.pet, sizes.apiKey, sizes.apiKeyInIndex, sizes.reservation]) {
      expect(size).toBeGreaterThan(50)
      expect(size).toBeLessThan(1_024)
    }
  })
})
