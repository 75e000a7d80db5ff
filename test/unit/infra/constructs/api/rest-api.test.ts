import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { options, resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('staging')
const resources = resourcesOf(api, 'AWS::ApiGateway::Resource')

/** `/pets/{petId}`, read from the tree of resources. */
const pathOf = (id: string): string => {
  const { ParentId, PathPart } = JSON.parse(JSON.stringify(resources[id]?.Properties ?? {}))
  return PathPart === undefined ? '' : `${pathOf(ParentId.Ref)}/${PathPart}`
}

const methods = Object.values(resourcesOf(api, 'AWS::ApiGateway::Method')).map(({ Properties: properties }) => {
  const { HttpMethod, ResourceId } = JSON.parse(JSON.stringify(properties))
  return { route: `${HttpMethod} ${pathOf(ResourceId.Ref) || '/'}`, properties }
})
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

  it('has the operations of the contract, and a method for all other requests', () => {
    const operations = readContract().operations.map(({ method, path }) => `${method} ${path}`)
    expect(guarded.map(({ route }) => route).toSorted()).toEqual([...operations, 'ANY /', 'ANY /{proxy+}'].toSorted())
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
  it.each([
    ['/pets', 'GET,POST,OPTIONS'],
    ['/pets/{petId}', 'GET,OPTIONS'],
    ['/store', 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS'],
    ['/store/orders', 'GET,OPTIONS'],
    ['/{proxy+}', 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS'],
    ['/', 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS'],
  ])('to %s says %s without a key', (path, allowed) => {
    expect(open).toHaveLength(6)
    const { Integration, ...others } = Object(open.find(({ route }) => route === `OPTIONS ${path}`)?.properties)
    expect(others).toMatchObject({ ApiKeyRequired: false, AuthorizationType: 'NONE' })
    expect(Integration.RequestTemplates).toEqual({ 'application/json': '{"statusCode":204}' })
    const prefix = 'method.response.header.Access-Control'
    expect(Integration.IntegrationResponses[0].ResponseParameters).toMatchObject({
      [`${prefix}-Allow-Methods`]: `'${allowed}'`,
      [`${prefix}-Max-Age`]: "'86400'",
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
