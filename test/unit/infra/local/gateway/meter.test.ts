import { describe, expect, test } from 'vitest'
import { createUsage, meter } from '../../../../../infra/local/gateway/meter.ts'
import type { Authorized } from '../../../../../infra/local/gateway/request.ts'
import type { UsagePlan } from '../../../../../infra/local/template/rest-api.ts'
import type { EdgeKey } from '../../../../../infra/operations/target/edge-keys.ts'
import { method, received, resource, restApi } from '../fixtures.ts'

const plan = (limits: Omit<UsagePlan, 'id'> = {}): UsagePlan => ({ id: 'plan', ...limits })

const noon = Date.parse('2026-11-21T12:00:00Z')

const hour = 3_600_000
const [counted, throttled, exceeded] = ['counted', 'THROTTLED', 'QUOTA_EXCEEDED']

/** What becomes of requests that come together, so many milliseconds after those before. */
type Arrival = readonly [wait: number, ...outcomes: readonly string[]]

describe('A usage plan', () => {
  test.each<[string, Omit<UsagePlan, 'id'>, readonly Arrival[]]>([
    [
      'admits a burst at once, then one request for each token that is refilled',
      { Throttle: { RateLimit: 2, BurstLimit: 3 } },
      [
        [0, counted, counted, counted, throttled],
        [499, throttled],
        [1, counted, throttled],
      ],
    ],
    [
      'refills at most its burst',
      { Throttle: { RateLimit: 10, BurstLimit: 2 } },
      [
        [0, counted, counted],
        [hour, counted, counted, throttled],
      ],
    ],
    [
      'takes no token away when the clock is set back',
      { Throttle: { RateLimit: 1, BurstLimit: 2 } },
      [
        [0, counted],
        [-hour, counted, throttled],
      ],
    ],
    [
      'has its quota until the UTC day ends',
      { Quota: { Limit: 2, Period: 'DAY' } },
      [
        [0, counted, counted, exceeded],
        [12 * hour - 1, exceeded],
        [1, counted],
      ],
    ],
    [
      'counts no throttled request against the quota',
      { Throttle: { RateLimit: 1, BurstLimit: 1 }, Quota: { Limit: 2, Period: 'DAY' } },
      [
        [0, counted, throttled, throttled],
        [1_000, counted],
      ],
    ],
    ['admits everything without a throttle and a quota', {}, [[0, ...Array<string>(100).fill(counted)]]],
  ])('%s', (_what, change, arrivals) => {
    let now = noon
    const usage = createUsage(() => now)
    for (const [wait, ...outcomes] of arrivals) {
      now += wait
      expect(outcomes.map(() => usage.count(plan(change), 'key'))).toEqual(outcomes)
    }
  })
})

describe('Metering', () => {
  const api = restApi({ usagePlans: [plan({ Throttle: { RateLimit: 1, BurstLimit: 1 } })] })
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
