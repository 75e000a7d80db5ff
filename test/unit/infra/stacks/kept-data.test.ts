import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { listFunctionNames } from '../../../../infra/bundling/function-bundle.ts'
import { defaults, environmentNames, presets } from '../../../../infra/environments.ts'
import { DataStack } from '../../../../infra/stacks/data-stack.ts'
import {
  createStage,
  findProperties,
  findResources,
  type Resource,
  synthesizeTemplates,
  type Templates,
} from '../../../fixtures/environment/templates.ts'

const production = synthesizeTemplates('production')
const staging = synthesizeTemplates('staging')

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

it('the tables of production stay when a stack is deleted or would replace them', () => {
  const tables = findInAllTemplates(production, 'AWS::DynamoDB::Table').map(({ resource }) => resource)

  expect(tables).toMatchObject(Array(5).fill({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' }))
})

it('the preset small changes no resource of the data stack', () => {
  const small = synthesizeTemplates('production', presets.small)

  expect(findResources(small.data)).toEqual(findResources(production.data))
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
  const resources = findInAllTemplates(staging).map(({ resource }) => resource)

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

it.each([
  { records: 'idempotency records', logicalId: 'IdempotencyC15CBC33' },
  { records: 'records of the audit', logicalId: 'Audit3D8ADE0A' },
])('$records are deleted when their time is over', ({ logicalId }) => {
  expect(findResources(production.data)[logicalId]).toMatchObject({
    Properties: { TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true } },
  })
})

describe('the exports of the tables', () => {
  const dataStackAlone = Template.fromStack(
    new DataStack(new App(), 'alone', { environment: 'production', config: defaults.production }),
  )

  it.each([
    { name: 'a data stack that no other stack uses', template: dataStackAlone },
    { name: 'the data stack of production', template: production.data },
  ])('$name exports the names and ARNs of the tables', ({ template }) => {
    const exportedValues = Object.values(template.findOutputs('*', { Export: {} })).map(({ Value }) => Value)

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
})

it.each(environmentNames)(
  'the templates of %s hold no secret, and open no function or table by a URL or a policy of its own',
  (environment) => {
    const text = JSON.stringify(synthesizeTemplates(environment))

    expect(text).not.toMatch(/pet_(live|test)_\w{20}|SecretString|NoEcho|password|AKIA[0-9A-Z]{16}/i)
    expect(text).not.toMatch(/AWS::Lambda::Url|AWS::DynamoDB::ResourcePolicy/)
  },
)

it.each(environmentNames)('only API Gateway and the schedule may invoke functions of %s', (environment) => {
  const { api } = synthesizeTemplates(environment)
  const permissions = findProperties(api, 'AWS::Lambda::Permission')

  // The console of API Gateway can test a method only if its stage `test-invoke-stage` may invoke the function.
  expect(JSON.stringify(permissions)).not.toContain('test-invoke-stage')
  // A permission without SourceArn would allow every API and every rule.
  const invokers = permissions.map(({ Principal, SourceArn }) => (SourceArn === undefined ? 'anybody' : Principal))

  expect(new Set(invokers)).toEqual(new Set(['apigateway.amazonaws.com', 'events.amazonaws.com']))
})
