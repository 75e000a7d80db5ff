import { describe, expect, test } from 'vitest'
import { createUsage, meter } from '../../../../../infra/local/gateway/meter.ts'
import type { Authorized } from '../../../../../infra/local/gateway/request.ts'
import type { UsagePlan } from '../../../../../infra/local/template/rest-api.ts'
import type { EdgeKey } from '../../../../../infra/operations/target/edge-keys.ts'
import { method, received, resource, restApi } from '../fixtures.ts'

const plan = (change: Partial<UsagePlan> = {}): UsagePlan => ({
  id: 'plan',
  throttle: undefined,
  dailyQuota: undefined,
  ...change,
})

const noon = Date.parse('2026-11-21T12:00:00Z')

/** A clock that the test sets. */
const createClock = () => {
  const state = { now: noon }
  return { clock: () => state.now, advance: (milliseconds: number) => (state.now += milliseconds) }
}

const count = (usage: ReturnType<typeof createUsage>, from: UsagePlan, times: number): readonly string[] =>
  Array.from({ length: times }, () => usage.count(from, 'key'))

describe('A usage plan', () => {
  test('admits a burst at once, then one request for each token that is refilled', () => {
    const { clock, advance } = createClock()
    const usage = createUsage(clock)
    const throttled = plan({ throttle: { ratePerSecond: 2, burst: 3 } })
    expect(count(usage, throttled, 4)).toEqual(['counted', 'counted', 'counted', 'THROTTLED'])
    advance(499)
    expect(count(usage, throttled, 1)).toEqual(['THROTTLED'])
    advance(1)
    expect(count(usage, throttled, 2)).toEqual(['counted', 'THROTTLED'])
  })

  test('refills at most its burst', () => {
    const { clock, advance } = createClock()
    const usage = createUsage(clock)
    const throttled = plan({ throttle: { ratePerSecond: 10, burst: 2 } })
    count(usage, throttled, 2)
    advance(3_600_000)
    expect(count(usage, throttled, 3)).toEqual(['counted', 'counted', 'THROTTLED'])
  })

  test('takes no token away when the clock is set back', () => {
    const { clock, advance } = createClock()
    const usage = createUsage(clock)
    const throttled = plan({ throttle: { ratePerSecond: 1, burst: 2 } })
    count(usage, throttled, 1)
    advance(-60_000)
    expect(count(usage, throttled, 2)).toEqual(['counted', 'THROTTLED'])
  })

  test('has its quota until the UTC day ends', () => {
    const { clock, advance } = createClock()
    const usage = createUsage(clock)
    const daily = plan({ dailyQuota: 2 })
    expect(count(usage, daily, 3)).toEqual(['counted', 'counted', 'QUOTA_EXCEEDED'])
    advance(12 * 3_600_000 - 1)
    expect(count(usage, daily, 1)).toEqual(['QUOTA_EXCEEDED'])
    advance(1)
    expect(count(usage, daily, 1)).toEqual(['counted'])
  })

  test('counts no throttled request against the quota', () => {
    const { clock, advance } = createClock()
    const usage = createUsage(clock)
    const both = plan({ throttle: { ratePerSecond: 1, burst: 1 }, dailyQuota: 2 })
    expect(count(usage, both, 3)).toEqual(['counted', 'THROTTLED', 'THROTTLED'])
    advance(1_000)
    expect(count(usage, both, 1)).toEqual(['counted'])
  })

  test('admits everything without a throttle and a quota', () => {
    expect(new Set(count(createUsage(createClock().clock), plan(), 100))).toEqual(new Set(['counted']))
  })
})

describe('Metering', () => {
  const api = restApi({ usagePlans: [plan({ throttle: { ratePerSecond: 1, burst: 1 } })] })
  const key: EdgeKey = { value: 'hash', name: 'key_1', usagePlanId: 'plan' }
  const authorized = (change: Partial<Authorized> = {}): Authorized => ({
    ...received('/v1/pets'),
    resource: resource('/pets', {}),
    method: method('list', { apiKeyRequired: true }),
    path: '/pets',
    pathParameters: {},
    query: new Map(),
    principalId: 'me',
    authorizerContext: {},
    usageIdentifierKey: 'hash',
    ...change,
  })
  const meterKnowing = (known: EdgeKey | undefined) => ({
    edgeKeys: { get: async (value: string) => (known?.value === value ? known : undefined) },
    usage: createUsage(() => noon),
  })

  test('admits a known key, and throttles it over its plan', async () => {
    const shared = meterKnowing(key)
    expect(await meter(api, authorized(), shared)).toMatchObject({ apiKeyName: 'key_1' })
    expect(await meter(api, authorized(), shared)).toBe('THROTTLED')
  })

  test.each([
    ['no usage key', authorized({ usageIdentifierKey: undefined }), key],
    ['an unknown key', authorized({ usageIdentifierKey: 'other' }), key],
    ['a key of no plan of the stage', authorized(), { ...key, usagePlanId: 'other' }],
  ])('responds to %s with INVALID_API_KEY', async (_name, request, known) => {
    expect(await meter(api, request, meterKnowing(known))).toBe('INVALID_API_KEY')
  })

  test('admits a key of the template, whatever the registry of keys holds', async () => {
    const withKey = { ...api, apiKeys: new Map([['reserved', { name: 'reserved key', usagePlanId: 'plan' }]]) }
    const request = authorized({ usageIdentifierKey: 'reserved' })
    expect(await meter(withKey, request, meterKnowing(undefined))).toMatchObject({ apiKeyName: 'reserved key' })
  })

  test('admits a request without a key where the method needs none', async () => {
    const open = authorized({ method: method('list'), usageIdentifierKey: undefined })
    expect(await meter(api, open, meterKnowing(undefined))).toMatchObject({ apiKeyName: undefined })
  })
})
