import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseGatewayKey } from '../../../../../functions/authorizer/metering.ts'
import { environmentNames, presets } from '../../../../../infra/environments.ts'
import { createGatewayKeyValue } from '../../../../../shared/api-keys/api-key-record.ts'
import { type FixedPlan, fixedPlanNames, fixedPlans, type Limits } from '../../../../../shared/api-keys/plans.ts'
import { decideAs } from '../../../../../shared/rate-limit/decision.ts'
import { computeWindowNumber, type WindowName } from '../../../../../shared/rate-limit/windows.ts'
import { createApiKeyRecord } from '../../../../fixtures/api-key-record.ts'
import { chooseBySize } from '../../../../fixtures/size.ts'
import { findProperties, synthesizeTemplates } from '../../../../fixtures/templates.ts'

// Simulates requests of one key in two steps: the table of keys counts and admits them, then API Gateway meters the
// admitted ones on the usage plan of the key, at its edge. The usage plan must never refuse what the table has
// admitted.

const minute = 60_000
const midnight = Date.UTC(2026, 10, 22)
const longestDelay = 2_000

/** Requests that reach the authorizer at once. Times are in milliseconds. */
interface Arrival {
  readonly at: number
  readonly requests: number
  /** Time from the authorizer to the usage plan. */
  readonly delay: number
  /** The number of consecutive minutes in which as many requests arrive. Default: 1. */
  readonly minutes?: number
}

/** Admitted requests that reach the usage plan at once. */
interface Batch {
  readonly at: number
  readonly requests: number
}

/** Whether requests that the table admits at a time are metered on the usage plan of the key. */
type IsMetered = (now: number) => boolean

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

/** Generates a key's use of its whole limit in each minute of a day, until its limit of the day is used up. */
const generateBusyDay = ({ perMinute, perDay }: Limits): fc.Arbitrary<readonly Arrival[]> => {
  const minutes = Math.min(1_440, Math.ceil(perDay / perMinute))
  return fc
    .record({ millisecondsFromMinute: fc.nat(minute - 1), delay: fc.nat(longestDelay) })
    .map(({ millisecondsFromMinute, delay }) => [
      { at: midnight + millisecondsFromMinute, requests: perMinute, delay, minutes },
    ])
}

/** Generates a limit that a key may have kept from an earlier version of its plan. */
const generateOlderLimit = (limit: number): fc.Arbitrary<number> =>
  fc.oneof(fc.constantFrom(limit - 1, limit, limit + 1, 2 * limit), fc.integer({ min: 1, max: 3 * limit }))

/** The limits of a key and the arrivals of its requests. */
interface KeyLoad {
  readonly keyLimits: Limits
  readonly arrivals: readonly Arrival[]
}

/** Generates loads of a key with the given limits. */
const generateLoad = (keyLimits: Limits): fc.Arbitrary<KeyLoad> =>
  fc.oneof(generateArrivals(keyLimits), generateBusyDay(keyLimits)).map((arrivals) => ({ keyLimits, arrivals }))

/** Generates loads of a key whose limits are older than those of its plan. */
const generateOlderLoad = ({ perMinute, perDay }: Limits): fc.Arbitrary<KeyLoad> =>
  fc.record({ perMinute: generateOlderLimit(perMinute), perDay: generateOlderLimit(perDay) }).chain(generateLoad)

/** Replaces an arrival of several minutes by one for each minute. */
const repeatEachMinute = ({ minutes = 1, ...arrival }: Arrival): readonly Arrival[] =>
  Array.from({ length: minutes }, (_, minutesLater) => ({ ...arrival, at: arrival.at + minutesLater * minute }))

const isInLaterWindow = (window: WindowName, at: number, previousAt: number): boolean =>
  computeWindowNumber(window, at / 1_000) > computeWindowNumber(window, previousAt / 1_000)

/** Admits requests as the table does, which counts exactly in two fixed windows. Sorts them as they reach the edge. */
const admitAtTable = (
  { perMinute, perDay }: Limits,
  arrivals: readonly Arrival[],
  isMetered: IsMetered,
): readonly Batch[] => {
  let previousAt = 0
  let minuteCount = 0
  let dayCount = 0
  const batches: Batch[] = []
  for (const { at, requests, delay } of arrivals.flatMap(repeatEachMinute)) {
    if (isInLaterWindow('minute', at, previousAt)) minuteCount = 0
    if (isInLaterWindow('day', at, previousAt)) dayCount = 0
    previousAt = at

    const admitted = Math.min(requests, perMinute - minuteCount, perDay - dayCount)
    minuteCount += admitted
    dayCount += admitted
    batches.push({ at: at + delay, requests: isMetered(at) ? admitted : 0 })
  }
  return sortByTime(batches)
}

/** Tokens are counted in these parts, so that a millisecond adds a whole number of parts and no sum is rounded. */
const partsPerToken = 60_000

