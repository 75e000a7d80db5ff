import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readFunctionFolders } from '../../../../infra/constructs/functions/function-folders.ts'
import { environmentNames } from '../../../../infra/environments.ts'
import { options, resourcesOf, synthesize } from '../synthesized.ts'

const { domain } = options.production
const templates = { staging: synthesize('staging'), production: synthesize('production') }
const withDomain = synthesize('production', options.production).api

/** TLS 1.2 with forward secrecy, and TLS 1.3. */
const transport = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', EndpointAccessMode: 'STRICT' }

describe('the endpoint', () => {
  it.each(environmentNames)('of %s refuses TLS older than 1.2', (environment) => {
    templates[environment].api.hasResourceProperties('AWS::ApiGateway::RestApi', {
      ...transport,
      DisableExecuteApiEndpoint: false,
    })
  })

  it('is the domain alone where one is set', () => {
    withDomain.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true })
    withDomain.hasResourceProperties('AWS::ApiGateway::DomainName', {
      ...transport,
      DomainName: domain.name,
      RegionalCertificateArn: domain.certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
    })
    withDomain.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v1', Stage: Match.anyValue() })
    withDomain.hasOutput('BaseUrl', { Value: 'https://api.example.org/v1' })
    withDomain.hasOutput('DomainTarget', {})
    withDomain.hasOutput('DomainTargetHostedZoneId', {})
  })
})

describe('the web firewall', () => {
  it('blocks an address of production that sends more than a shelter would', () => {
    const { api } = templates.production
    const [stageId] = Object.keys(resourcesOf(api, 'AWS::ApiGateway::Stage'))
    api.hasResourceProperties('AWS::WAFv2::WebACL', {
      Scope: 'REGIONAL',
      DefaultAction: { Allow: {} },
      Rules: [
        {
          Action: { Block: {} },
          Statement: { RateBasedStatement: { Limit: 20_000, EvaluationWindowSec: 300, AggregateKeyType: 'IP' } },
        },
      ],
    })
    const [association] = Object.values(resourcesOf(api, 'AWS::WAFv2::WebACLAssociation'))
    expect(JSON.stringify(association?.Properties['ResourceArn'])).toContain(`{"Ref":"${stageId}"}`)
  })

  it('is not paid for in staging, unless it is asked for', () => {
    templates.staging.api.resourceCountIs('AWS::WAFv2::WebACL', 0)
    synthesize('staging', options.staging).api.resourceCountIs('AWS::WAFv2::WebACL', 1)
  })
})

describe.each(environmentNames)('the templates of %s', (environment) => {
  const all = Object.values(templates[environment]).map((template) => template.toJSON())
  const text = JSON.stringify(all)

  it('hold no secret, and output names and addresses only', () => {
    expect(text).not.toMatch(/pet_(live|test)_\w{20}/)
    expect(text).not.toMatch(/SecretString|NoEcho|password|AKIA[0-9A-Z]{16}/i)
    const outputs = all.flatMap(({ Outputs }) => Object.keys(Outputs ?? {})).filter((name) => !/^Exports/.test(name))
    expect(outputs.sort()).toEqual(
      [
        ...['PetsTableName', 'ApiKeysTableName', 'IdempotencyTableName', 'AuditLogGroupName'],
        ...['BaseUrl', 'ReferenceUrl'],
        ...['Free', 'Pro', 'Business', 'Enterprise'].map((plan) => `${plan}UsagePlanId`),
        'AccessLogGroupName',
        ...readFunctionFolders()
          .map((name) => name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase()))
          .flatMap((name) => [`${name}FunctionName`, `${name}LogGroupName`]),
      ].sort(),
    )
  })

  it('open nothing but the API, and the reference by CloudFront', () => {
    const types = new Set(
      all.flatMap(({ Resources }) => Object.values<{ Type: string }>(Resources).map(({ Type }) => Type)),
    )
    for (const type of ['AWS::Lambda::Url', 'AWS::DynamoDB::ResourcePolicy']) expect([...types]).not.toContain(type)
    const { api, reference, ...others } = templates[environment]
    for (const template of [api, ...Object.values(others)]) template.resourceCountIs('AWS::S3::Bucket', 0)
    reference.resourceCountIs('AWS::Lambda::Permission', 0)
    for (const { Properties } of Object.values(resourcesOf(api, 'AWS::Lambda::Permission'))) {
      const Principal = expect.stringMatching(/^(apigateway|events)\.amazonaws\.com$/)
      expect(Properties).toMatchObject({ Principal, SourceArn: expect.anything() })
    }
  })
})
