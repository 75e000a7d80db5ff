import { Stack } from 'aws-cdk-lib'
import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { accountThrottle, withinAccount } from '../../../../../infra/constructs/api/account-throttle.ts'
import { environmentNames, environments } from '../../../../../infra/environments.ts'
import type { EnvironmentStage } from '../../../../../infra/stacks/environment-stage.ts'
import { createStage, resourcesOf } from '../../synthesized.ts'

const smaller = { rateLimit: 2_500, burstLimit: 1_250 }

/** Every burst of the stage and of the usage plans. */
const burstsOf = (stage: EnvironmentStage): readonly number[] => {
  const api = Template.fromStack(stage.api)
  const text = ['Stage', 'UsagePlan'].map((type) => JSON.stringify(resourcesOf(api, `AWS::ApiGateway::${type}`)))
  return [...text.join().matchAll(/"(?:Throttling)?BurstLimit":(\d+)/g)].map(([, burst]) => Number(burst))
}

const warningsOf = ({ api }: EnvironmentStage): readonly string[] =>
  Annotations.fromStack(api)
    .findWarning('*', Match.stringLikeRegexp('A caller of the Business plan may be refused'))
    .map(({ id }) => id)

describe('an account', () => {
  /** Cape Town to Mexico in the AWS document "Amazon API Gateway quotas", of November 2026. */
  it.each([
    ...['af-south-1', 'eu-south-1', 'ap-southeast-3', 'me-central-1', 'ap-south-2', 'ap-southeast-4', 'eu-south-2'],
    ...['eu-central-2', 'il-central-1', 'ca-west-1', 'ap-southeast-5', 'ap-southeast-7', 'mx-central-1'],
  ])('has the smaller throttle in %s', (region) => expect(accountThrottle(region)).toEqual(smaller))

  it.each([undefined, 'eu-central-1'])('has the larger throttle elsewhere: %s', (region) => {
    expect(accountThrottle(region)).toEqual({ rateLimit: 10_000, burstLimit: 5_000 })
  })

  it.each([
    [
      { rateLimit: 3_000, burstLimit: 1_000 },
      { rateLimit: 2_500, burstLimit: 1_000 },
    ],
    [
      { rateLimit: 1, burstLimit: 2_000 },
      { rateLimit: 1, burstLimit: 1_250 },
    ],
  ])('bounds rate and burst, each by itself: %o', (wanted, allowed) => {
    expect(withinAccount(new Stack(), wanted, smaller)).toEqual(allowed)
  })
})

describe('the throttles', () => {
  it('are within those of the account where only the credentials name the Region, with a warning', () => {
    const stage = createStage('production', { credentialsRegion: 'eu-south-2' })
    expect(burstsOf(stage)).toHaveLength(4)
    expect(Math.max(...burstsOf(stage))).toBe(1_250)
    expect(warningsOf(stage)).toEqual(['/production/api/Api', '/production/api/UsagePlans'])
  })

  it('follow the configured Region rather than that of the credentials', () => {
    const config = { ...environments.production, region: 'eu-central-1' }
    expect(warningsOf(createStage('production', { config, credentialsRegion: 'eu-south-2' }))).toEqual([])
  })

  it.each(environmentNames)('are those of the configuration elsewhere, without a warning: %s', (environment) => {
    const stage = createStage(environment)
    expect(Math.max(...burstsOf(stage))).toBe(Math.max(environments[environment].methodThrottle.burst, 2_084))
    expect(warningsOf(stage)).toEqual([])
  })
})
