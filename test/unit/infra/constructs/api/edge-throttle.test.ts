import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { meteredKey } from '../../../../../functions/authorizer/authorizer.ts'
import { newGatewayKeyValue } from '../../../../../shared/api-keys/api-key-record.ts'
import { type Allowance, type FixedPlan, fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { type Admission, snapshotOf } from '../../../../../shared/rate-limit/admission.ts'
import { windowAt } from '../../../../../shared/rate-limit/windows.ts'
import { sized } from '../../../../fixtures/size.ts'
import { apiKeyRecord } from '../../../shared/api-keys/records.ts'
import { resourcesOf, synthesize } from '../../synthesized.ts'

/** The numbers of a usage plan: what a second adds to its bucket of tokens, what the bucket holds, and a day's quota. */
interface Limits {
  readonly RateLimit: number
  readonly BurstLimit: number
  readonly quota: number
}

const usagePlans = Object.values(resourcesOf(synthesize('production').api, 'AWS::ApiGateway::UsagePlan'))

const limitsOf = (plan: FixedPlan): Limits => {
  const found = usagePlans.find(({ Properties }) => String(Properties['UsagePlanName']).endsWith(`-${plan}`))
  const { Throttle, Quota } = JSON.parse(JSON.stringify(found?.Properties))
  return { ...Throttle, quota: Quota.Limit }
}

/** Requests that come at once, so many milliseconds after those before, or at the edge of a window. */
interface Arrival {
  readonly wait: number | 'to the last millisecond of the minute' | 'to the next minute'
  readonly requests: number
  /** From the authorizer to the usage plan, in milliseconds. */
  readonly delay: number
}

/** Callers may send more requests than they have remaining: the refused ones are metered on the reserved key. */
const arrivals = ({ perMinute }: Allowance): fc.Arbitrary<readonly Arrival[]> =>
  fc.array(
    fc.record({
      wait: fc.oneof(
        fc.constant('to the last millisecond of the minute' as const),
        fc.constant('to the next minute' as const),
        fc.integer({ min: 0, max: 2_000 }),
        fc.integer({ min: 0, max: 200_000 }),
      ),
      requests: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 2 * perMinute })),
      delay: fc.oneof(fc.constant(0), fc.constant(longestDelay), fc.integer({ min: 0, max: longestDelay })),
    }),
    { maxLength: 60 },
  )

const longestDelay = 2_000
const minute = 60_000
const day = 86_400_000

const timeOf = (now: number, wait: Arrival['wait']): number => {
  if (typeof wait === 'number') return now + wait
  const next = (windowAt('minute', now) + 1) * minute
  return wait === 'to the next minute' ? next : next - 1
}

interface Batch {
  readonly meteredAt: number
  readonly requests: number
}

/** What the two fixed windows of the table, which are exact, admit, and the authorizer has metered on the key itself. */
const admitted = (
  { perMinute, perDay }: Allowance,
  start: number,
  all: readonly Arrival[],
  isMetered: (now: number) => boolean,
): readonly Batch[] => {
  const batches: Batch[] = []
  let [now, minuteCount, dayCount] = [start, 0, 0]
  for (const { wait, requests, delay } of all) {
    const then = timeOf(now, wait)
    if (windowAt('minute', then) > windowAt('minute', now)) minuteCount = 0
    if (windowAt('day', then) > windowAt('day', now)) dayCount = 0
    now = then
    const room = Math.min(requests, perMinute - minuteCount, perDay - dayCount)
    minuteCount += room
    dayCount += room
    if (isMetered(now)) batches.push({ meteredAt: now + delay, requests: room })
  }
  return batches.toSorted((one, other) => one.meteredAt - other.meteredAt)
}

const isOnOwnKey = (now: number): boolean => {
  const record = apiKeyRecord({ gatewayKey: ownKey, meteredFrom: 0 })
  const admission: Admission = { kind: 'admitted', ...snapshotOf(record, now) }
  return meteredKey(admission, 'the reserved key') === ownKey
}

