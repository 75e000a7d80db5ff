import { Template } from 'aws-cdk-lib/assertions'
import type { CloudFormationStackArtifact } from 'aws-cdk-lib/cx-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../../infra/app.ts'
import type { EnvironmentConfig } from '../../../../infra/environments.ts'
import { findLintFaults, isLinterMissing } from '../../../fixtures/lint-templates.ts'
import { type DrawnSettings, drawSettings } from '../../../fixtures/settings.ts'
import { chooseBySize } from '../../../fixtures/size.ts'
import { findProperties, withoutAssets } from '../../../fixtures/templates.ts'

interface SynthesizedEnvironment extends DrawnSettings {
  readonly stacks: readonly CloudFormationStackArtifact[]
}

const synthesize = ({ environment, config }: DrawnSettings): SynthesizedEnvironment => {
  const app = createApp({ [environment]: config }, { context: withoutAssets })
  return { environment, config, stacks: app.synth().stacksRecursively }
}

/** Finds the properties of all resources of one type in the stacks of an environment. */
const findAllProperties = ({ stacks }: SynthesizedEnvironment, type: string) =>
  stacks.flatMap(({ template }) => findProperties(Template.fromJSON(template), type))

/** Finds the names of exports that a template imports. */
const findImports = (template: unknown): readonly string[] =>
  JSON.stringify(template).match(/(?<="Fn::ImportValue":")[^"]+/g) ?? []

/** Finds the names of exports of a template. */
const findExports = ({ Outputs = {} }: CloudFormationStackArtifact['template']): readonly string[] =>
  Object.values<{ readonly Export?: { readonly Name: string } }>(Outputs).flatMap(({ Export }) => Export?.Name ?? [])

/** `PET_SETTINGS=100` draws more. */
const count = Number(process.env['PET_SETTINGS'] ?? chooseBySize(2, 8))

const drawnSettings = fc.sample(drawSettings, count)

/** The Region of an environment, or any if its settings name none. */
const getRegion = ({ region = 'eu-central-1' }: EnvironmentConfig): string => region

const drawnRegions = new Set(drawnSettings.map(({ config }) => getRegion(config)))

describe(`an environment with any settings (${count} drawn)`, () => {
  let environments: readonly SynthesizedEnvironment[]

  beforeAll(() => {
    environments = drawnSettings.map(synthesize)
  })

  /** Checks all environments. A failure shows the settings of the environment. */
  const expectOfAll = (check: (environment: SynthesizedEnvironment, settings: string) => void): void => {
    for (const environment of environments) check(environment, JSON.stringify(environment.config))
  }

  it('any environment has all stacks, the reference unless it is turned off', () => {
    expectOfAll(({ config, stacks }, settings) => {
      const expected = ['data', 'account', 'api', ...(config.reference ? ['reference'] : [])]
      const names = stacks.map(({ hierarchicalId }) => hierarchicalId.split('/')[1])
      expect(new Set(names), settings).toEqual(new Set(expected))
    })
  })

  it('any environment looks up nothing in an AWS account', () => {
    expectOfAll(({ stacks }, settings) => {
      for (const { assembly } of stacks) expect(assembly.manifest.missing ?? [], settings).toEqual([])
    })
  })

  it('any environment has stacks with the tags of the service', () => {
    expectOfAll(({ environment, stacks }, settings) => {
      for (const { tags } of stacks) expect(tags, settings).toEqual({ service: 'pet-adoption', environment })
    })
  })

  it('any environment sends no usage data to CDK', () => {
    expectOfAll((environment, settings) => {
      expect(findAllProperties(environment, 'AWS::CDK::Metadata'), settings).toEqual([])
    })
  })

  it('any environment exports in earlier stacks what a stack imports', () => {
    expectOfAll(({ stacks }, settings) => {
      const exportsOf = new Map(stacks.map(({ id, template }) => [id, findExports(template)]))
      for (const { template, dependencies } of stacks) {
        const earlierExports = dependencies.flatMap(({ id }) => exportsOf.get(id) ?? [])
        expect(earlierExports, settings).toEqual(expect.arrayContaining([...findImports(template)]))
      }
    })
  })

  // CloudWatch refuses such a widget: "Should NOT have less than 1 items".
  it('any environment has a dashboard without empty widgets, or none', () => {
    expectOfAll((environment, settings) => {
      const dashboards = findAllProperties(environment, 'AWS::CloudWatch::Dashboard')
      expect(dashboards, settings).toHaveLength(environment.config.dashboard ? 1 : 0)
      expect(JSON.stringify(dashboards), settings).not.toMatch(/"(alarms|metrics)\\?":\s*\[\]/)
    })
  })

  // "Alarm description: up to 1,024 characters" (PutMetricAlarm).
  it('any environment has descriptions of alarms that CloudWatch takes', () => {
    expectOfAll((environment, settings) => {
      for (const { AlarmDescription } of findAllProperties(environment, 'AWS::CloudWatch::Alarm')) {
        expect(AlarmDescription.length, settings).toBeLessThanOrEqual(1_024)
      }
    })
  })

  // "AWS CloudFormation quotas" in its user guide.
  it('any environment stays within the quotas of CloudFormation', () => {
    expectOfAll(({ stacks }, settings) => {
      for (const { template } of stacks) {
        expect(Object.keys(template.Resources).length, settings).toBeLessThanOrEqual(500)
        expect(Object.keys(template.Outputs ?? {}).length, settings).toBeLessThanOrEqual(200)
        expect(JSON.stringify(template).length, settings).toBeLessThanOrEqual(1_000_000)
      }
    })
  })

  // In `npm test` cfn-lint reads the templates of one stage alone, in template-lint.test.ts.
  it.skipIf(isLinterMissing || !chooseBySize(false, true)).each([...drawnRegions])(
    'any environment in %s has templates in which cfn-lint finds no fault',
    (region) => {
      const ofRegion = environments.filter(({ config }) => getRegion(config) === region)
      // Many environments have the same data stack or reference stack.
      const templates = new Map<string, string>()
      for (const { template, templateFullPath } of ofRegion.flatMap(({ stacks }) => stacks)) {
        templates.set(JSON.stringify(template), templateFullPath)
      }

      expect(findLintFaults([...templates.values()], region)).toEqual([])
    },
  )
})
