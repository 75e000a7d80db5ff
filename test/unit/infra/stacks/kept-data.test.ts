import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { listFunctionNames } from '../../../../infra/bundling/function-bundle.ts'
import { defaults, environmentNames, presets } from '../../../../infra/environments.ts'
import { DataStack } from '../../../../infra/stacks/data-stack.ts'
import {
  createStage,
  everyOption,
  findProperties,
  findResources,
  synthesizeTemplates,
  type Templates,
} from '../../../fixtures/templates.ts'

const resourcesIn = (templates: Templates) =>
  Object.values<Template>({ ...templates }).flatMap((template) => Object.entries(findResources(template)))

const production = synthesizeTemplates('production')
const ofType = (type: string) => resourcesIn(production).filter(([, { Type }]) => Type === type)

describe('production keeps', () => {
  // What cannot be made again, or is known by an id that AWS gives: API and reference by their URLs, the plans by the keys
  // in them. Another logical id is another resource to CloudFormation, which would create an empty one beside the old.
  it.each([
    ['AWS::DynamoDB::Table', ['ApiKeys3BB3983D', 'IdempotencyC15CBC33', 'Pets118546E0']],
    ['AWS::CloudFront::Distribution', ['Distribution830FAC52']],
    ['AWS::ApiGateway::RestApi', ['ApiRestApiE35FEAFE']],
    ['AWS::ApiGateway::UsagePlan', ['UsagePlansfree923DF7CE', 'UsagePlansreserved56F40F26']],
  ])('its logical ids: %s', (type, ids) => {
    expect(ofType(type).map(([id]) => id)).toEqual(expect.arrayContaining(ids))
  })

  it('its tables, protected and recoverable, when a stack is deleted or would replace them, in the small size too', () => {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true }
    const Properties = { DeletionProtectionEnabled: true, PointInTimeRecoverySpecification }
    const kept = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain', Properties }
    expect(ofType('AWS::DynamoDB::Table').map(([, table]) => table)).toMatchObject([kept, kept, kept])
    expect(findResources(synthesizeTemplates('production', presets.small).data)).toEqual(findResources(production.data))
  })

  it('its logs, of which a first deployment that fails still leaves none behind, and the audit for a year', () => {
    // That of the uploads records deployments only.
    const groups = ofType('AWS::Logs::LogGroup').filter(([id]) => !id.startsWith('UploadLogs'))
    const kept = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' }
    // Of each function, the access log and the audit.
    expect(groups.map(([, group]) => group)).toMatchObject([...listFunctionNames(), 'access', 'audit'].map(() => kept))
    const { data } = synthesizeTemplates('production', everyOption)
    expect(findProperties(data, 'AWS::Logs::LogGroup')).toMatchObject([{ RetentionInDays: 365 }])
  })
})

it('staging goes with its stacks, but for versions that an alias may return to and the role that writes the logs of all APIs', () => {
  const kept = resourcesIn(synthesizeTemplates('staging')).filter(([, { DeletionPolicy }]) =>
    /Retain/.test(DeletionPolicy),
  )
  const types = new Set(kept.map(([, { Type }]) => Type))
  expect(types).toEqual(new Set(['AWS::ApiGateway::Account', 'AWS::IAM::Role', 'AWS::Lambda::Version']))
})

it.each(environmentNames)('the stacks of %s refuse to be deleted where the data is protected', (environment) => {
  const { data, api, reference } = createStage(environment)
  const protections = [data, api, reference].map((stack) => stack?.terminationProtection)
  expect(new Set(protections)).toEqual(new Set([environment === 'production']))
})

it('idempotency records are forgotten when their time is over', () => {
  const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: true }
  production.data.hasResourceProperties('AWS::DynamoDB::Table', { TimeToLiveSpecification })
})

it('the names and ARNs of the tables are exported, whether or not another stack uses them', () => {
  const own = { environment: 'production', config: defaults.production } as const
  const alone = Template.fromStack(new DataStack(new App(), 'alone', own))
  const tables = Object.keys(findResources(alone, 'AWS::DynamoDB::Table'))
  const expected = tables.flatMap((id) => [{ 'Fn::GetAtt': [id, 'Arn'] }, { Ref: id }])
  for (const template of [alone, production.data]) {
    const exported = Object.values(template.findOutputs('*', { Export: {} })).map(({ Value }) => Value)
    expect(new Set(exported)).toEqual(new Set(expected))
  }
})

it.each(environmentNames)(
  'the templates of %s hold no secret, and let API Gateway and the schedule alone invoke functions',
  (environment) => {
    const templates = synthesizeTemplates(environment)
    const text = JSON.stringify(templates)
    expect(text).not.toMatch(/pet_(live|test)_\w{20}|SecretString|NoEcho|password|AKIA[0-9A-Z]{16}/i)
    expect(text).not.toMatch(/AWS::Lambda::Url|AWS::DynamoDB::ResourcePolicy/)
    const permissions = findProperties(templates.api, 'AWS::Lambda::Permission')
    const invokers = permissions.map(({ Principal, SourceArn }) => SourceArn && Principal)
    expect(new Set(invokers)).toEqual(new Set(['apigateway.amazonaws.com', 'events.amazonaws.com']))
  },
)