/** Counts the requests that a usage plan refuses. */
const countRefusedAtEdge = (limits: UsagePlanLimits, batches: readonly Batch[]): number => {
  const capacity = limits.bucketSize * partsPerToken
  const partsPerMillisecond = Math.round((limits.tokensPerSecond * partsPerToken) / 1_000)
  let previousAt = 0
  let parts = capacity
  let dayCount = 0
  let refused = 0
  for (const { at, requests } of batches) {
    if (isInLaterWindow('day', at, previousAt)) dayCount = 0
    parts = Math.min(capacity, parts + (at - previousAt) * partsPerMillisecond)
    previousAt = at

    const tokens = Math.floor(parts / partsPerToken)
    const served = Math.min(requests, tokens, limits.requestsPerDay - dayCount)
    parts -= served * partsPerToken
    dayCount += served
    refused += requests - served
  }
  return refused
}

const ownKey = createGatewayKeyValue()

/**
 * Asks the authorizer on which gateway key it has the requests of a key metered. Around midnight that is the unlimited
 * gateway key.
 */
const askAuthorizer = (plan: FixedPlan, { perMinute, perDay }: Limits): IsMetered => {
  const limits = { plan, minuteLimit: perMinute, dayLimit: perDay }
  const record = createApiKeyRecord({ ...limits, gatewayKey: ownKey, meteredFrom: 0 })
  return (now) => {
    return chooseGatewayKey(decideAs('admitted', record, now / 1_000), 'the unlimited gateway key') === ownKey
  }
}

/** Chooses the requests of a key that are metered on its usage plan. */
type ChooseMetered = (keyLimits: Limits) => IsMetered

const meterAll: ChooseMetered = () => () => true

/** The property that a usage plan refuses no request that the table has admitted. */
const refusesNoAdmittedRequest = (
  loads: fc.Arbitrary<KeyLoad>,
  limits: UsagePlanLimits,
  chooseMetered: ChooseMetered,
) =>
  fc.property(loads, ({ keyLimits, arrivals }) => {
    const batches = admitAtTable(keyLimits, arrivals, chooseMetered(keyLimits))
    return countRefusedAtEdge(limits, batches) === 0
  })

/** Whether a property fails. The seed is fixed, so that every run of the tests finds the same. */
const canFail = (property: ReturnType<typeof refusesNoAdmittedRequest>): boolean =>
  fc.check(property, { numRuns: 5_000, seed: 20_261_102, endOnFailure: true }).failed

const numRuns = chooseBySize(100, 5_000)

describe.each(fixedPlanNames)('the usage plan %s', (plan) => {
  const keyLimits = fixedPlans[plan]
  const limits = findUsagePlanLimits(plan)
  const meterAsAuthorizer: ChooseMetered = (otherLimits) => askAuthorizer(plan, otherLimits)

  // A day that a few minutes use up, so that the arrivals reach the quota too.
  const requestsPerShortDay = 3 * keyLimits.perMinute
  const loadsOfShortDay = generateLoad({ ...keyLimits, perDay: requestsPerShortDay })
  const limitsOfShortDay = { ...limits, requestsPerDay: requestsPerShortDay }

  it(`the usage plan ${plan} refuses no request that the table has admitted`, () => {
    fc.assert(refusesNoAdmittedRequest(generateLoad(keyLimits), limits, meterAsAuthorizer), { numRuns })
  })

  it(`the usage plan ${plan} refuses no admitted request of a day that uses up the quota`, () => {
    fc.assert(refusesNoAdmittedRequest(loadsOfShortDay, limitsOfShortDay, meterAsAuthorizer), { numRuns })
  })

  it(`the usage plan ${plan} refuses no admitted request of a key with older limits`, () => {
    fc.assert(refusesNoAdmittedRequest(generateOlderLoad(keyLimits), limits, meterAsAuthorizer), { numRuns })
  })

  it.each([
    { window: 'minute', olderLimits: { ...keyLimits, perMinute: 2 * keyLimits.perMinute } },
    { window: 'day', olderLimits: { ...keyLimits, perDay: 2 * keyLimits.perDay } },
  ])(
    `the usage plan ${plan} would refuse admitted requests of a key with twice its limit of a $window`,
    ({ olderLimits }) => {
      expect(canFail(refusesNoAdmittedRequest(generateLoad(olderLimits), limits, meterAll))).toBe(true)
    },
  )

  it(`a usage plan ${plan} with a burst of two full minutes would refuse admitted requests`, () => {
    const smallerBurst = { ...limits, bucketSize: 2 * keyLimits.perMinute }

    expect(canFail(refusesNoAdmittedRequest(generateLoad(keyLimits), smallerBurst, meterAsAuthorizer))).toBe(true)
  })

  it(`the usage plan ${plan} would refuse admitted requests if those around midnight were metered on it`, () => {
    expect(canFail(refusesNoAdmittedRequest(loadsOfShortDay, limitsOfShortDay, meterAll))).toBe(true)
  })

  it(`a usage plan ${plan} with a quota of one less would refuse admitted requests`, () => {
    const smallerQuota = { ...limitsOfShortDay, requestsPerDay: requestsPerShortDay - 1 }

    expect(canFail(refusesNoAdmittedRequest(loadsOfShortDay, smallerQuota, meterAsAuthorizer))).toBe(true)
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
