import { describe, expect, it } from 'vitest'
import { reservedGatewayKey } from '../../../../../infra/constructs/api/usage-plans.ts'
import { fixedPlans, planNames } from '../../../../../shared/api-keys/plans.ts'
import { resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('staging')
const resolved = resolvedResources('staging')

interface PlanProperties {
  readonly UsagePlanName: string
  readonly Throttle?: object
  readonly Quota?: object
}

const plans = resolved<PlanProperties>('ApiGateway::UsagePlan')
const planNamed = (plan: string) => plans.find(({ properties }) => properties.UsagePlanName.endsWith(`-${plan}`))
const limitsOf = (plan: string) => {
  const { Throttle, Quota } = planNamed(plan)?.properties ?? {}
  return { Throttle, Quota }
}
const unlimited = { Throttle: undefined, Quota: undefined }

describe('the usage plans', () => {
  it.each(Object.entries(fixedPlans))(
    'limit the edge to a minute and a day of the plan %s, with a burst of two full minutes and five seconds',
    (plan, allowance) => {
      const { perMinute, perDay } = allowance
      expect(limitsOf(plan)).toEqual({
        Throttle: { RateLimit: expect.closeTo(perMinute / 60, 3), BurstLimit: Math.ceil((perMinute * 125) / 60) },
        Quota: { Limit: perDay, Period: 'DAY' },
      })
    },
  )

  it('leave enterprise keys to their own allowances', () => expect(limitsOf('enterprise')).toEqual(unlimited))

  it('are all attached to the stage v1, where a key of no plan is refused', () => {
    const [stageId] = Object.keys(resourcesOf(api, 'AWS::ApiGateway::Stage'))
    expect(plans).toHaveLength(planNames.length + 1)
    for (const { Properties } of Object.values(resourcesOf(api, 'AWS::ApiGateway::UsagePlan'))) {
      expect(Properties).toMatchObject({ ApiStages: [{ Stage: { Ref: stageId } }] })
    }
  })

  it('have one without limits for requests that must use up no plan of a caller, with the only key of the template', () => {
    expect(limitsOf('reserved')).toEqual(unlimited)
    const keys = resolved<{ Name: string; Value: string }>('ApiGateway::ApiKey')
    expect(keys.map(({ properties }) => properties.Name)).toEqual(['pet-adoption-staging-api-reserved'])
    const members = resolved<{ KeyId: string; UsagePlanId: string }>('ApiGateway::UsagePlanKey')
    expect(members.map(({ properties }) => properties)).toMatchObject([
      { KeyId: keys[0]?.name, UsagePlanId: planNamed('reserved')?.name },
    ])
    const value = keys[0]?.properties.Value ?? ''
    expect(value).toMatch(/^[0-9a-f]{64}$/)
    const variables = Object.values(resourcesOf(api, 'AWS::Lambda::Function')).map((one) =>
      JSON.stringify(one.Properties['Environment'] ?? {}),
    )
    expect(variables.filter((one) => one.includes(`"RESERVED_GATEWAY_KEY":"${value}"`))).toHaveLength(1)
  })

  it('have another reserved key in each environment, as values are unique in an account and Region', () => {
    expect(reservedGatewayKey('pet-adoption-staging-api')).not.toBe(reservedGatewayKey('pet-adoption-production-api'))
  })
})
