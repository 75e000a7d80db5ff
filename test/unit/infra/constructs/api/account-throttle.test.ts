import { Annotations, Match, Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { environmentNames, environments } from '../../../../../infra/environments.ts'
import type { EnvironmentStage } from '../../../../../infra/stacks/environment-stage.ts'
import { sized } from '../../../../fixtures/size.ts'
import { createStage, resourcesOf } from '../../synthesized.ts'

/** The AWS document "Amazon API Gateway quotas", of November 2026. */
const smallerRegions = [
  ['Cape Town', 'af-south-1'],
  ['Milan', 'eu-south-1'],
  ['Jakarta', 'ap-southeast-3'],
  ['UAE', 'me-central-1'],
  ['Hyderabad', 'ap-south-2'],
  ['Melbourne', 'ap-southeast-4'],
  ['Spain', 'eu-south-2'],
  ['Zurich', 'eu-central-2'],
  ['Tel Aviv', 'il-central-1'],
  ['Calgary', 'ca-west-1'],
  ['Malaysia', 'ap-southeast-5'],
  ['Thailand', 'ap-southeast-7'],
  ['Mexico', 'mx-central-1'],
] as const

/** Every rate and every burst of the stage and of the usage plans. */
const throttlesOf = ({ api }: EnvironmentStage) => {
  const template = Template.fromStack(api)
  const text = ['AWS::ApiGateway::Stage', 'AWS::ApiGateway::UsagePlan'].map((type) =>
    JSON.stringify(resourcesOf(template, type)),
  )
  const numbers = (name: string) => [...text.join().matchAll(new RegExp(`"(?:Throttling)?${name}":([\\d.]+)`, 'g'))]
  return {
    rates: numbers('RateLimit').map(([, rate]) => Number(rate)),
    bursts: numbers('BurstLimit').map(([, burst]) => Number(burst)),
  }
}

const warningsOf = ({ api }: EnvironmentStage) =>
  Annotations.fromStack(api).findWarning('*', Match.stringLikeRegexp('A caller of the Business plan may be refused'))

describe('the throttles', () => {
  it.each(smallerRegions.slice(0, sized(1, smallerRegions.length)))(
    'are within the smaller limit of an account in %s, with a warning',
    (_city, region) => {
      const stage = createStage('production', { config: { ...environments.production, region } })
      const { rates, bursts } = throttlesOf(stage)
      expect(rates).toHaveLength(4)
      expect(Math.max(...rates)).toBeLessThanOrEqual(2_500)
      expect(bursts).toHaveLength(4)
      expect(Math.max(...bursts)).toBe(1_250)
      expect(warningsOf(stage).map(({ id }) => id)).toEqual(['/production/api/Api', '/production/api/UsagePlans'])
    },
  )

  it.each(environmentNames)('are within it where only the credentials name the Region: %s', (environment) => {
    const stage = createStage(environment, { credentialsRegion: 'eu-south-2' })
    expect(Math.max(...throttlesOf(stage).bursts)).toBe(1_250)
    expect(warningsOf(stage)).not.toEqual([])
  })

  it('follow the configured Region rather than that of the credentials', () => {
    const config = { ...environments.production, region: 'eu-central-1' }
    expect(warningsOf(createStage('production', { config, credentialsRegion: 'eu-south-2' }))).toEqual([])
  })

  it.each(environmentNames)('are those of the configuration elsewhere, without a warning: %s', (environment) => {
    const stage = createStage(environment)
    expect(Math.max(...throttlesOf(stage).bursts)).toBe(Math.max(environments[environment].methodThrottle.burst, 2_084))
    expect(warningsOf(stage)).toEqual([])
  })
})
