import { Template } from 'aws-cdk-lib/assertions'
import type { CloudFormationStackArtifact } from 'aws-cdk-lib/cx-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../../infra/app.ts'
import { type DrawnSettings, drawSettings } from '../../../fixtures/environment/settings.ts'
import { findProperties, withoutAssets } from '../../../fixtures/environment/templates.ts'
import { chooseBySize } from '../../../fixtures/machine/size.ts'

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

const count = chooseBySize(2, 4, 100)

const drawnSettings = fc.sample(drawSettings, count)

describe(`an environment with any settings (${count} drawn)`, () => {
  let environments: readonly SynthesizedEnvironment[]

  beforeAll(() => {
    environments = drawnSettings.map(synthesize)
  })

  /** Checks all environments. A failure shows the settings of the environment. */
  const expectOfAll = (check: (environment: SynthesizedEnvironment, settings: string) => void): void => {
    for (const environment of environments) check(environment, JSON.stringify(environment.config))
  }

  it('any environment looks up nothing in an AWS account', () => {
    expectOfAll(({ stacks }, settings) => {
      for (const { assembly } of stacks) expect(assembly.manifest.missing ?? [], settings).toEqual([])
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
})
