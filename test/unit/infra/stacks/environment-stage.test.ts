import { Template } from 'aws-cdk-lib/assertions'
import type { CloudFormationStackArtifact } from 'aws-cdk-lib/cx-api'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../../../../infra/app.ts'
import { listFunctionNames } from '../../../../infra/bundling/function-bundle.ts'
import { environmentNames } from '../../../../infra/environments.ts'
import { type DrawnSettings, drawSettings } from '../../../fixtures/environment/settings.ts'
import {
  createStage,
  findProperties,
  findResources,
  type Resource,
  synthesizeTemplates,
  type Templates,
  withoutAssets,
} from '../../../fixtures/environment/templates.ts'
import { chooseBySize } from '../../../fixtures/machine/size.ts'

const production = synthesizeTemplates('production')

interface IdentifiedResource {
  readonly id: string
  readonly resource: Resource
}

/** Finds the resources of one type, or all, in the four templates of an environment. */
const findInAllTemplates = (
  { data, account, api, reference }: Templates,
  type?: string,
): readonly IdentifiedResource[] =>
  [data, account, api, reference].flatMap((template) =>
    Object.entries(findResources(template, type)).map(([id, resource]) => ({ id, resource })),
  )

// CloudFormation takes another logical id for another resource, and creates an empty one beside the old. These
// resources cannot be made again, or are known by an id that AWS gives: API and reference by their URLs, usage plans
// by their keys.
it.each([
  { type: 'AWS::DynamoDB::Table', logicalId: 'ApiKeys3BB3983D' },
  { type: 'AWS::DynamoDB::Table', logicalId: 'Audit3D8ADE0A' },
  { type: 'AWS::DynamoDB::Table', logicalId: 'Listings184A7881' },
  { type: 'AWS::DynamoDB::Table', logicalId: 'IdempotencyC15CBC33' },
  { type: 'AWS::DynamoDB::Table', logicalId: 'Pets118546E0' },
  { type: 'AWS::CloudFront::Distribution', logicalId: 'Distribution830FAC52' },
  { type: 'AWS::ApiGateway::RestApi', logicalId: 'ApiRestApiE35FEAFE' },
  { type: 'AWS::ApiGateway::UsagePlan', logicalId: 'UsagePlansfree923DF7CE' },
  { type: 'AWS::ApiGateway::UsagePlan', logicalId: 'UsagePlansunlimited3A6E3610' },
])('production keeps the logical id $logicalId of type $type', ({ type, logicalId }) => {
  expect(findInAllTemplates(production, type).map(({ id }) => id)).toContain(logicalId)
})

it('the logs of production stay when a stack is deleted, but not when its first deployment fails', () => {
  const logGroups = findInAllTemplates(production, 'AWS::Logs::LogGroup')
  // The log of the uploads records deployments only, so it is deleted with its stack.
  const keptLogGroups = logGroups.filter(({ id }) => !id.startsWith('UploadLogs'))

  // Each function has a log. The other one is the access log.
  expect(keptLogGroups).toHaveLength(listFunctionNames().length + 1)
  for (const { resource } of keptLogGroups) {
    expect(resource).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
  }
})

// An alias may return to an earlier version. The role of AWS::ApiGateway::Account writes the logs of all APIs in the
// Region, those of production among them.
it('staging leaves only versions and the account-wide role of API Gateway when it is deleted', () => {
  const resources = findInAllTemplates(synthesizeTemplates('staging')).map(({ resource }) => resource)

  const keptResources = resources.filter(({ DeletionPolicy }) => /Retain/.test(DeletionPolicy))
  const keptTypes = new Set(keptResources.map(({ Type }) => Type))

  expect(keptTypes).toEqual(new Set(['AWS::ApiGateway::Account', 'AWS::IAM::Role', 'AWS::Lambda::Version']))
})

// AWS may refuse CloudFront to a new account. A stack of the reference with termination protection could then not be
// deployed again.
it.each([
  { environment: 'staging', isProtected: false },
  { environment: 'production', isProtected: true },
] as const)(
  'termination protection of the stacks data and api of $environment is $isProtected, that of the reference false',
  ({ environment, isProtected }) => {
    const { data, api, reference } = createStage(environment)

    expect(data.terminationProtection).toBe(isProtected)
    expect(api.terminationProtection).toBe(isProtected)
    expect(reference?.terminationProtection).toBe(false)
  },
)

it.each(environmentNames)(
  'the templates of %s hold no secret, and open no function or table by a URL or a policy of its own',
  (environment) => {
    const text = JSON.stringify(synthesizeTemplates(environment))

    expect(text).not.toMatch(/pet_(live|test)_\w{20}|SecretString|NoEcho|password|AKIA[0-9A-Z]{16}/i)
    expect(text).not.toMatch(/AWS::Lambda::Url|AWS::DynamoDB::ResourcePolicy/)
  },
)

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
