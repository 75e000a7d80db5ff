import { describe, expect, it } from 'vitest'
import { gigabyte } from '../../../../../infra/operations/cost/database-usage.ts'
import { charge, estimate, usageOf } from '../../../../../infra/operations/cost/estimate.ts'
import type { PriceName } from '../../../../../infra/operations/cost/prices.ts'
import { prices } from '../../../../../infra/operations/cost/prices.ts'
import { creations, inventory, workload } from './workloads.ts'

/** What a part of the bill comes to, in dollars. */
const dollars = (name: PriceName, of = workload(), deployed = inventory()): number =>
  charge(prices[name], usageOf(of, deployed)[name])

describe('the cost of a million requests', () => {
  it('is $3.50 at API Gateway, and less by the tiers of more', () => {
    expect(dollars('gatewayRequests')).toBeCloseTo(3.5, 10)
    // 333 million at 3.50, 667 at 2.80, 500 at 2.38.
    expect(dollars('gatewayRequests', workload({ requests: 1_500e6 }))).toBeCloseTo(1_165.5 + 1_867.6 + 1_190, 6)
  })

  it('is two runs of Lambda each, by their time and memory', () => {
    expect(dollars('lambdaRequests')).toBeCloseTo(0.4, 10)
    // (10 ms + 30 ms) x 1 GB x a million = 40,000 GB-seconds.
    expect(usageOf(workload(), inventory()).lambdaDuration).toBeCloseTo(40_000, 6)
    expect(dollars('lambdaDuration')).toBeCloseTo(0.533336, 6)
    expect(dollars('lambdaDuration', workload(), inventory({ functionMegabytes: 512 }))).toBeCloseTo(0.266668, 6)
  })

  it.each([
    ['refused', 'two runs', 2, 40_000, 480],
    ['unauthorized', 'one run, which fails and is logged', 1, 10_000, 480 + 1_400],
  ] as const)('is for a request that is %s %s of Lambda, and an error', (kind, _, runs, gigabyteSeconds, bytes) => {
    const refused = workload({ mix: { ...creations, create: 0, [kind]: 1 } })
    expect(dollars('gatewayRequests', refused)).toBeCloseTo(3.5, 10)
    expect(dollars('lambdaRequests', refused)).toBeCloseTo(0.2 * runs, 10)
    const { lambdaDuration, logIngestion, transferOut } = usageOf(refused, inventory({ hasAccessLog: true }))
    expect(lambdaDuration).toBeCloseTo(gigabyteSeconds, 6)
    expect(logIngestion * gigabyte).toBeCloseTo(bytes * 1e6, 0)
    expect(transferOut * gigabyte).toBeCloseTo(1_400e6, 0)
  })

  it('is nothing at X-Ray without tracing; traced, a trace of each request, which any caller can demand', () => {
    expect(dollars('traces')).toBe(0)
    expect(dollars('traces', workload(), inventory({ isTraced: true }))).toBeCloseTo(5, 10)
    expect(usageOf(workload({ requests: 10e6 }), inventory({ isTraced: true })).traces).toBe(10e6)
  })

  it('is inspected by the firewall only where there is one', () => {
    expect(dollars('firewallRequests')).toBe(0)
    const walled = inventory({ firewallLists: 1, firewallRules: 2 })
    expect(dollars('firewallRequests', workload(), walled)).toBeCloseTo(0.6, 10)
    expect(dollars('firewallLists', workload(), walled)).toBe(5)
    expect(dollars('firewallRules', workload(), walled)).toBe(2)
  })

  it('is logged once, by API Gateway, and kept compressed', () => {
    expect(dollars('logIngestion')).toBe(0)
    // 480 bytes a request are 0.44703 GB.
    const logging = inventory({ hasAccessLog: true, logDays: 365 })
    expect(dollars('logIngestion', workload(), logging)).toBeCloseTo(0.5 * 0.44703, 4)
    // 15 % of it, for twelve months of 730 hours.
    expect(dollars('logStorage', workload(), logging)).toBeCloseTo(0.03 * 0.44703 * 0.15 * 12, 4)
  })

  it('has the requests of the probe beside it: each refused by the authorizer, after a write to the table of keys', () => {
    const probing = inventory({ probeRuns: 1_000, hasAccessLog: true, firewallLists: 1 })
    const [with0, with1000] = [inventory({ hasAccessLog: true, firewallLists: 1 }), probing].map((one) =>
      usageOf(workload(), one),
    )
    const more = (name: PriceName) => Number(with1000?.[name]) - Number(with0?.[name])
    expect(more('gatewayRequests')).toBe(1_000)
    expect(more('lambdaRequests')).toBe(2_000)
    expect(more('writeUnits')).toBe(1_000)
    expect(more('firewallRequests')).toBe(1_000)
    expect(more('logIngestion') * gigabyte).toBeCloseTo(1_000 * (480 + 1_400), 0)
  })

  it('counts what costs the same without requests by the piece, which metrics from logs do not', () => {
    const watched = inventory({ alarmMetrics: 20, customMetrics: 31, dashboards: 1, encryptionKeys: 1 })
    const usage = usageOf(workload(), watched)
    expect(estimate(usage, 1_000_000).fixedDollars).toBeCloseTo(2 + 3 + 1, 10)
    expect(dollars('customMetrics', workload(), watched)).toBeCloseTo(9.3, 10)
  })
})

describe('an estimate', () => {
  it('adds up its items, leaves out what is not used, and gives the cost of a million', () => {
    const { items, dollars: all, dollarsPerMillion } = estimate(usageOf(workload({ requests: 4e6 }), inventory()), 4e6)
    expect(items.reduce((sum, item) => sum + item.dollars, 0)).toBeCloseTo(all, 10)
    expect(items.map(({ price }) => price.service)).not.toContain('WAF')
    expect(dollarsPerMillion).toBeCloseTo(all / 4, 10)
  })

  it('estimates that creations cost more than reads', () => {
    const cost = (of: ReturnType<typeof workload>) => estimate(usageOf(of, inventory()), of.requests).dollars
    expect(cost(workload({ mix: creations }))).toBeGreaterThan(cost(workload()))
  })
})

describe('a price', () => {
  it.each(Object.entries(prices))('of %s has tiers that rise and end without a limit', (_name, { tiers }) => {
    const limits = tiers.map((tier) => ('upTo' in tier ? tier.upTo : Number.POSITIVE_INFINITY))
    expect(limits.at(-1)).toBe(Number.POSITIVE_INFINITY)
    expect(limits).toEqual(limits.toSorted((one, other) => one - other))
    expect(tiers.every(({ dollars: price }) => price > 0)).toBe(true)
  })
})
