import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { tableAccess } from '../../../../infra/constructs/functions/table-access.ts'
import {
  defaults,
  type EnvironmentConfig,
  type EnvironmentName,
  environmentNames,
  presets,
} from '../../../../infra/environments.ts'
import { DataStack } from '../../../../infra/stacks/data-stack.ts'
import {
  accountAndRegion,
  createStage,
  everyOption,
  findProperties,
  findResources,
  type Resource,
  synthesizeTemplates,
  type Templates,
} from '../../../fixtures/environment/templates.ts'

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

// CloudFormation takes another logical id for another resource: it creates a new, empty resource, and no longer uses
// the old one. These resources cannot be made again, or others know them by an id that AWS gives: callers know the API
// and the reference page by their URLs, and API Gateway's keys belong to a usage plan by its id.
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
  // The log of the function that uploads the reference page records deployments only, so it is deleted with its stack.
  const keptLogGroups = logGroups.filter(({ id }) => !id.startsWith('UploadLogs'))

  // Each function has a log, and table-access.ts names each function. The other one is the access log.
  expect(keptLogGroups).toHaveLength(Object.keys(tableAccess).length + 1)
  for (const { resource } of keptLogGroups) {
    expect(resource).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
  }
})

// Versions of functions stay because an alias may return to an earlier one. AWS::ApiGateway::Account and its role stay
// because the role writes the logs of all APIs in the Region, those of production among them.
it('staging leaves only versions of functions, and the role for the logs of API Gateway, when it is deleted', () => {
  const resources = findInAllTemplates(synthesizeTemplates('staging')).map(({ resource }) => resource)

  const keptResources = resources.filter(({ DeletionPolicy }) => /Retain/.test(DeletionPolicy))
  const keptTypes = new Set(keptResources.map(({ Type }) => Type))

  expect(keptTypes).toEqual(new Set(['AWS::ApiGateway::Account', 'AWS::IAM::Role', 'AWS::Lambda::Version']))
})

// Lambda creates the log group of a function that names none, and no stack deletes such a log group.
it('only the function that empties the bucket of the reference leaves its log group when staging is deleted', () => {
  const lambdas = findInAllTemplates(synthesizeTemplates('staging'), 'AWS::Lambda::Function')

  const lambdasWithoutLogGroup = lambdas.filter(({ resource }) => resource.Properties.LoggingConfig === undefined)

  const ids = lambdasWithoutLogGroup.map(({ id }) => id)
  expect(ids).toEqual([expect.stringMatching(/^CustomS3AutoDeleteObjects/)])
})

// AWS may refuse CloudFront to a new account. The stack of the reference, whose first deployment has then failed, must
// be deleted before it can be deployed again, and termination protection would refuse that.
it.each([
  { environment: 'staging', isProtected: false },
  { environment: 'production', isProtected: true },
] as const)(
  'the stacks data and api of $environment have termination protection: $isProtected, and the reference stack has none',
  ({ environment, isProtected }) => {
    const { data, api, reference } = createStage(environment)

    expect(data.terminationProtection).toBe(isProtected)
    expect(api.terminationProtection).toBe(isProtected)
    expect(reference?.terminationProtection).toBe(false)
  },
)

it.each(environmentNames)(
  'the templates of %s have no secret, no URL of a function and no policy of a table',
  (name) => {
    const text = JSON.stringify(synthesizeTemplates(name))

    // API keys, passwords, parameters of CloudFormation that hold a secret (NoEcho), and access keys of AWS.
    expect(text).not.toMatch(/pet_(live|test)_\w{20}|SecretString|NoEcho|password|AKIA[0-9A-Z]{16}/i)
    expect(text).not.toMatch(/AWS::Lambda::Url|AWS::DynamoDB::ResourcePolicy/)
  },
)

/** An address of the runbook with 500 characters, the most that the settings take: the part before has 20. */
const longestRunbookUrl = `https://example.org/${'a'.repeat(480)}` as const

interface Variant {
  readonly name: string
  readonly environment: EnvironmentName
  readonly change: Partial<EnvironmentConfig>
}

