import type { Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { functionNames } from '../../../../infra/bundling/function-bundle.ts'
import { presets } from '../../../../infra/environments.ts'
import { createStage, synthesize } from '../synthesized.ts'

interface TemplateResource {
  readonly Type: string
  readonly DeletionPolicy?: string
  readonly UpdateReplacePolicy?: string
  readonly Properties?: Readonly<Record<string, unknown>>
}

const resourcesIn = (template: Template) => Object.entries<TemplateResource>(template.toJSON()['Resources'])

const { data, api, reference } = synthesize('production')
const resources = [data, api, reference].flatMap(resourcesIn)
const ofType = (type: string) => resources.filter(([, { Type }]) => Type === type)

/**
 * What cannot be made again, or is known by an id that AWS gives: API and reference by their URLs, the plans by the keys in
 * them. Another logical id is another resource to CloudFormation, which would create an empty one beside the old.
 */
const known = {
  'AWS::DynamoDB::Table': ['ApiKeys3BB3983D', 'IdempotencyC15CBC33', 'Pets118546E0'],
  'AWS::CloudFront::Distribution': ['SiteDistribution390DED28'],
  'AWS::ApiGateway::RestApi': ['ApiRestApiE35FEAFE'],
  'AWS::ApiGateway::UsagePlan': [
    'UsagePlansbusiness52B5530A',
    'UsagePlansenterprise5CFF95A5',
    'UsagePlansfree923DF7CE',
    'UsagePlanspro0F60DE4A',
    'UsagePlansreserved56F40F26',
  ],
} as const

describe('what production keeps', () => {
  it.each(Object.entries(known))('has its logical ids: %s', (type, ids) => {
    expect(ofType(type).map(([id]) => id)).toEqual(expect.arrayContaining([...ids]))
  })

  it('are its tables, protected and recoverable, when a stack is deleted or would replace them', () => {
    for (const [, table] of ofType('AWS::DynamoDB::Table')) {
      expect(table).toMatchObject({
        ...{ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' },
        Properties: {
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        },
      })
    }
  })

  it('are its logs, of which a first deployment that fails still leaves none behind', () => {
    const groups = ofType('AWS::Logs::LogGroup')
    // Of each function, the access log, the audit and the uploads.
    expect(groups).toHaveLength(functionNames().length + 3)
    for (const [id, group] of groups) {
      // That of the uploads records deployments only.
      if (id.startsWith('SiteLogs')) continue
      expect(group, id).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
    }
  })

  it('is in stacks with termination protection, and the same in the small size', () => {
    const stage = createStage('production', presets.small)
    expect(resourcesIn(synthesize('production', presets.small).data)).toEqual(resourcesIn(data))
    for (const { terminationProtection } of [stage.data, stage.api, stage.reference ?? stage.api]) {
      expect(terminationProtection).toBe(true)
    }
  })
})

describe('the audit', () => {
  it.each(['staging', 'production'] as const)('is kept for a year in %s, however long logs are', (environment) => {
    for (const logRetentionDays of [7, 30, 3653]) {
      const { data: template } = synthesize(environment, { logRetentionDays })
      template.hasResourceProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 })
    }
  })
})

describe('staging', () => {
  it('goes with its stacks, but for the role that writes the logs of all APIs', () => {
    const stage = createStage('staging')
    const kept = Object.values(synthesize('staging'))
      .flatMap((template: Template) => resourcesIn(template))
      .flatMap(([, { Type, DeletionPolicy = 'Delete' }]) => (DeletionPolicy === 'Delete' ? [] : [Type]))
    expect(new Set(kept)).toEqual(new Set(['AWS::ApiGateway::Account', 'AWS::IAM::Role', 'AWS::Lambda::Version']))
    for (const { terminationProtection } of [stage.data, stage.api, stage.reference ?? stage.api]) {
      expect(terminationProtection).toBe(false)
    }
  })
})

/** The types whose names are unique in an account, over all its Regions, and the property that names them. */
const globalNames = {
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
  'AWS::CloudFront::OriginAccessControl': ['OriginAccessControlConfig', 'Name'],
  'AWS::CloudFront::ResponseHeadersPolicy': ['ResponseHeadersPolicyConfig', 'Name'],
  'AWS::IAM::Role': ['RoleName'],
  'AWS::S3::Bucket': ['BucketName'],
} as const

it.each(Object.entries(globalNames))(
  'a name that is unique in an account tells the Region, or is made by AWS: %s',
  (type, path) => {
    const found = ofType(type)
    expect(found).not.toHaveLength(0)
    for (const [id, { Properties }] of found) {
      const name = path.reduce<unknown>((value, key) => Object(value)[key], Properties)
      if (name !== undefined) expect(JSON.stringify(name), id).toContain('AWS::Region')
    }
  },
)
