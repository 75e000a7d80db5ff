import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { functionNames } from '../../../../infra/bundling/function-bundle.ts'
import { defaults, environmentNames, presets } from '../../../../infra/environments.ts'
import { DataStack } from '../../../../infra/stacks/data-stack.ts'
import { createStage, propertiesOf, type Resource, resourcesOf, synthesize, type Templates } from '../synthesized.ts'

const resourcesIn = (templates: Templates): readonly (readonly [id: string, Resource])[] =>
  Object.values<Template>({ ...templates }).flatMap((template) => Object.entries(resourcesOf(template)))

const production = synthesize('production')
const ofType = (type: string) => resourcesIn(production).filter(([, { Type }]) => Type === type)

describe('what production keeps', () => {
  // What cannot be made again, or is known by an id that AWS gives: API and reference by their URLs, the plans by the keys
  // in them. Another logical id is another resource to CloudFormation, which would create an empty one beside the old.
  it.each([
    ['AWS::DynamoDB::Table', ['ApiKeys3BB3983D', 'IdempotencyC15CBC33', 'Pets118546E0']],
    ['AWS::CloudFront::Distribution', ['Distribution830FAC52']],
    ['AWS::ApiGateway::RestApi', ['ApiRestApiE35FEAFE']],
    ['AWS::ApiGateway::UsagePlan', ['UsagePlansfree923DF7CE', 'UsagePlansreserved56F40F26']],
  ])('has its logical ids: %s', (type, ids) => {
    expect(ofType(type).map(([id]) => id)).toEqual(expect.arrayContaining(ids))
  })

  it('are its tables, protected and recoverable, when a stack is deleted or would replace them', () => {
    const Properties = {
      ...{ DeletionProtectionEnabled: true, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    }
    const kept = { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain', Properties }
    const tables = ofType('AWS::DynamoDB::Table').map(([, table]) => table)
    expect(tables).toMatchObject([kept, kept, kept])
  })

  it('are its logs, of which a first deployment that fails still leaves none behind', () => {
    // That of the uploads records deployments only.
    const groups = ofType('AWS::Logs::LogGroup').filter(([id]) => !id.startsWith('UploadLogs'))
    // Of each function, the access log and the audit.
    expect(groups).toHaveLength(functionNames().length + 2)
    for (const [id, group] of groups) {
      expect(group, id).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
    }
  })

  it('is the same in the small size', () => {
    const { data } = synthesize('production', presets.small)
    expect(resourcesOf(data)).toEqual(resourcesOf(production.data))
  })
})

describe.each(environmentNames)('the stacks of %s', (environment) => {
  it('refuse to be deleted where the data is protected', () => {
    const { data, api, reference } = createStage(environment)
    const protections = [data, api, reference].map((stack) => stack?.terminationProtection)
    expect(new Set(protections)).toEqual(new Set([environment === 'production']))
  })

  it('forget idempotency records when their time is over, and keep the counts of API keys out of any index', () => {
    const { data } = synthesize(environment)
    const TimeToLiveSpecification = { AttributeName: 'expiresAt', Enabled: true }
    data.hasResourceProperties('AWS::DynamoDB::Table', { TimeToLiveSpecification })
    const indexed = propertiesOf(data, 'AWS::DynamoDB::Table').flatMap(
      ({ GlobalSecondaryIndexes = [] }) => GlobalSecondaryIndexes,
    )
    expect(indexed).toMatchObject([{ IndexName: 'status-index' }])
  })

  it('keep the audit for a year, however long logs are', () => {
    const { data } = synthesize(environment, { logRetentionDays: 7 })
    data.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 })
  })

  it('export the names and ARNs of the tables, whether or not another stack uses them', () => {
    const alone = Template.fromStack(new DataStack(new App(), 'alone', { environment, config: defaults[environment] }))
    const ids = Object.keys(resourcesOf(alone, 'AWS::DynamoDB::Table'))
    const expected = ids.flatMap((id) => [{ 'Fn::GetAtt': [id, 'Arn'] }, { Ref: id }])
    for (const template of [alone, synthesize(environment).data]) {
      const exported = Object.values(template.findOutputs('*', { Export: {} })).map(({ Value }) => Value)
      expect(exported).toHaveLength(expected.length)
      expect(exported).toEqual(expect.arrayContaining(expected))
    }
  })

  it('hold no secret, and open nothing but the API, and the reference by CloudFront', () => {
    const templates = synthesize(environment)
    const text = JSON.stringify(templates)
    expect(text).not.toMatch(/pet_(live|test)_\w{20}|SecretString|NoEcho|password|AKIA[0-9A-Z]{16}/i)
    expect(text).not.toMatch(/AWS::Lambda::Url|AWS::DynamoDB::ResourcePolicy/)
    for (const template of [templates.api, templates.data]) template.resourceCountIs('AWS::S3::Bucket', 0)
    for (const { Principal, SourceArn } of propertiesOf(templates.api, 'AWS::Lambda::Permission')) {
      expect([Principal, SourceArn]).toEqual([
        expect.stringMatching(/^(apigateway|events)\.amazonaws\.com$/),
        expect.anything(),
      ])
    }
  })
})

it('staging goes with its stacks, but for the role that writes the logs of all APIs', () => {
  const kept = resourcesIn(synthesize('staging')).filter(
    ([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy !== 'Delete',
  )
  const types = new Set(kept.map(([, { Type }]) => Type))
  expect(types).toEqual(new Set(['AWS::ApiGateway::Account', 'AWS::IAM::Role', 'AWS::Lambda::Version']))
})

// The types whose names are unique in an account, over all its Regions, and the property that names them.
it.each([
  ['AWS::CloudWatch::Dashboard', ['DashboardName']],
  ['AWS::CloudFront::OriginAccessControl', ['OriginAccessControlConfig', 'Name']],
  ['AWS::CloudFront::ResponseHeadersPolicy', ['ResponseHeadersPolicyConfig', 'Name']],
  ['AWS::IAM::Role', ['RoleName']],
  ['AWS::S3::Bucket', ['BucketName']],
] as const)('a name that is unique in an account tells the Region, or is made by AWS: %s', (type, path) => {
  const found = ofType(type)
  expect(found).not.toHaveLength(0)
  for (const [id, { Properties }] of found) {
    const name = path.reduce((value, key) => Object(value)[key], Properties)
    if (name !== undefined) expect(JSON.stringify(name), id).toContain('AWS::Region')
  }
})
