import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { environmentNames } from '../../../../infra/environments.ts'
import { everyOption, plain, resourcesOf, synthesize } from '../synthesized.ts'

const templates = { staging: synthesize('staging'), production: synthesize('production') }
const { api: withDomain } = synthesize('production', everyOption)

/** TLS 1.2 with forward secrecy, and TLS 1.3. */
const transport = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', EndpointAccessMode: 'STRICT' }

describe('the endpoint', () => {
  it.each(environmentNames)('of %s refuses TLS older than 1.2', (environment) => {
    const expected = { ...transport, DisableExecuteApiEndpoint: false }
    templates[environment].api.hasResourceProperties('AWS::ApiGateway::RestApi', expected)
  })

  it('is the domain alone where one is set', () => {
    withDomain.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true })
    withDomain.hasResourceProperties('AWS::ApiGateway::DomainName', {
      ...transport,
      DomainName: everyOption.domain.name,
      RegionalCertificateArn: everyOption.domain.certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
    })
    withDomain.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v1', Stage: Match.anyValue() })
    withDomain.hasOutput('BaseUrl', { Value: 'https://api.example.org/v1' })
    withDomain.hasOutput('DomainTarget', {})
    withDomain.hasOutput('DomainTargetHostedZoneId', {})
  })
})

it('the web firewall blocks an address of production that sends more than a shelter would, and staging has none', () => {
  const { api } = templates.production
  const [stageId] = Object.keys(resourcesOf(api, 'AWS::ApiGateway::Stage'))
  const RateBasedStatement = { Limit: 20_000, EvaluationWindowSec: 300, AggregateKeyType: 'IP' }
  api.hasResourceProperties('AWS::WAFv2::WebACL', {
    Scope: 'REGIONAL',
    DefaultAction: { Allow: {} },
    Rules: [{ Action: { Block: {} }, Statement: { RateBasedStatement } }],
  })
  const [association] = Object.values(resourcesOf(api, 'AWS::WAFv2::WebACLAssociation'))
  expect(JSON.stringify(association?.Properties['ResourceArn'])).toContain(`{"Ref":"${stageId}"}`)
  templates.staging.api.resourceCountIs('AWS::WAFv2::WebACL', 0)
})

describe.each(environmentNames)('the templates of %s', (environment) => {
  const { api, reference, data } = templates[environment]
  const text = JSON.stringify([api, reference, data])

  it('hold no secret', () => {
    expect(text).not.toMatch(/pet_(live|test)_\w{20}/)
    expect(text).not.toMatch(/SecretString|NoEcho|password|AKIA[0-9A-Z]{16}/i)
  })

  it('open nothing but the API, and the reference by CloudFront', () => {
    expect(text).not.toMatch(/AWS::Lambda::Url|AWS::DynamoDB::ResourcePolicy/)
    for (const template of [api, data]) template.resourceCountIs('AWS::S3::Bucket', 0)
    reference.resourceCountIs('AWS::Lambda::Permission', 0)
    for (const { Properties } of Object.values(resourcesOf(api, 'AWS::Lambda::Permission'))) {
      const { Principal, SourceArn } = plain(Properties)
      expect(Principal).toMatch(/^(apigateway|events)\.amazonaws\.com$/)
      expect(SourceArn).toEqual(expect.anything())
    }
  })
})
