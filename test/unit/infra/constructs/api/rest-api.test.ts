import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { everyOption, propertiesOf, resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('staging')
const all = readRestApi(resolvedResources('staging')).methods
const methods = new Map(all.map((method) => [`${method.httpMethod} ${method.path}`, method]))
const { operations } = readContract()

describe('the REST API', () => {
  it('sends each operation of the contract to its function, and other requests to unknown-route, with an API key', () => {
    const routes = operations.map(({ method, path, name }) => [`${method} ${path}`, name] as const)
    const expected = [...routes, ['ANY /', 'unknown-route'], ['ANY /{proxy+}', 'unknown-route']] as const
    const keyed = [...methods.keys()].filter((route) => !route.startsWith('OPTIONS '))
    expect(keyed.toSorted()).toEqual(expected.map(([route]) => route).toSorted())
    for (const [route, integration] of expected) {
      expect(methods.get(route)).toMatchObject({ apiKeyRequired: true, authorizer: 'authorizer', integration })
    }
  })

  it('runs the authorizer for every request, with any headers, and takes the API key from it', () => {
    const uncached = { Type: 'REQUEST', AuthorizerResultTtlInSeconds: 0, IdentitySource: '' }
    api.hasResourceProperties('AWS::ApiGateway::Authorizer', uncached)
    api.hasResourceProperties('AWS::ApiGateway::RestApi', { ApiKeySourceType: 'AUTHORIZER' })
  })

  it.each([...new Set(all.map(({ path }) => path))])('responds to a preflight request to %s without a key', (path) => {
    const own = operations.flatMap((operation) => (operation.path === path ? [operation.method] : []))
    const allowed = own.length === 0 ? 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS' : [...own, 'OPTIONS'].join(',')
    expect(methods.get(`OPTIONS ${path}`)).toMatchObject({
      ...{ apiKeyRequired: false, authorizer: undefined },
      integration: { status: 204, headers: { 'Access-Control-Allow-Methods': allowed } },
    })
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
    const { name: DomainName, certificateArn: RegionalCertificateArn } = everyOption.domain
    withDomain.hasResourceProperties('AWS::ApiGateway::RestApi', { DisableExecuteApiEndpoint: true })
    withDomain.hasResourceProperties('AWS::ApiGateway::DomainName', {
      ...{ ...transport, DomainName, RegionalCertificateArn, EndpointConfiguration: { Types: ['REGIONAL'] } },
    })
    withDomain.hasResourceProperties('AWS::ApiGateway::BasePathMapping', { BasePath: 'v1', Stage: Match.anyValue() })
    withDomain.hasOutput('BaseUrl', { Value: 'https://api.example.org/v1' })
    for (const name of ['DomainTarget', 'DomainTargetHostedZoneId']) withDomain.hasOutput(name, {})
  })
})

it('the web firewall blocks an address of production that sends more than a shelter would, and staging has none', () => {
  const { api: production } = synthesize('production')
  const [stageId] = Object.keys(resourcesOf(production, 'AWS::ApiGateway::Stage'))
  production.hasResourceProperties('AWS::WAFv2::WebACL', {
    DefaultAction: { Allow: {} },
    Rules: [{ Action: { Block: {} }, Statement: { RateBasedStatement: { Limit: 20_000, AggregateKeyType: 'IP' } } }],
  })
  const associations = propertiesOf(production, 'AWS::WAFv2::WebACLAssociation')
  expect(JSON.stringify(associations)).toContain(`{"Ref":"${stageId}"}`)
  api.resourceCountIs('AWS::WAFv2::WebACL', 0)
})

// edge-throttle.test.ts judges their limits.
it('the usage plans are attached to the stage, and the one without limits has the key of the template that the authorizer names', () => {
  const plans = Object.entries(resourcesOf(api, 'AWS::ApiGateway::UsagePlan'))
  const [stageId] = Object.keys(resourcesOf(api, 'AWS::ApiGateway::Stage'))
  expect(plans).toHaveLength(planNames.length + 1)
  for (const [, { Properties }] of plans) expect(Properties.ApiStages).toMatchObject([{ Stage: { Ref: stageId } }])
  const unlimited = plans.filter(([, { Properties }]) => !('Throttle' in Properties || 'Quota' in Properties))
  const names = unlimited.map(([, { Properties }]) => Properties.UsagePlanName.split('-').at(-1))
  expect(names.toSorted()).toEqual(['enterprise', 'reserved'])

  const [[keyId, key] = [], ...others] = Object.entries(resourcesOf(api, 'AWS::ApiGateway::ApiKey'))
  expect(others).toEqual([])
  const reserved = unlimited[names.indexOf('reserved')]?.[0]
  const members = propertiesOf(api, 'AWS::ApiGateway::UsagePlanKey')
  expect(members).toMatchObject([{ KeyId: { Ref: keyId }, UsagePlanId: { Ref: reserved } }])
  const value = key?.Properties.Value
  expect(value).toMatch(/^[0-9a-f]{64}$/)
  api.hasResourceProperties('AWS::Lambda::Function', { Environment: { Variables: { RESERVED_GATEWAY_KEY: value } } })
  // Values are unique in an account and Region.
  const [inProduction] = propertiesOf(synthesize('production').api, 'AWS::ApiGateway::ApiKey')
  expect(inProduction.Value).not.toBe(value)
})
