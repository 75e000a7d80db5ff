import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import {
  everyOption,
  findProperties,
  findResources,
  resolveStagingResources,
  synthesizeTemplates,
} from '../../../../fixtures/environment/templates.ts'

const staging = synthesizeTemplates('staging').api
const production = synthesizeTemplates('production').api
const { methods } = readRestApi(resolveStagingResources())
const preflights = methods.filter(({ httpMethod }) => httpMethod === 'OPTIONS')
const otherMethods = methods.filter(({ httpMethod }) => httpMethod !== 'OPTIONS')

it('every method but a preflight has the authorizer and requires an API key', () => {
  expect(otherMethods.filter(({ authorizer, apiKeyRequired }) => authorizer === undefined || !apiKeyRequired)).toEqual(
    [],
  )
})

describe('the responses to preflight requests', () => {
  const pathsOfContract = new Set(readContract().operations.map(({ path }) => path))

  const findAllowedMethods = (path: string) => {
    const integrations = preflights.filter((method) => method.path === path).map(({ integration }) => integration)
    return integrations.map((integration) =>
      typeof integration === 'string' ? integration : integration.headers['Access-Control-Allow-Methods'],
    )
  }

  it('there is a preflight for each path of the contract and for unknown paths', () => {
    const paths = preflights.map(({ path }) => path)

    expect(paths.toSorted()).toEqual([...pathsOfContract, '/', '/{proxy+}'].toSorted())
  })

  it.each([...pathsOfContract])('the preflight of %s allows the methods of its operations', (path) => {
    const operations = readContract().operations.filter((operation) => operation.path === path)
    const methodsOfOperations = operations.map(({ method }) => method).join(',')

    expect(findAllowedMethods(path)).toEqual([`${methodsOfOperations},OPTIONS`])
  })

  it.each(['/', '/{proxy+}'])('the preflight of the unknown path %s allows every method', (path) => {
    expect(findAllowedMethods(path)).toEqual(['DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS'])
  })
})

it('a preflight allows any web page to send the headers of the contract, and is kept for a day', () => {
  const [preflight] = preflights.filter(({ path }) => path === '/pets')

  expect(preflight?.integration).toEqual({
    status: 204,
    headers: {
      'X-RateLimit-Limit': '0',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '0',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': expect.stringContaining('OPTIONS'),
      'Access-Control-Allow-Headers': 'Authorization,Content-Type,Idempotency-Key,*',
      'Access-Control-Max-Age': '86400',
    },
    body: '',
  })
})

// The response to another Content-Type is 415 ("Method request behavior for payloads without mapping templates for REST
// APIs in API Gateway"). If such a request passed through to the mock integration, the response would be 500.
it('a preflight takes JSON alone', () => {
  const integrations = findProperties(staging, 'AWS::ApiGateway::Method')
    .filter(({ HttpMethod }) => HttpMethod === 'OPTIONS')
    .map(({ Integration }) => Integration)

  expect(integrations).toHaveLength(preflights.length)
  for (const integration of integrations) {
    expect(integration.RequestTemplates).toEqual({ 'application/json': '{"statusCode":204}' })
    expect(integration.PassthroughBehavior).toBe('WHEN_NO_TEMPLATES')
  }
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

// findings.test.ts shows that the firewall of production stands before its stage.
it('the web firewall of production blocks an address above its limit', () => {
  production.hasResourceProperties('AWS::WAFv2::WebACL', {
    DefaultAction: { Allow: {} },
    Rules: [
      {
        Action: { Block: {} },
        Statement: { RateBasedStatement: { AggregateKeyType: 'IP' } },
      },
    ],
  })
})

// edge-throttle.test.ts judges the limits of usage plans. The emulator of test/deployed sends requests on the unlimited
// gateway key.
describe('usage plans', () => {
  const usagePlans = findProperties(staging, 'AWS::ApiGateway::UsagePlan')

  it('there is a usage plan for each plan, and one without limits for the unlimited gateway key', () => {
    const unlimited = usagePlans.filter((usagePlan) => !('Throttle' in usagePlan || 'Quota' in usagePlan))

    expect(usagePlans).toHaveLength(planNames.length + 1)
    expect(unlimited.map(({ UsagePlanName }) => UsagePlanName)).toEqual([
      'pet-adoption-staging-api-enterprise',
      'pet-adoption-staging-api-unlimited',
    ])
  })

  it('the unlimited gateway key is in the unlimited usage plan', () => {
    const planIds = Object.entries(findResources(staging, 'AWS::ApiGateway::UsagePlan'))
      .filter(([, { Properties }]) => Properties.UsagePlanName === 'pet-adoption-staging-api-unlimited')
      .map(([id]) => id)
    const [keyId] = Object.keys(findResources(staging, 'AWS::ApiGateway::ApiKey'))

    expect(findProperties(staging, 'AWS::ApiGateway::UsagePlanKey')).toEqual([
      { KeyId: { Ref: keyId }, KeyType: 'API_KEY', UsagePlanId: { Ref: planIds[0] } },
    ])
  })

  // API Gateway takes 20 to 128 characters, and refuses a value that exists.
  it('the value of the unlimited gateway key is the digits of the id of the stack, and the authorizer knows it', () => {
    const [{ Value }] = findProperties(staging, 'AWS::ApiGateway::ApiKey')
    const [unlimitedKey] = resolveStagingResources()<{ readonly Value: string }>('ApiGateway::ApiKey')

    expect(JSON.stringify(Value)).toContain('{"Ref":"AWS::StackId"}')
    expect(unlimitedKey?.properties.Value).toMatch(/^[0-9a-f]{32}$/)
    staging.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { UNLIMITED_GATEWAY_KEY: Value } },
    })
  })
})
