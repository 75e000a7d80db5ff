import { describe, expect, it } from 'vitest'
import { reservedGatewayKey } from '../../../../../infra/constructs/api/usage-plans.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('staging')
const plans = Object.values(resourcesOf(api, 'AWS::ApiGateway::UsagePlan')).map(({ Properties }) => Properties)
const planNamed = (plan: string) =>
  plans.find(({ UsagePlanName }) => UsagePlanName === `pet-adoption-staging-api-${plan}`)

describe('the usage plans', () => {
  it.each(Object.entries(fixedPlans))(
    'limit the edge to a minute and a day of the plan %s, with a burst of two full minutes and five seconds',
    (plan, allowance) => {
      const { perMinute, perDay } = allowance
      expect(planNamed(plan)).toMatchObject({
        Throttle: { RateLimit: expect.closeTo(perMinute / 60, 3), BurstLimit: Math.ceil((perMinute * 125) / 60) },
        Quota: { Limit: perDay, Period: 'DAY' },
      })
    },
  )

  it('leave enterprise keys to their own allowances', () => {
    expect(planNamed('enterprise')).toBeDefined()
    expect(planNamed('enterprise')).not.toHaveProperty('Throttle')
    expect(planNamed('enterprise')).not.toHaveProperty('Quota')
  })

  it('are all attached to the stage v1, where a key of no plan is refused', () => {
    const [stageId] = Object.keys(resourcesOf(api, 'AWS::ApiGateway::Stage'))
    expect(plans).toHaveLength(5)
    for (const plan of plans) expect(plan).toMatchObject({ ApiStages: [{ Stage: { Ref: stageId } }] })
  })

  it('have one without limits for requests that must use up no plan of a caller, with the only key of the template', () => {
    expect(planNamed('reserved')).toBeDefined()
    expect(planNamed('reserved')).not.toHaveProperty('Throttle')
    expect(planNamed('reserved')).not.toHaveProperty('Quota')
    const [key, ...others] = Object.entries(resourcesOf(api, 'AWS::ApiGateway::ApiKey'))
    expect(others).toEqual([])
    const [keyId, { Properties } = { Properties: {} }] = key ?? []
    expect(Properties['Value']).toMatch(/^[0-9a-f]{64}$/)
    const memberships = Object.values(resourcesOf(api, 'AWS::ApiGateway::UsagePlanKey')).map((one) => one.Properties)
    expect(memberships).toMatchObject([
      { KeyId: { Ref: keyId }, UsagePlanId: { Ref: expect.stringMatching(/reserved/) } },
    ])
    const variables = Object.values(resourcesOf(api, 'AWS::Lambda::Function')).map((one) =>
      JSON.stringify(one.Properties['Environment'] ?? {}),
    )
    expect(variables.filter((one) => one.includes(`"RESERVED_GATEWAY_KEY":"${Properties['Value']}"`))).toHaveLength(1)
  })

  it('have another reserved key in each environment, as values are unique in an account and Region', () => {
    expect(reservedGatewayKey('pet-adoption-staging-api')).not.toBe(reservedGatewayKey('pet-adoption-production-api'))
  })
})
