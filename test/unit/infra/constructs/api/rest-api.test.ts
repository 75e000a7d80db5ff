import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import { everyOption, resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('staging')
const all = readRestApi(resolvedResources('staging')).methods
const methods = new Map(all.map((method) => [`${method.httpMethod} ${method.path}`, method]))
const paths = [...new Set(all.map(({ path }) => path))]
const { operations } = readContract()

describe('the REST API', () => {
  it('sends each operation of the contract to its function, and other requests to unknown-route, with an API key', () => {
    const routes = operations.map(({ method, path, name }) => [`${method} ${path}`, name] as const)
    const expected = [...routes, ['ANY /', 'unknown-route'], ['ANY /{proxy+}', 'unknown-route']] as const
    const keyed = [...methods.keys()].filter((route) => !route.startsWith('OPTIONS '))
    expect(keyed.toSorted()).toEqual(expected.map(([route]) => route).toSorted())
    for (const [route, name] of expected) {
      expect(methods.get(route), route).toMatchObject({
        apiKeyRequired: true,
        authorizer: 'authorizer',
        integration: name,
      })
    }
  })

  it('runs the authorizer for every request, with any headers, and takes the API key from it', () => {
    api.hasResourceProperties('AWS::ApiGateway::Authorizer', {
      ...{ Type: 'REQUEST', AuthorizerResultTtlInSeconds: 0, IdentitySource: '' },
    })
    api.hasResourceProperties('AWS::ApiGateway::RestApi', { ApiKeySourceType: 'AUTHORIZER' })
  })

  const everyMethod = 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS'
  it.each(paths)('responds to a preflight request to %s without a key', (path) => {
    const own = operations.flatMap((operation) => (operation.path === path ? [operation.method] : []))
    const allowed = own.length === 0 ? everyMethod : [...own, 'OPTIONS'].join(',')
    expect(methods.get(`OPTIONS ${path}`)).toMatchObject({
      ...{ apiKeyRequired: false, authorizer: undefined },
      integration: { status: 204, headers: { 'Access-Control-Allow-Methods': allowed } },
    })
  })

  it('declares each header of a preflight, without which API Gateway refuses it', () => {
    const preflights = Object.values(resourcesOf(api, 'AWS::ApiGateway::Method')).flatMap(({ Properties }) =>
      Properties.HttpMethod === 'OPTIONS' ? [Properties] : [],
    )
    expect(preflights).toHaveLength(paths.length)
    for (const { Integration, MethodResponses } of preflights) {
      const [sent, declared] = [Integration.IntegrationResponses[0], MethodResponses[0]]
      expect(Object.keys(declared.ResponseParameters)).toEqual(Object.keys(sent.ResponseParameters))
    }
  })
})

describe('the endpoint', () => {
  /** TLS 1.2 with forward secrecy, and TLS 1.3. */
  const transport = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', EndpointAccessMode: 'STRICT' }

  it('refuses TLS older than 1.2', () => {
    api.hasResourceProperties('AWS::ApiGateway::RestApi', { ...transport, DisableExecuteApiEndpoint: false })
  })

  it('is the domain alone where one is set', () => {
    const { api: withDomain } = synthesize('production', everyOption)
    withDomain.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true })
    withDomain.hasResourceProperties('AWS::ApiGateway::DomainName', {
      ...transport,
      DomainName: everyOption.domain.name,
      RegionalCertificateArn: everyOption.domain.certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
    })
    withDomain.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v1', Stage: Match.anyValue() })
    withDomain.hasOutput('BaseUrl', { Value: 'https://api.example.org/v1' })
    for (const name of ['DomainTarget', 'DomainTargetHostedZoneId']) withDomain.hasOutput(name, {})
  })
})

it('the web firewall blocks an address of production that sends more than a shelter would, and staging has none', () => {
  const { api: production } = synthesize('production')
  const [stageId] = Object.keys(resourcesOf(production, 'AWS::ApiGateway::Stage'))
  const RateBasedStatement = { Limit: 20_000, EvaluationWindowSec: 300, AggregateKeyType: 'IP' }
  production.hasResourceProperties('AWS::WAFv2::WebACL', {
    DefaultAction: { Allow: {} },
    Rules: [{ Action: { Block: {} }, Statement: { RateBasedStatement } }],
  })
  const [association] = Object.values(resourcesOf(production, 'AWS::WAFv2::WebACLAssociation'))
  expect(JSON.stringify(association)).toContain(`{"Ref":"${stageId}"}`)
  api.resourceCountIs('AWS::WAFv2::WebACL', 0)
})
