import { expect, it } from 'vitest'
import { fixedPlanNames, fixedPlans, planNames } from '../../../../../shared/api-keys/plans.ts'
import {
  findProperties,
  findResources,
  type Resource,
  resolveStagingResources,
  synthesizeTemplates,
} from '../../../../fixtures/environment/templates.ts'

const staging = synthesizeTemplates('staging').api

const usagePlans = findProperties(staging, 'AWS::ApiGateway::UsagePlan')

it('only the usage plans of enterprise and of the unlimited gateway key have no limits', () => {
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

// API Gateway takes 20 to 128 characters as the value of a key, and refuses a value that exists already.
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
// alias ("UpdatePolicy attribute", CodeDeployLambdaAliasUpdate). So when a release lowers a usage plan, every
// authorizer already meters keys with larger limits on the unlimited gateway key.
it.each(planNames)('the usage plan %s is deployed after the authorizer', (plan) => {
  const resources = findResources(synthesizeTemplates('production').api)
  const usagePlan = Object.keys(resources).find((id) => id.startsWith(`UsagePlans${plan}`)) ?? ''

  expect([...findDependencies(resources, usagePlan)]).toContainEqual(expect.stringMatching(/^authorizerLive/))
})

/** API Gateway meters a request up to this long after the table of keys has counted it. */
const longestDelaySeconds = 2

// The requests of two full minutes of the table can come at once: those of the first at its end, those of the second at
// its beginning. If the first ones are delayed, a third minute begins before the burst has refilled. Two days of the
// table can fall into one of API Gateway, because AWS does not say when its day begins.
// metering.test.ts shows that no key with larger limits than its plan reaches a usage plan.
it.each(fixedPlanNames)(
  'the usage plan %s refuses no request that the table admits, but a burst of three minutes',
  (plan) => {
    const { perMinute, perDay } = fixedPlans[plan]
    const { Throttle, Quota } = usagePlans.find(({ UsagePlanName }) => UsagePlanName.endsWith(`-${plan}`))
    const requestsPerSecond = perMinute / 60

    // Two minutes, and what comes while the first requests are delayed; but less than three minutes.
    expect(Throttle.RateLimit).toBe(requestsPerSecond)
    expect(Throttle.BurstLimit).toBeGreaterThanOrEqual(2 * perMinute + longestDelaySeconds * requestsPerSecond)
    expect(Throttle.BurstLimit).toBeLessThan(3 * perMinute)
    expect(Quota).toEqual({ Limit: 2 * perDay, Period: 'DAY' })
  },
)
