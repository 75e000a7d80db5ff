import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { options, resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('staging')
const resources = resourcesOf(api, 'AWS::ApiGateway::Resource')
const functions = resourcesOf(api, 'AWS::Lambda::Function')
const aliases = resourcesOf(api, 'AWS::Lambda::Alias')

/** `/pets/{petId}`, read from the tree of resources. */
const pathOf = (reference: unknown): string => {
  const id = logicalIdIn(reference)
  const resource = resources[id]
  if (resource === undefined) return ''
  return `${pathOf(resource.Properties['ParentId'])}/${String(resource.Properties['PathPart'])}`
}

const logicalIdIn = (reference: unknown): string => {
  const text = JSON.stringify(reference)
  const found = /"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/.exec(text)?.[1]
  if (found === undefined) throw new Error(`There is no reference in ${text}`)
  return found
}

/** The name of the function that a method calls. */
const functionOf = (integration: unknown): string => {
  const aliasId = Object.keys(aliases).find((name) => JSON.stringify(integration).includes(`"${name}"`)) ?? ''
  const id = logicalIdIn(aliases[aliasId]?.Properties['FunctionName'])
  return String(functions[id]?.Properties['Description']).replace('Pet Adoption API: ', '')
}

const methods = Object.values(resourcesOf(api, 'AWS::ApiGateway::Method')).map(({ Properties }) => ({
  route: `${String(Properties['HttpMethod'])} ${pathOf(Properties['ResourceId']) || '/'}`,
  properties: Properties,
}))
const open = methods.filter(({ route }) => route.startsWith('OPTIONS '))
const guarded = methods.filter(({ route }) => !route.startsWith('OPTIONS '))

describe('the REST API', () => {
  it('takes the API key from the authorizer, and has the stage v1', () => {
    api.hasResourceProperties('AWS::ApiGateway::RestApi', {
      ApiKeySourceType: 'AUTHORIZER',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      BinaryMediaTypes: Match.absent(),
    })
    api.hasResourceProperties('AWS::ApiGateway::Stage', { StageName: 'v1' })
  })

  it('is traced, as its functions are, where the operator turns it on', () => {
    api.hasResourceProperties('AWS::ApiGateway::Stage', { TracingEnabled: false })
    api.resourceCountIs('AWS::XRay::SamplingRule', 0)
    const traced = synthesize('staging', options.staging).api
    traced.hasResourceProperties('AWS::ApiGateway::Stage', { TracingEnabled: true })
    traced.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } })
  })

  it.each([
    ['production', 'sampled', 0],
    ['staging', 'all', 1],
  ] as const)(
    'samples two requests a second of %s with tracing=%s, and %d of the others',
    (environment, _, FixedRate) => {
      const [RuleName, { api: traced }] = [
        `pet-adoption-${environment}-api`,
        synthesize(environment, options[environment]),
      ]
      traced.hasResourceProperties('AWS::XRay::SamplingRule', {
        SamplingRule: {
          ...{ RuleName, ServiceName: `${RuleName}/v1`, FixedRate },
          ...{ ServiceType: 'AWS::ApiGateway::Stage', ReservoirSize: 2, Version: 1 },
        },
      })
    },
  )

  it('sends each operation of the contract to its function, and other requests to unknown-route', () => {
    const expected = readContract().operations.map(({ method, path, name }) => [`${method} ${path}`, name])
    expect(
      Object.fromEntries(guarded.map(({ route, properties }) => [route, functionOf(properties['Integration'])])),
    ).toEqual({
      ...Object.fromEntries(expected),
      'ANY /': 'unknown-route',
      'ANY /{proxy+}': 'unknown-route',
    })
  })

  it('asks for an API key on every method but OPTIONS', () => {
    const [authorizerId] = Object.keys(resourcesOf(api, 'AWS::ApiGateway::Authorizer'))
    for (const { route, properties } of guarded) {
      expect(properties, route).toMatchObject({
        ApiKeyRequired: true,
        AuthorizationType: 'CUSTOM',
        AuthorizerId: { Ref: authorizerId },
      })
    }
  })

  it('runs the authorizer for every request, with any headers', () => {
    api.hasResourceProperties('AWS::ApiGateway::Authorizer', {
      Type: 'REQUEST',
      AuthorizerResultTtlInSeconds: 0,
      IdentitySource: '',
    })
  })

  it('outputs the base URL, without a final slash', () => {
    const outputs: Readonly<Record<string, { Value: unknown }>> = api.toJSON()['Outputs']
    const [stage] = Object.values(resourcesOf(api, 'AWS::ApiGateway::Stage'))
    expect(JSON.stringify(outputs['BaseUrl']?.Value)).toContain(`"https://",`)
    expect(JSON.stringify(outputs['BaseUrl']?.Value)).toMatch(
      new RegExp(`"/${stage?.Properties['StageName']}"\\]\\]\\}$`),
    )
  })
})

describe('a preflight request', () => {
  it('gets a response on every path without a key', () => {
    const paths = [
      '/',
      ...Object.values(resources).map(
        ({ Properties }) => `${pathOf(Properties['ParentId'])}/${String(Properties['PathPart'])}`,
      ),
    ]
    expect(open.map(({ route }) => route).sort()).toEqual(paths.map((path) => `OPTIONS ${path}`).sort())
    for (const { properties } of open) {
      expect(properties).toMatchObject({
        ApiKeyRequired: false,
        AuthorizationType: 'NONE',
        Integration: { Type: 'MOCK' },
      })
    }
  })

  it.each([
    ['/pets', 'GET,POST,OPTIONS'],
    ['/pets/{petId}', 'GET,OPTIONS'],
    ['/store/orders', 'GET,OPTIONS'],
    ['/{proxy+}', 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS'],
    ['/', 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS'],
  ])('to %s says %s', (path, allowed) => {
    const header = (name: string) => `method.response.header.${name}`
    expect(open.find(({ route }) => route === `OPTIONS ${path}`)?.properties).toMatchObject({
      Integration: {
        RequestTemplates: { 'application/json': '{"statusCode":204}' },
        IntegrationResponses: [
          {
            StatusCode: '204',
            ResponseParameters: {
              [header('Access-Control-Allow-Origin')]: "'*'",
              [header('Access-Control-Allow-Methods')]: `'${allowed}'`,
              [header('Access-Control-Allow-Headers')]: "'Authorization,Content-Type,Idempotency-Key'",
              [header('Access-Control-Max-Age')]: "'86400'",
            },
          },
        ],
      },
    })
  })

  it('declares each header that it sets, without which API Gateway refuses the deployment', () => {
    for (const { properties } of open) {
      const { Integration, MethodResponses } = JSON.parse(JSON.stringify(properties))
      expect(Object.keys(MethodResponses[0].ResponseParameters)).toEqual(
        Object.keys(Integration.IntegrationResponses[0].ResponseParameters),
      )
    }
  })
})
