import { describe, expect, it } from 'vitest'
import type { Workload } from '../../../../../infra/operations/cost/cost-command.ts'
import { gigabyte, rollOverShare } from '../../../../../infra/operations/cost/database-usage.ts'
import { charge, estimate, type Usage, usageOf } from '../../../../../infra/operations/cost/estimate.ts'
import type { Inventory } from '../../../../../infra/operations/cost/inventory.ts'
import { itemSize, sizes } from '../../../../../infra/operations/cost/item-sizes.ts'
import { prices } from '../../../../../infra/operations/cost/prices.ts'
import { inventory, workload } from './workloads.ts'

const only = (kind: keyof Workload['mix']): Pick<Workload, 'mix'> => ({
  mix: { list: 0, get: 0, create: 0, refused: 0, unauthorized: 0, [kind]: 1 },
})
const logging = { hasAccessLog: true, logDays: 365 }
const gigabytesOf = (bytes: number): number => bytes / gigabyte
const pets = (count: number): number => gigabytesOf(count * (sizes.pet + 100))

/** Of a million requests that are half lists of one status, half reads, with what is said of them. */
it.each<[string, Partial<Workload>, Partial<Inventory>, Partial<Usage>]>([
  ['are each counted by one write', {}, {}, { gatewayRequests: 1e6, writeUnits: 1e6 }],
  // (10 ms + 30 ms) x 1 GB x a million.
  ['run two functions each', {}, {}, { lambdaRequests: 2e6, lambdaDuration: 40_000 }],
  ['run in less memory', {}, { functionMegabytes: 512 }, { lambdaDuration: 20_000 }],
  [
    'begin the minutes of their keys: the write that was refused is charged too',
    { keys: 1e12 },
    {},
    { writeUnits: 2e6 },
  ],
  ['get a pet as of the latest write', only('get'), {}, { readUnits: 1e6 }],
  ['list one status', only('list'), {}, { readUnits: 0.5e6 }],
  ['list all three', { ...only('list'), unfiltered: 1 }, {}, { readUnits: 1.5e6 }],
  // 101 pets of 96 bytes are 9.5 KB.
  ['list large pages', { ...only('list'), page: 100 }, {}, { readUnits: 1.5e6 }],
  ['create, in the table and in the index', only('create'), {}, { writeUnits: 3e6, readUnits: 0 }],
  ['create with an Idempotency-Key', { ...only('create'), idempotent: 1 }, {}, { writeUnits: 4e6 }],
  ['are over a limit', only('refused'), logging, { writeUnits: 1e6, readUnits: 0, logIngestion: gigabytesOf(480e6) }],
  [
    'get an error',
    only('refused'),
    {},
    { lambdaRequests: 2e6, lambdaDuration: 40_000, transferOut: gigabytesOf(1_400e6) },
  ],
  [
    'have no key',
    only('unauthorized'),
    {},
    { lambdaRequests: 1e6, lambdaDuration: 10_000, writeUnits: 0, readUnits: 0 },
  ],
  ['have an unknown key', { ...only('unauthorized'), unknownKeys: 1 }, {}, { writeUnits: 1e6, readUnits: 0 }],
  ['fail in the authorizer', only('unauthorized'), logging, { logIngestion: gigabytesOf((480 + 1_400) * 1e6) }],
  ['are not traced, logged or inspected', {}, {}, { traces: 0, logIngestion: 0, firewallRequests: 0 }],
  ['are traced, as any caller can demand', {}, { isTraced: true }, { traces: 1e6 }],
  ['are inspected', {}, { firewallLists: 1, firewallRules: 2 }, { firewallRequests: 1e6, firewallRules: 2 }],
  // 15 % of what is written, for twelve months of 730 hours.
  ['are kept in the log, compressed', {}, logging, { logStorage: gigabytesOf(480e6 * 0.15 * 12) }],
  ['find each pet twice', { pets: 1e6 }, {}, { tableStorage: pets(2e6), recoveryStorage: 0 }],
  ['find tables that can be restored', { pets: 1e6 }, { hasPointInTimeRecovery: true }, { recoveryStorage: pets(1e6) }],
  // Half of the pets of the month, and the reservations of a day.
  [
    'store pets and reservations',
    { ...only('create'), idempotent: 1, requests: 730_000 },
    {},
    { tableStorage: pets(730_000) + gigabytesOf(24_000 * (sizes.reservation + 100)) },
  ],
])('requests that %s use what AWS charges', (_what, change, deployed, expected) => {
  const usage = usageOf(workload(change), inventory(deployed))
  const near = Object.entries(expected).map(([name, units]) => [name, expect.closeTo(units, 4)])
  expect(usage).toMatchObject(Object.fromEntries(near))
})

it.each([{}, { ...workload(), requests: 87_600, mix: { ...only('get').mix, get: 0.5, unauthorized: 0.5 } }])(
  'one request a minute with a key begins a minute in 1 - 1/e of all cases',
  (change) => {
    expect(rollOverShare({ ...workload({ requests: 43_800 }), ...change, keys: 1 })).toBeCloseTo(0.632121, 6)
  },
)

it('an item has the size of its names and values, as AWS counts them, and is written by one unit of 1 KB', () => {
  const items = [{ name: 'Zoë' }, { id: 12_345n }, { id: 12_000n }, { id: -5n, none: undefined }, { id: 0 }]
  expect(items.map(itemSize)).toEqual([4 + 4, 2 + 3 + 1, 2 + 1 + 1, 2 + 1 + 1 + 1, 2 + 1])
  for (const size of [sizes.pet, sizes.apiKey, sizes.apiKeyInIndex, sizes.reservation]) {
    expect(size).toBeGreaterThan(50)
    expect(size).toBeLessThan(1_024)
  }
})

describe('an estimate', () => {
  it('adds up its items, leaves out what is not used, and gives the cost of a million', () => {
    const { items, dollars, dollarsPerMillion } = estimate(usageOf(workload({ requests: 4e6 }), inventory()), 4e6)
    expect(items.reduce((sum, item) => sum + item.dollars, 0)).toBeCloseTo(dollars, 10)
    expect(items.map(({ price }) => price.service)).not.toContain('WAF')
    expect(dollarsPerMillion).toBeCloseTo(dollars / 4, 10)
  })

  it('counts what costs the same without requests by the piece, which metrics from logs do not', () => {
    const watched = inventory({ alarmMetrics: 20, customMetrics: 31, dashboards: 1 })
    expect(estimate(usageOf(workload(), watched), 1e6).fixedDollars).toBeCloseTo(2 + 3, 10)
  })
})

describe('a price', () => {
  it('charges the units of each tier', () => {
    // 333 million at 3.50, 667 at 2.80, 500 at 2.38.
    expect(charge(prices.gatewayRequests, 1_500e6)).toBeCloseTo(1_165.5 + 1_867.6 + 1_190, 6)
  })

  it.each(Object.entries(prices))('of %s has tiers that rise and end without a limit', (_name, { tiers }) => {
    const limits = tiers.map((tier) => ('upTo' in tier ? tier.upTo : Number.POSITIVE_INFINITY))
    expect(limits.at(-1)).toBe(Number.POSITIVE_INFINITY)
    expect(limits).toEqual(limits.toSorted((one, other) => one - other))
    expect(tiers.every(({ dollars: price }) => price > 0)).toBe(true)
  })
})
