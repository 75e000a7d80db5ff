import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseGatewayKey } from '../../../../../functions/authorizer/metering.ts'
import {
  type FixedPlan,
  fixedPlanNames,
  fixedPlans,
  type Limits,
  planNames,
} from '../../../../../shared/api-keys/plans.ts'
import { decideAs } from '../../../../../shared/rate-limit/rate-limiter.ts'
import {
  findProperties,
  findResources,
  type Resource,
  resolveStagingResources,
  synthesizeTemplates,
} from '../../../../fixtures/environment/templates.ts'
import { chooseBySize } from '../../../../fixtures/machine/size.ts'
import { createApiKeyRecord } from '../../../../fixtures/service/api-key-record.ts'
import { findWindowEnd } from '../../../../fixtures/service/limit-rules.ts'

const staging = synthesizeTemplates('staging').api

describe('usage plans', () => {
  const usagePlans = findProperties(staging, 'AWS::ApiGateway::UsagePlan')

  it('there is a usage plan for each plan, and one without limits for the unlimited gateway key', () => {
    const unlimited = usagePlans.filter((usagePlan) => !('Throttle' in usagePlan || 'Quota' in usagePlan))

    expect(usagePlans).toHaveLength(planNames.length + 1)
    expect(unlimited.map(({ UsagePlanName }) => UsagePlanName)).toEqual([
      'pet-adoption-staging-api-enterprise',
      'pet-adoption-staging-api-unlimited',
    ])
  })

  it('the unlimited gateway key is in the unlimited usage plan', () => {
    const planIds = Object.entries(findResources(staging, 'AWS::ApiGateway::UsagePlan'))
      .filter(([, { Properties }]) => Properties.UsagePlanName === 'pet-adoption-staging-api-unlimited')
      .map(([id]) => id)
    const [keyId] = Object.keys(findResources(staging, 'AWS::ApiGateway::ApiKey'))

    expect(findProperties(staging, 'AWS::ApiGateway::UsagePlanKey')).toEqual([
      { KeyId: { Ref: keyId }, KeyType: 'API_KEY', UsagePlanId: { Ref: planIds[0] } },
    ])
  })

  // API Gateway takes 20 to 128 characters, and refuses a value that exists.
  it('the unlimited gateway key has the digits of the stack id, which authorizer and gateway-keys know', () => {
    const [{ Value }] = findProperties(staging, 'AWS::ApiGateway::ApiKey')
    const [unlimitedKey] = resolveStagingResources()<{ readonly Value: string }>('ApiGateway::ApiKey')

    expect(JSON.stringify(Value)).toContain('{"Ref":"AWS::StackId"}')
    expect(unlimitedKey?.properties.Value).toMatch(/^[0-9a-f]{32}$/)
    for (const name of ['authorizer', 'gateway-keys']) {
      staging.hasResourceProperties('AWS::Lambda::Function', {
        Description: `Pet Adoption API: ${name}`,
        Environment: { Variables: { UNLIMITED_GATEWAY_KEY: Value } },
      })
    }
  })
})

/** Finds the logical ids of the resources that CloudFormation creates or changes before a resource. */
const findDependencies = (resources: Readonly<Record<string, Resource>>, id: string): ReadonlySet<string> => {
  const dependencies = new Set([id])
  // A set visits the ids that are added while it is iterated.
  for (const dependent of dependencies) {
    const text = JSON.stringify(resources[dependent])
    const named = Object.keys(resources).filter((other) => text.includes(`"${other}"`))
    for (const other of named) dependencies.add(other)
  }
  return dependencies
}

// CloudFormation changes a resource after those that it refers to. It waits until a canary has moved all traffic of an
// alias ("UpdatePolicy attribute", CodeDeployLambdaAliasUpdate). So when it lowers a usage plan, every authorizer
// already meters the keys that exceed it on the unlimited gateway key.
it.each(planNames)('the usage plan %s is deployed after the authorizer', (plan) => {
  const resources = findResources(synthesizeTemplates('production').api)
  const usagePlan = Object.keys(resources).find((id) => id.startsWith(`UsagePlans${plan}`)) ?? ''

  expect([...findDependencies(resources, usagePlan)]).toContainEqual(expect.stringMatching(/^authorizerLive/))
})

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
})
