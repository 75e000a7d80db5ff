import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseGatewayKey } from '../../../../../functions/authorizer/metering.ts'
import { environmentNames, presets } from '../../../../../infra/environments.ts'
import { type FixedPlan, fixedPlanNames, fixedPlans, type Limits } from '../../../../../shared/api-keys/plans.ts'
import { decideAs } from '../../../../../shared/rate-limit/decision.ts'
import { findProperties, synthesizeTemplates } from '../../../../fixtures/environment/templates.ts'
import { chooseBySize } from '../../../../fixtures/machine/size.ts'
import { createApiKeyRecord } from '../../../../fixtures/service/api-key-record.ts'
import { findWindowEnd } from '../../../../fixtures/service/limit-rules.ts'

// Simulates requests of one key in two steps: the table of keys counts and admits them, then API Gateway meters the
// admitted ones on the usage plan of the key, at its edge. The usage plan must never refuse what the table has
// admitted. metering.test.ts shows that a key with larger limits than its plan is not metered on it.

const minute = 60_000
const midnight = Date.UTC(2026, 10, 22)
const longestDelay = 2_000

/** Requests that reach the authorizer at once. Times are in milliseconds. */
interface Arrival {
  readonly at: number
  readonly requests: number
  /** Time from the authorizer to the usage plan. */
  readonly delay: number
}

/** Admitted requests that reach the usage plan at once. */
interface Batch {
  readonly at: number
  readonly requests: number
}

/** The limits of a usage plan, which works like a bucket of tokens: each request takes one. */
interface UsagePlanLimits {
  readonly tokensPerSecond: number
  readonly bucketSize: number
  readonly requestsPerDay: number
}

const findUsagePlanLimits = (plan: FixedPlan): UsagePlanLimits => {
  const usagePlans = findProperties(synthesizeTemplates('production').api, 'AWS::ApiGateway::UsagePlan')
  const { Throttle, Quota } = usagePlans.find(({ UsagePlanName }) => UsagePlanName.endsWith(`-${plan}`))
  return {
    tokensPerSecond: Throttle.RateLimit,
    bucketSize: Throttle.BurstLimit,
    requestsPerDay: Quota.Limit,
  }
}

const sortByTime = <Timed extends { readonly at: number }>(events: readonly Timed[]): readonly Timed[] =>
  events.toSorted((one, other) => one.at - other.at)

/**
 * Generates arrivals in the minutes around midnight, many of them at the edges of minutes. Callers may send more
 * requests than they have remaining.
 */
const generateArrivals = ({ perMinute }: Limits): fc.Arbitrary<readonly Arrival[]> => {
  const minutesFromMidnight = fc.integer({ min: -4, max: 4 })
  const millisecondsFromMinute = fc.oneof(fc.constantFrom(-1, 0), fc.nat(minute))
  const arrival = fc.record({
    at: fc
      .tuple(minutesFromMidnight, millisecondsFromMinute)
      .map(([minutes, milliseconds]) => midnight + minutes * minute + milliseconds),
    requests: fc.oneof(fc.constant(perMinute), fc.integer({ min: 1, max: 2 * perMinute })),
    delay: fc.oneof(fc.constantFrom(0, longestDelay), fc.nat(longestDelay)),
  })
  return fc.array(arrival, { maxLength: 24, size: 'max' }).map(sortByTime)
}

/** Admits requests as the table does, which counts exactly in two fixed windows. */
const admitAtTable = ({ perMinute, perDay }: Limits, arrivals: readonly Arrival[]): readonly Arrival[] => {
  // The numbers of admitted requests, by the end of their minute and of their day.
  const minuteCounts = new Map<number, number>()
  const dayCounts = new Map<number, number>()
  return arrivals.map((arrival) => {
    const minuteEnd = findWindowEnd('minute', arrival.at)
    const dayEnd = findWindowEnd('day', arrival.at)
    const minuteCount = minuteCounts.get(minuteEnd) ?? 0
    const dayCount = dayCounts.get(dayEnd) ?? 0
    const requests = Math.min(arrival.requests, perMinute - minuteCount, perDay - dayCount)
    minuteCounts.set(minuteEnd, minuteCount + requests)
    dayCounts.set(dayEnd, dayCount + requests)
    return { ...arrival, requests }
  })
}

