import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseGatewayKey } from '../../../../../functions/authorizer/authorizer.ts'
import { environmentNames } from '../../../../../infra/environments.ts'
import { createGatewayKeyValue } from '../../../../../shared/api-keys/api-key-record.ts'
import { type Allowance, type FixedPlan, fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { type Admission, takeLimitSnapshot } from '../../../../../shared/rate-limit/admission.ts'
import { computeWindowNumber } from '../../../../../shared/rate-limit/windows.ts'
import { createApiKeyRecord } from '../../../../fixtures/api-key-record.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'
import { findProperties, synthesizeTemplates } from '../../../../fixtures/templates.ts'

/** The numbers of a usage plan: what a second adds to its bucket of tokens, what the bucket holds, and a day's quota. */
interface Limits {
  readonly RateLimit: number
  readonly BurstLimit: number
  readonly quota: number
}

const limitsOf = (plan: FixedPlan): Limits => {
  const plans = findProperties(synthesizeTemplates('production').api, 'AWS::ApiGateway::UsagePlan')
  const { Throttle, Quota } = plans.find(({ UsagePlanName }) => UsagePlanName.endsWith(`-${plan}`))
  return { ...Throttle, quota: Quota.Limit }
}

/** Requests that come at once. Times are in milliseconds. */
interface Arrival {
  readonly at: number
  readonly requests: number
  /** From the authorizer to the usage plan. */
  readonly delay: number
}

const minute = 60_000
const midnight = 1_795_305_600_000
const longestDelay = 2_000

/** Some minutes around midnight. Callers may send more requests than they have remaining, at the edges of minutes above all. */
const arrivals = ({ perMinute }: Allowance): fc.Arbitrary<readonly Arrival[]> => {
  const within = fc.oneof(fc.constantFrom(-1, 0), fc.nat(minute))
  const arrival = fc.record({
    at: fc.tuple(fc.integer({ min: -4, max: 4 }), within).map(([minutes, rest]) => midnight + minutes * minute + rest),
    requests: fc.oneof(fc.constant(perMinute), fc.integer({ min: 1, max: 2 * perMinute })),
    delay: fc.oneof(fc.constantFrom(0, longestDelay), fc.nat(longestDelay)),
  })
  return fc.array(arrival, { maxLength: 24, size: 'max' }).map(inTurn)
}

const inTurn = <Timed extends { readonly at: number }>(all: readonly Timed[]): readonly Timed[] =>
  all.toSorted((one, other) => one.at - other.at)

/** What the two fixed windows of the table, which are exact, admit, at the times when it comes to the key's own usage plan. */
const admitted = ({ perMinute, perDay }: Allowance, all: readonly Arrival[], isMetered: (now: number) => boolean) => {
  let [last, minuteCount, dayCount] = [0, 0, 0]
  const batches = all.map(({ at, requests, delay }) => {
    if (computeWindowNumber('minute', at) > computeWindowNumber('minute', last)) minuteCount = 0
    if (computeWindowNumber('day', at) > computeWindowNumber('day', last)) dayCount = 0
    last = at
    const room = Math.min(requests, perMinute - minuteCount, perDay - dayCount)
    minuteCount += room
    dayCount += room
    return { at: at + delay, requests: isMetered(at) ? room : 0 }
  })
  return inTurn(batches)
}

const ownKey = createGatewayKeyValue()

const isOnOwnKey = (now: number): boolean => {
  const record = createApiKeyRecord({ gatewayKey: ownKey, meteredFrom: 0 })
  const admission: Admission = { kind: 'admitted', ...takeLimitSnapshot(record, now) }
  return chooseGatewayKey(admission, 'the reserved key') === ownKey
}

/** How many of them a usage plan refuses. Tokens are counted in sixty-thousandths, so that no sum is rounded. */
const refusedAtEdge = ({ RateLimit, BurstLimit, quota }: Limits, batches: ReturnType<typeof admitted>): number => {
  const capacity = BurstLimit * minute
  let [last, tokens, dayCount, refused] = [0, capacity, 0, 0]
  for (const { at, requests } of batches) {
    if (computeWindowNumber('day', at) > computeWindowNumber('day', last)) dayCount = 0
    tokens = Math.min(capacity, tokens + (at - last) * Math.round(RateLimit * 60))
    last = at
    const served = Math.min(requests, Math.floor(tokens / minute), quota - dayCount)
    tokens -= served * minute
    dayCount += served
    refused += requests - served
  }
  return refused
}

const neverRefuses = (allowance: Allowance, limits: Limits, isMetered = isOnOwnKey) =>
  fc.property(arrivals(allowance), (all) => refusedAtEdge(limits, admitted(allowance, all, isMetered)) === 0)

describe.each(Object.keys(fixedPlans) as FixedPlan[])('the usage plan %s', (plan) => {
  const limits = limitsOf(plan)
  const allowance = fixedPlans[plan]
  // A day that a few minutes use up, so that the arrivals reach the quota too.
  const small = { ...allowance, perDay: 3 * allowance.perMinute }
  const ofDay = { ...limits, quota: small.perDay }

  const twoMinutes = { ...limits, BurstLimit: 2 * allowance.perMinute }
  it.each([
    ['with a burst of two full minutes alone', neverRefuses(allowance, twoMinutes)],
    ['if requests around midnight were metered on the key itself', neverRefuses(small, ofDay, () => true)],
    ['with a quota of one less', neverRefuses(small, { ...ofDay, quota: ofDay.quota - 1 })],
  ])('would refuse some %s', (_what, property) => {
    // With one seed it finds them in each run of the tests, or in none.
    expect(fc.check(property, { numRuns: 5_000, seed: 20_261_102, endOnFailure: true }).failed).toBe(true)
  })

  it('refuses no caller whose headers show requests remaining, for any pattern of requests', () => {
    for (const property of [neverRefuses(allowance, limits), neverRefuses(small, ofDay)]) {
      fc.assert(property, { numRuns: chooseBySize(300, 5_000) })
    }
  })
})

it.each(environmentNames)('the stage of %s admits the largest burst of a plan to one method', (environment) => {
  const [stage] = findProperties(synthesizeTemplates(environment).api, 'AWS::ApiGateway::Stage')
  const [settings] = stage.MethodSettings
  expect(settings.ThrottlingBurstLimit).toBeGreaterThanOrEqual(limitsOf('business').BurstLimit)
  expect(settings.ThrottlingRateLimit).toBeGreaterThan(limitsOf('business').RateLimit)
})
