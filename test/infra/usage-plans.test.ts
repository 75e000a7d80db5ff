import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { resourcesOf, synthesize } from './synthesized.ts'

const { api } = synthesize('staging')
const plans = Object.values(resourcesOf(api, 'AWS::ApiGateway::UsagePlan')).map(({ Properties }) => Properties)
const planNamed = (plan: string) =>
  plans.find(({ UsagePlanName }) => UsagePlanName === `pet-adoption-staging-api-${plan}`)

describe('the usage plans', () => {
  it('limit the edge to a minute and a day of each plan, with a burst of two full minutes', () => {
    const day = (Limit: number) => ({ Limit, Period: 'DAY' })
    expect(planNamed('free')).toMatchObject({ Throttle: { RateLimit: 1, BurstLimit: 120 }, Quota: day(1_000) })
    expect(planNamed('pro')).toMatchObject({ Throttle: { RateLimit: 5, BurstLimit: 600 }, Quota: day(10_000) })
    expect(planNamed('business')).toMatchObject({
      Throttle: { RateLimit: expect.closeTo(16.667, 3), BurstLimit: 2_000 },
      Quota: day(100_000),
    })
  })

  it('leave enterprise keys to their own allowances', () => {
    expect(planNamed('enterprise')).toBeDefined()
    expect(planNamed('enterprise')).not.toHaveProperty('Throttle')
    expect(planNamed('enterprise')).not.toHaveProperty('Quota')
  })

  it('are all attached to the stage v1, where a key of no plan is refused', () => {
    const [stageId] = Object.keys(resourcesOf(api, 'AWS::ApiGateway::Stage'))
    expect(plans).toHaveLength(4)
    for (const plan of plans) expect(plan).toMatchObject({ ApiStages: [{ Stage: { Ref: stageId } }] })
  })

  it('are named by outputs, for whoever issues keys', () => {
    for (const plan of ['Free', 'Pro', 'Business', 'Enterprise']) {
      api.hasOutput(`${plan}UsagePlanId`, {
        Value: { Ref: Match.stringLikeRegexp(`^UsagePlans${plan.toLowerCase()}`) },
      })
    }
  })
})
