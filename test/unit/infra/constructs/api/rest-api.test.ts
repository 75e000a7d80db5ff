import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import { everyOption, resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

const { api } = synthesize('staging')
const methods = readRestApi(resolvedResources('staging')).methods.map((method) => ({
  route: `${method.httpMethod} ${method.path}`,
  method,
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
    const traced = synthesize('production', everyOption).api
    traced.hasResourceProperties('AWS::ApiGateway::Stage', { TracingEnabled: true })
    traced.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } })
  })

  it('sends each operation of the contract to its function, and other requests to unknown-route', () => {
    const operations = readContract().operations.map(({ method, path, name }) => [`${method} ${path}`, name])
    const expected = [...operations, ['ANY /', 'unknown-route'], ['ANY /{proxy+}', 'unknown-route']]
    expect(guarded).toHaveLength(expected.length)
    for (const [route, name = ''] of expected) {
      const functionName = `-api-${name.replaceAll('-', '')}Function`
      expect(guarded.find((one) => one.route === route)?.method.integration, route).toContain(functionName)
    }
  })

  it('asks for an API key on every method but OPTIONS', () => {
    const authorizer = expect.stringContaining('-api-authorizerFunction')
    for (const { method } of guarded) expect(method).toMatchObject({ apiKeyRequired: true, authorizer })
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
  const { operations } = readContract()
  const methodsOf = Object.entries(Object.groupBy(operations, ({ path }) => path)).map(
    ([path, all = []]) => [path, [...all.map(({ method }) => method), 'OPTIONS'].join(',')] as const,
  )
  it.each<readonly [string, string]>([
    ...methodsOf,
    ['/store', 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS'],
    ['/{proxy+}', 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS'],
    ['/', 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS'],
  ])('to %s says %s without a key', (path, allowed) => {
    const preflights = new Set(methods.map(({ method }) => `OPTIONS ${method.path}`))
    expect(new Set(open.map(({ route }) => route))).toEqual(preflights)
    expect(open.find(({ route }) => route === `OPTIONS ${path}`)?.method).toMatchObject({
      apiKeyRequired: false,
      authorizer: undefined,
      integration: {
        status: 204,
        headers: { 'Access-Control-Allow-Methods': allowed, 'Access-Control-Max-Age': '86400' },
      },
    })
  })

  it('has a status for every content type, and declares each header that it sets, without which API Gateway refuses it', () => {
    const preflights = Object.values(resourcesOf(api, 'AWS::ApiGateway::Method')).flatMap(({ Properties }) => {
      const { HttpMethod, ...properties } = JSON.parse(JSON.stringify(Properties))
      return HttpMethod === 'OPTIONS' ? [properties] : []
    })
    expect(preflights).toHaveLength(open.length)
    for (const { Integration, MethodResponses } of preflights) {
      expect(Integration.RequestTemplates).toEqual({ 'application/json': '{"statusCode":204}' })
      expect(Object.keys(MethodResponses[0].ResponseParameters)).toEqual(
        Object.keys(Integration.IntegrationResponses[0].ResponseParameters),
      )
    }
  })
})
