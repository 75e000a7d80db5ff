import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Allowance, type FixedPlan, fixedPlans } from '../../shared/api-keys/plans.ts'
import { windowAt } from '../../shared/rate-limit/windows.ts'
import { resourcesOf, synthesize } from './synthesized.ts'

/** The numbers of a usage plan: what a second adds to its bucket of tokens, and what the bucket holds. */
interface Throttle {
  readonly RateLimit: number
  readonly BurstLimit: number
}

const usagePlans = Object.values(resourcesOf(synthesize('production').api, 'AWS::ApiGateway::UsagePlan'))

const throttleOf = (plan: FixedPlan): Throttle => {
  const found = usagePlans.find(({ Properties }) => String(Properties['UsagePlanName']).endsWith(`-${plan}`))
  return JSON.parse(JSON.stringify(found?.Properties['Throttle']))
}

/** Requests that come at once, so many milliseconds after those before, or at the edge of a window. */
interface Arrival {
  readonly wait: number | 'to the last millisecond of the minute' | 'to the next minute'
  readonly requests: number
}

/** The caller may ask for more than there is: what the table refuses never comes to the usage plan. */
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
    }),
    { maxLength: 60 },
  )

const minute = 60_000

const timeOf = (now: number, wait: Arrival['wait']): number => {
  if (typeof wait === 'number') return now + wait
  const next = (windowAt('minute', now) + 1) * minute
  return wait === 'to the next minute' ? next : next - 1
}

/**
 * Sends the requests through the two fixed windows, which are exact, and those that they admit through
 * the bucket. Tokens are counted in sixty-thousandths, so that no sum is rounded.
 *
 * @returns how many admitted requests found no token
 */
const refusedAtEdge = (
  { perMinute, perDay }: Allowance,
  throttle: Throttle,
  start: number,
  all: readonly Arrival[],
): number => {
  const capacity = throttle.BurstLimit * minute
  const refillPerMillisecond = Math.round(throttle.RateLimit * 60)
  let [now, tokens, refused] = [start, capacity, 0]
  let [minuteCount, dayCount] = [0, 0]
  for (const { wait, requests } of all) {
    const then = timeOf(now, wait)
    if (windowAt('minute', then) > windowAt('minute', now)) minuteCount = 0
    if (windowAt('day', then) > windowAt('day', now)) dayCount = 0
    tokens = Math.min(capacity, tokens + (then - now) * refillPerMillisecond)
    now = then
    const admitted = Math.min(requests, perMinute - minuteCount, perDay - dayCount)
    minuteCount += admitted
    dayCount += admitted
    const served = Math.min(admitted, Math.floor(tokens / minute))
    tokens -= served * minute
    refused += admitted - served
  }
  return refused
}

/** Any time of a day, and the last minutes of it. */
const starts = fc.oneof(
  fc.integer({ min: 1_795_219_200_000, max: 1_795_305_600_000 }),
  fc.integer({ min: 1_795_305_300_000, max: 1_795_305_600_000 }),
)

const neverRefuses = (plan: FixedPlan, throttle: Throttle) =>
  fc.property(starts, arrivals(fixedPlans[plan]), (start, all) => {
    expect(refusedAtEdge(fixedPlans[plan], throttle, start, all)).toBe(0)
  })

describe.each(['free', 'pro', 'business'] as const)('the usage plan %s', (plan) => {
  const throttle = throttleOf(plan)

  it('adds tokens at the rate of the plan', () => {
    expect(throttle.RateLimit * 60).toBeCloseTo(fixedPlans[plan].perMinute, 9)
  })

  it('refuses no caller whose headers show requests remaining, however they come', () => {
    fc.assert(neverRefuses(plan, throttle), { numRuns: 2_000 })
  })

  it('would refuse some with a burst that is one smaller', () => {
    const smaller = { ...throttle, BurstLimit: throttle.BurstLimit - 1 }
    expect(fc.check(neverRefuses(plan, smaller), { numRuns: 5_000 }).failed).toBe(true)
  })

  it('would refuse some at a rate that is one in a minute smaller', () => {
    const slower = { ...throttle, RateLimit: throttle.RateLimit - 1 / 60 }
    expect(fc.check(neverRefuses(plan, slower), { numRuns: 5_000 }).failed).toBe(true)
  })
})

describe('the stage', () => {
  it.each(['staging', 'production'] as const)('lets the largest burst of a plan through in %s', (environment) => {
    const [stage] = Object.values(resourcesOf(synthesize(environment).api, 'AWS::ApiGateway::Stage'))
    const [settings] = JSON.parse(JSON.stringify(stage?.Properties['MethodSettings']))
    expect(settings.ThrottlingBurstLimit).toBeGreaterThanOrEqual(throttleOf('business').BurstLimit)
    expect(settings.ThrottlingRateLimit).toBeGreaterThan(throttleOf('business').RateLimit)
  })
})