/** Settings with which the stacks have different resources. */
const variants: readonly Variant[] = [
  { name: 'staging', environment: 'staging', change: {} },
  { name: 'production', environment: 'production', change: {} },
  {
    name: 'production with every option',
    environment: 'production',
    change: { ...everyOption, ...accountAndRegion, runbookUrl: longestRunbookUrl },
  },
  {
    name: 'production with the preset small and a dashboard',
    environment: 'production',
    change: { ...presets.small, dashboard: true },
  },
  {
    name: 'production in China',
    environment: 'production',
    change: { region: 'cn-north-1', reference: false },
  },
]

describe.each(variants)('$name', ({ name, environment, change }) => {
  const { stacks } = createStage(environment, change).synth()

  /** Finds the properties of all resources of one type. */
  const findAllProperties = (type: string) =>
    stacks.flatMap(({ template }) => findProperties(Template.fromJSON(template), type))

  it(`${name} looks up nothing in an AWS account`, () => {
    for (const { assembly } of stacks) expect(assembly.manifest.missing ?? []).toEqual([])
  })

  it(`each stack of ${name} imports only values that a stack before it exports`, () => {
    for (const { template, dependencies } of stacks) {
      const earlierStacks = stacks.filter((stack) => dependencies.includes(stack))
      const earlierTemplates = JSON.stringify(earlierStacks.map((stack) => stack.template))
      for (const [, exportName] of JSON.stringify(template).matchAll(/"Fn::ImportValue":"([^"]+)"/g)) {
        expect(earlierTemplates).toContain(`"Export":{"Name":"${exportName}"}`)
      }
    }
  })

  // CloudWatch refuses a widget without metrics or alarms: "Should NOT have less than 1 items".
  it(`${name} has no dashboard with an empty widget`, () => {
    const dashboards = findAllProperties('AWS::CloudWatch::Dashboard')

    expect(JSON.stringify(dashboards)).not.toMatch(/"(alarms|metrics)\\?":\s*\[\]/)
  })

  // "Alarm description: up to 1,024 characters" (PutMetricAlarm).
  it(`${name} has descriptions of alarms that CloudWatch takes`, () => {
    for (const { AlarmDescription } of findAllProperties('AWS::CloudWatch::Alarm')) {
      expect(AlarmDescription.length).toBeLessThanOrEqual(1_024)
    }
  })
})

it('the tables of production stay when a stack is deleted or would replace them', () => {
  const tables = Object.values(findResources(production.data, 'AWS::DynamoDB::Table'))

  expect(tables).toHaveLength(5)
  for (const table of tables) expect(table).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
})

it.each([
  { records: 'idempotency records', logicalId: 'IdempotencyC15CBC33' },
  { records: 'records of the audit', logicalId: 'Audit3D8ADE0A' },
])('$records are deleted when their time is over', ({ logicalId }) => {
  expect(findResources(production.data)[logicalId]).toMatchObject({
    Properties: { TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } },
  })
})

// A release deploys the stack data before the stack api, and CloudFormation deletes no export that another stack still
// imports. So the exports must stay in the first release whose functions no longer use a table. Functions use three of
// the five tables: only commands use the others.
it('a data stack that no other stack imports from still exports the names and ARNs of the tables of functions', () => {
  const dataStack = new DataStack(new App(), 'alone', { environment: 'production', config: defaults.production })
  const outputs = Template.fromStack(dataStack).findOutputs('*', { Export: {} })

  const exportedValues = Object.values(outputs).map(({ Value }) => Value)

  expect(new Set(exportedValues)).toEqual(
    new Set([
      { Ref: 'ApiKeys3BB3983D' },
      { 'Fn::GetAtt': ['ApiKeys3BB3983D', 'Arn'] },
      { Ref: 'IdempotencyC15CBC33' },
      { 'Fn::GetAtt': ['IdempotencyC15CBC33', 'Arn'] },
      { Ref: 'Pets118546E0' },
      { 'Fn::GetAtt': ['Pets118546E0', 'Arn'] },
    ]),
  )
})
