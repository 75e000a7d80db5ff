import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { presets } from '../../../../../infra/environments.ts'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import {
  everyOption,
  findProperties,
  resolveStagingResources,
  synthesizeTemplates,
} from '../../../../fixtures/environment/templates.ts'

const staging = synthesizeTemplates('staging').api

it('every method but a preflight has the authorizer and requires an API key', () => {
  const { methods } = readRestApi(resolveStagingResources())

  const openMethods = methods.filter(({ authorizer, apiKeyRequired }) => authorizer === undefined || !apiKeyRequired)

  expect(new Set(openMethods.map(({ httpMethod }) => httpMethod))).toEqual(new Set(['OPTIONS']))
})

/** TLS 1.2 with forward secrecy, and TLS 1.3. */
const transport = {
  SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
  EndpointAccessMode: 'STRICT',
}

it('the default endpoint accepts TLS from 1.2 on', () => {
  staging.hasResourceProperties('AWS::ApiGateway::RestApi', { ...transport, DisableExecuteApiEndpoint: false })
})

describe('an API with a domain that is not in use', () => {
  const { hostedZone, inUse, ...domain } = everyOption.domain
  const { api } = synthesizeTemplates('production', { ...everyOption, domain })

  it('the default endpoint responds beside a domain that is not in use', () => {
    api.hasResourceProperties('AWS::ApiGateway::DomainName', { DomainName: 'api.example.org' })
    api.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: false })
    expect(JSON.stringify(api.findOutputs('BaseUrl'))).toContain('execute-api')
  })

  it('a domain without a hosted zone has no DNS record', () => {
    api.resourceCountIs('AWS::Route53::RecordSet', 0)
  })
})

describe('an API with a domain in use', () => {
  const { api } = synthesizeTemplates('production', everyOption)

  it('a domain in use disables the default endpoint', () => {
    api.hasResourceProperties('AWS::ApiGateway::RestApi', { ...transport, DisableExecuteApiEndpoint: true })
  })

  it('a domain has its certificate and the base path v1, and accepts TLS from 1.2 on', () => {
    api.hasResourceProperties('AWS::ApiGateway::DomainName', {
      ...transport,
      DomainName: 'api.example.org',
      RegionalCertificateArn: everyOption.domain.certificateArn,
    })
    api.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v1' })
  })

  it('a domain with a hosted zone has an alias record in it', () => {
    api.hasResourceProperties('AWS::Route53::RecordSet', {
      HostedZoneId: 'Z0123456789ABCDEFGHIJ',
      Name: 'api.example.org.',
      Type: 'A',
      AliasTarget: { DNSName: Match.anyValue() },
    })
  })

  it('the outputs of a domain in use are the base URL, and the target of its DNS record', () => {
    api.hasOutput('BaseUrl', { Value: 'https://api.example.org/v1' })
    api.hasOutput('DomainTarget', {})
    api.hasOutput('DomainTargetHostedZoneId', {})
  })
})

const preflights = readRestApi(resolveStagingResources()).methods.filter(({ httpMethod }) => httpMethod === 'OPTIONS')

// test/requests/unknown-routes.ts has the status, and the methods and headers that the preflight of each path allows.
it('browsers keep the response to a preflight for a day, and its limits are 0', () => {
  expect(preflights.find(({ path }) => path === '/pets')?.integration).toMatchObject({
    headers: {
      'X-RateLimit-Limit': '0',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '0',
      'Access-Control-Max-Age': '86400',
    },
  })
})

// The response to another Content-Type is 415 ("Method request behavior for payloads without mapping templates for REST
// APIs in API Gateway"). If such a request passed through to the mock integration, the response would be 500.
it('a preflight takes JSON alone', () => {
  const integrations = findProperties(synthesizeTemplates('staging').api, 'AWS::ApiGateway::Method')
    .filter(({ HttpMethod }) => HttpMethod === 'OPTIONS')
    .map(({ Integration }) => Integration)

  expect(integrations).toHaveLength(preflights.length)
  for (const integration of integrations) {
    expect(integration.RequestTemplates).toEqual({ 'application/json': '{"statusCode":204}' })
    expect(integration.PassthroughBehavior).toBe('WHEN_NO_TEMPLATES')
  }
})

// findings.test.ts shows that the firewall of production stands before its stage.
it('the web firewall of production blocks an address above its limit', () => {
  synthesizeTemplates('production').api.hasResourceProperties('AWS::WAFv2::WebACL', {
    DefaultAction: { Allow: {} },
    Rules: [
      {
        Action: { Block: {} },
        Statement: { RateBasedStatement: { AggregateKeyType: 'IP' } },
      },
    ],
  })
})

// The five minutes in which the firewall counts can begin and end within a minute of the table of keys, so they can
// have the requests of six such minutes.
it('the default firewall admits a key of the largest fixed plan from one address', () => {
  const perMinute = Math.max(...Object.values(fixedPlans).map((limits) => limits.perMinute))

  expect(presets.standard.requestsPerAddress).toBeGreaterThanOrEqual(6 * perMinute)
})
