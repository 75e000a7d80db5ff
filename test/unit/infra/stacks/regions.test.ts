import { RegionInfo } from 'aws-cdk-lib/region-info'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../../infra/app.ts'
import { defaults, environmentNames } from '../../../../infra/environments.ts'
import { sized } from '../../../fixtures/size.ts'
import { createStage } from '../synthesized.ts'

const namesIn = (isSupported: boolean): string[] =>
  RegionInfo.regions.filter(({ partition }) => (partition === 'aws') === isSupported).map(({ name }) => name)

describe('the environments', () => {
  it.each(sized(['me-central-1'], namesIn(true)))('synthesize in %s', (region) => {
    for (const environment of environmentNames) {
      const { stacks } = createStage(environment, {
        config: { ...defaults[environment], region: region as `${string}-${string}-${number}` },
      }).synth()
      expect(stacks.map((stack) => stack.environment.region)).toEqual([region, region, region])
      expect(stacks.flatMap(({ messages }) => messages).filter(({ level }) => level === 'error')).toEqual([])
    }
  })
})

describe('a Region that cannot hold the service', () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each(namesIn(false))('ends the synth with a sentence, where only the credentials name it: %s', (region) => {
    vi.stubEnv('CDK_DEFAULT_REGION', region)
    expect(() => createApp()).toThrow(`The Region ${region} cannot hold the API reference`)
  })

  it('ends the synth where the environment names it', () => {
    const production = { ...defaults.production, region: 'cn-north-1' } as const
    expect(() => createApp({ configs: { production } })).toThrow('set production.region to one outside China')
  })
})
