import { describe, expect, test } from 'vitest'
import { meter } from '../../../../infra/local/gateway/meter.ts'
import type { Authorized } from '../../../../infra/local/gateway/request.ts'
import { createUsage } from '../../../../infra/local/gateway/meter.ts'
import type { UsagePlan } from '../../../../infra/local/template/rest-api.ts'
import type { EdgeKey } from '../../../../infra/operations/target/edge-keys.ts'
import { method, received, resource, restApi } from './fixtures.ts'

const plan = (change: Partial<UsagePlan> = {}): UsagePlan => ({
  id: 'plan',
  name: 'a plan',
  throttle: undefined,
  quota: undefined,
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
  test('takes a burst at once, then one request for each token that comes back', () => {
    const { clock, advance } = createClock()
    const usage = createUsage(clock)
    const throttled = plan({ throttle: { ratePerSecond: 2, burst: 3 } })
    expect(count(usage, throttled, 4)).toEqual(['counted', 'counted', 'counted', 'THROTTLED'])
    advance(499)
    expect(count(usage, throttled, 1)).toEqual(['THROTTLED'])
    advance(1)
    expect(count(usage, throttled, 2)).toEqual(['counted', 'THROTTLED'])
  })

  test('never saves more than its burst', () => {
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

  test('has its daily quota until the UTC day ends', () => {
    const { clock, advance } = createClock()
    const usage = createUsage(clock)
    const daily = plan({ quota: { limit: 2, period: 'DAY' } })
    expect(count(usage, daily, 3)).toEqual(['counted', 'counted', 'QUOTA_EXCEEDED'])
    advance(12 * 3_600_000 - 1)
    expect(count(usage, daily, 1)).toEqual(['QUOTA_EXCEEDED'])
    advance(1)
    expect(count(usage, daily, 1)).toEqual(['counted'])
  })

  test.each([
    // 21 November 2026 is a Saturday.
    ['WEEK', 12],
    ['MONTH', 9 * 24 + 12],
  ] as const)('has a quota per %s', (period, hoursLeft) => {
    const { clock, advance } = createClock()
    const usage = createUsage(clock)
    const limited = plan({ quota: { limit: 1, period } })
    expect(count(usage, limited, 2)).toEqual(['counted', 'QUOTA_EXCEEDED'])
    advance(hoursLeft * 3_600_000 - 1)
    expect(count(usage, limited, 1)).toEqual(['QUOTA_EXCEEDED'])
    advance(1)
    expect(count(usage, limited, 1)).toEqual(['counted'])
  })

  test('counts nothing against the quota for a request that it throttles', () => {
    const { clock, advance } = createClock()
    const usage = createUsage(clock)
    const both = plan({ throttle: { ratePerSecond: 1, burst: 1 }, quota: { limit: 2, period: 'DAY' } })
    expect(count(usage, both, 3)).toEqual(['counted', 'THROTTLED', 'THROTTLED'])
    advance(1_000)
    expect(count(usage, both, 1)).toEqual(['counted'])
  })

  test('refuses nothing without a throttle and a quota', () => {
    expect(new Set(count(createUsage(createClock().clock), plan(), 100))).toEqual(new Set(['counted']))
  })
})

describe('Metering', () => {
  const api = restApi({ usagePlans: [plan({ throttle: { ratePerSecond: 1, burst: 1 } })] })
  const key: EdgeKey = { value: 'hash', name: 'key_1', usagePlanId: 'plan', createdAt: 0 }
  const authorized = (change: Partial<Authorized> = {}): Authorized => ({
    ...received('/v1/pets'),
    resource: resource('/pets', {}),
    method: method('list', { apiKeyRequired: true }),
    path: '/pets',
    pathParameters: {},
    query: new Map(),
    principalId: 'me',
    authorizerValues: { plan: 'free' },
    usageIdentifierKey: 'hash',
    ...change,
  })
  const ports = (known: EdgeKey | undefined = key) => ({
    edgeKeys: { get: async (value: string) => (known?.value === value ? known : undefined) },
    usage: createUsage(() => noon),
  })

  test('lets a known key pass, and refuses it over its plan with the figures of the authorizer', async () => {
    const shared = ports()
    expect(await meter(api, authorized(), shared)).toMatchObject({ apiKeyName: 'key_1' })
    const refused = { refused: 'THROTTLED', authorizerValues: { plan: 'free' } }
    expect(await meter(api, authorized(), shared)).toEqual(refused)
  })

  test.each([
    ['no usage key', authorized({ usageIdentifierKey: undefined }), key],
    ['a key that nobody knows', authorized({ usageIdentifierKey: 'other' }), key],
    ['a key of no plan of the stage', authorized(), { ...key, usagePlanId: 'other' }],
  ])('refuses %s with INVALID_API_KEY', async (_name, request, known) => {
    expect(await meter(api, request, ports(known))).toMatchObject({ refused: 'INVALID_API_KEY' })
  })

  test('lets a key of the template pass, whatever the registry of keys holds', async () => {
    const withKey = { ...api, apiKeys: new Map([['reserved', { name: 'reserved key', usagePlanId: 'plan' }]]) }
    const request = authorized({ usageIdentifierKey: 'reserved' })
    expect(await meter(withKey, request, ports(undefined))).toMatchObject({ apiKeyName: 'reserved key' })
  })

  test('asks for no key where the method needs none', async () => {
    const open = authorized({ method: method('list'), usageIdentifierKey: undefined })
    expect(await meter(api, open, ports())).toMatchObject({ apiKeyName: undefined })
  })
})