const ownKey = newGatewayKeyValue()

/**
 * Meters them as a usage plan does. Tokens are counted in sixty-thousandths, so that no sum is rounded.
 *
 * @returns how many admitted requests were refused
 */
const refusedAtEdge = (limits: Limits, start: number, batches: readonly Batch[]): number => {
  const capacity = limits.BurstLimit * minute
  const refillPerMillisecond = Math.round(limits.RateLimit * 60)
  let [now, tokens, dayCount, refused] = [start, capacity, 0, 0]
  for (const { meteredAt, requests } of batches) {
    if (Math.floor(meteredAt / day) > Math.floor(now / day)) dayCount = 0
    tokens = Math.min(capacity, tokens + (meteredAt - now) * refillPerMillisecond)
    now = meteredAt
    const served = Math.min(requests, Math.floor(tokens / minute), limits.quota - dayCount)
    tokens -= served * minute
    dayCount += served
    refused += requests - served
  }
  return refused
}

/** Any time of a day, and the last minutes of it. */
const starts = fc.oneof(
  fc.integer({ min: 1_795_219_200_000, max: 1_795_305_600_000 }),
  fc.integer({ min: 1_795_305_300_000, max: 1_795_305_600_000 }),
)

/** An allowance of one day that a few minutes use up, so that the arrivals reach the quota too. */
const smallDay = (plan: FixedPlan): Allowance => ({ ...fixedPlans[plan], perDay: 3 * fixedPlans[plan].perMinute })

const neverRefuses = (allowance: Allowance, limits: Limits, isMetered = isOnOwnKey) =>
  fc.property(starts, arrivals(allowance), (start, all) => {
    expect(refusedAtEdge(limits, start, admitted(allowance, start, all, isMetered))).toBe(0)
  })

/** Of the runs that must find a refusal: they find it in each run of the tests, or in none. */
const seed = 20_261_102

const plans = Object.keys(fixedPlans) as FixedPlan[]

describe.each(plans)('the usage plan %s', (plan) => {
  const limits = limitsOf(plan)
  const allowance = fixedPlans[plan]

  const small = smallDay(plan)
  const ofDay = { ...limits, quota: small.perDay }
  const lower = { BurstLimit: 2 * allowance.perMinute }
  it.each([
    ['with a burst of two full minutes alone', neverRefuses(allowance, { ...limits, ...lower })],
    [
      'with a rate of one in a minute less',
      neverRefuses(allowance, { ...limits, ...lower, RateLimit: limits.RateLimit - 1 / 60 }),
    ],
    ['if requests around midnight were metered on the key itself', neverRefuses(small, ofDay, () => true)],
    ['with a quota of one less', neverRefuses(small, { ...ofDay, quota: ofDay.quota - 1 })],
  ])('would refuse some %s', (_what, property) => {
    expect(fc.check(property, { numRuns: 5_000, seed }).failed).toBe(true)
  })

  it('refuses no caller whose headers show requests remaining, for any pattern of requests', () => {
    for (const property of [neverRefuses(allowance, limits), neverRefuses(small, ofDay)]) {
      fc.assert(property, { numRuns: sized(1_000, 5_000) })
    }
  })
})

describe('the stage', () => {
  it.each(['staging', 'production'] as const)(
    'admits the largest burst of a plan to one method in %s',
    (environment) => {
      const [stage] = Object.values(resourcesOf(synthesize(environment).api, 'AWS::ApiGateway::Stage'))
      const [settings] = JSON.parse(JSON.stringify(stage?.Properties['MethodSettings']))
      expect(settings.ThrottlingBurstLimit).toBeGreaterThanOrEqual(limitsOf('business').BurstLimit)
      expect(settings.ThrottlingRateLimit).toBeGreaterThan(limitsOf('business').RateLimit)
    },
  )
})