/** Finds the batches that the authorizer has metered on the usage plan of their key, in the order of its edge. */
const findMeteredBatches = (plan: FixedPlan, admitted: readonly Arrival[]): readonly Batch[] => {
  const { perMinute, perDay } = fixedPlans[plan]
  const record = createApiKeyRecord({ plan, minuteLimit: perMinute, dayLimit: perDay, meteredFrom: 0 })
  const isMetered = ({ at }: Arrival): boolean =>
    chooseGatewayKey(decideAs('admitted', record, at / 1_000), 'the unlimited gateway key') === record.gatewayKey
  return sortByTime(admitted.filter(isMetered).map(({ at, requests, delay }) => ({ at: at + delay, requests })))
}

/** Tokens are counted in these parts, so that a millisecond adds a whole number of parts and no sum is rounded. */
const partsPerToken = 60_000

/** Counts the requests that a usage plan refuses. */
const countRefusedAtEdge = (limits: UsagePlanLimits, batches: readonly Batch[]): number => {
  const capacity = limits.bucketSize * partsPerToken
  const partsPerMillisecond = Math.round((limits.tokensPerSecond * partsPerToken) / 1_000)
  const dayCounts = new Map<number, number>()
  let previousAt = 0
  let parts = capacity
  let refused = 0
  for (const { at, requests } of batches) {
    parts = Math.min(capacity, parts + (at - previousAt) * partsPerMillisecond)
    previousAt = at

    const dayEnd = findWindowEnd('day', at)
    const dayCount = dayCounts.get(dayEnd) ?? 0
    const tokens = Math.floor(parts / partsPerToken)
    const served = Math.min(requests, tokens, limits.requestsPerDay - dayCount)
    parts -= served * partsPerToken
    dayCounts.set(dayEnd, dayCount + served)
    refused += requests - served
  }
  return refused
}

/** The property that the usage plan of a key refuses no request that the table has admitted. */
const refusesNoAdmittedRequest = (plan: FixedPlan, keyLimits: Limits, limits: UsagePlanLimits) =>
  fc.property(generateArrivals(keyLimits), (arrivals) => {
    const batches = findMeteredBatches(plan, admitAtTable(keyLimits, arrivals))
    return countRefusedAtEdge(limits, batches) === 0
  })

const numRuns = chooseBySize(100, 1_000)

describe.each(fixedPlanNames)('the usage plan %s', (plan) => {
  const keyLimits = fixedPlans[plan]
  const limits = findUsagePlanLimits(plan)

  it(`the usage plan ${plan} refuses no request that the table has admitted`, () => {
    fc.assert(refusesNoAdmittedRequest(plan, keyLimits, limits), { numRuns })
  })

  it(`the usage plan ${plan} refuses no admitted request of a day that uses up the quota`, () => {
    // A few minutes use up this day, so that the arrivals reach the quota too.
    const perDay = 3 * keyLimits.perMinute
    const limitsOfShortDay = { ...limits, requestsPerDay: perDay }

    fc.assert(refusesNoAdmittedRequest(plan, { ...keyLimits, perDay }, limitsOfShortDay), { numRuns })
  })

  it(`the usage plan ${plan} has the quota of the table`, () => {
    expect(limits.requestsPerDay).toBe(keyLimits.perDay)
  })

  it.each(environmentNames)(`the method throttle of %s admits the burst of the usage plan ${plan}`, (environment) => {
    const [stage] = findProperties(synthesizeTemplates(environment).api, 'AWS::ApiGateway::Stage')
    const [settings] = stage.MethodSettings

    expect(settings.ThrottlingBurstLimit).toBeGreaterThanOrEqual(limits.bucketSize)
    expect(settings.ThrottlingRateLimit).toBeGreaterThanOrEqual(limits.tokensPerSecond)
  })

  // The five minutes that the firewall counts can contain requests of six minutes of the table.
  it(`the default firewall admits a key of the plan ${plan} from one address`, () => {
    const { requestsPerAddress } = presets.standard
    expect(requestsPerAddress, 'requestsPerAddress in infra/environments.ts').toBeGreaterThanOrEqual(
      6 * keyLimits.perMinute,
    )
  })
})
