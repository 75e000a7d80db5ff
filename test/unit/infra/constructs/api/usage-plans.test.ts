import { describe, expect, it } from 'vitest'
import { reservedGatewayKey } from '../../../../../infra/constructs/api/usage-plans.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('staging')
const plans = Object.entries(resourcesOf(api, 'AWS::ApiGateway::UsagePlan'))
const planNamed = (plan: string) => plans.find(([, { Properties }]) => Properties.UsagePlanName.endsWith(`-${plan}`))

// edge-throttle.test.ts judges the limits of the others.
describe('the usage plans', () => {
  it('are all attached to the stage, where a key of no plan is refused', () => {
    const [stageId] = Object.keys(resourcesOf(api, 'AWS::ApiGateway::Stage'))
    expect(plans).toHaveLength(planNames.length + 1)
    for (const [, { Properties }] of plans) expect(Properties.ApiStages).toMatchObject([{ Stage: { Ref: stageId } }])
  })

  it.each(['enterprise', 'reserved'])('leave keys to their own allowances: %s', (plan) => {
    const { Throttle, Quota } = planNamed(plan)?.[1].Properties ?? {}
    expect([Throttle, Quota]).toEqual([undefined, undefined])
  })

  it('have the only key of the template in the reserved one, which the authorizer names', () => {
    const [[keyId = '', key] = [], ...others] = Object.entries(resourcesOf(api, 'AWS::ApiGateway::ApiKey'))
    expect(others).toEqual([])
    const members = Object.values(resourcesOf(api, 'AWS::ApiGateway::UsagePlanKey'))
    expect(members.map(({ Properties }) => Properties)).toMatchObject([
      { KeyId: { Ref: keyId }, UsagePlanId: { Ref: planNamed('reserved')?.[0] } },
    ])
    expect(key?.Properties.Value).toMatch(/^[0-9a-f]{64}$/)
    api.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { RESERVED_GATEWAY_KEY: key?.Properties.Value } },
    })
  })

  it('have another reserved key in each environment, as values are unique in an account and Region', () => {
    expect(reservedGatewayKey('pet-adoption-staging-api')).not.toBe(reservedGatewayKey('pet-adoption-production-api'))
  })
})
