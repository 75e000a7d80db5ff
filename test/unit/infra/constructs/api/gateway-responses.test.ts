import { Ajv2020 } from 'ajv/dist/2020.js'
import { ResponseType } from 'aws-cdk-lib/aws-apigateway'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { catalogue, type ErrorCode } from '../../../../../shared/errors/catalogue.ts'
import { resourcesOf, synthesize } from '../../synthesized.ts'

const allTypes = Object.values(ResponseType).map(({ responseType }) => responseType)

interface GatewayResponse {
  readonly type: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly templates: Readonly<Record<string, string>>
}

const { api } = synthesize('staging')

/** As in the template: nothing is rendered yet. */
const gatewayResponses: readonly GatewayResponse[] = Object.values(
  resourcesOf(api, 'AWS::ApiGateway::GatewayResponse'),
).map(({ Properties }) => {
  const { ResponseType, StatusCode, ResponseParameters, ResponseTemplates } = JSON.parse(JSON.stringify(Properties))
  return {
    type: ResponseType,
    status: Number(StatusCode),
    headers: Object.fromEntries(
      Object.entries<string>(ResponseParameters).map(([name, value]) => [
        name.replace('gatewayresponse.header.', ''),
        value,
      ]),
    ),
    templates: ResponseTemplates,
  }
})

const responseOf = (type: string): GatewayResponse => {
  const gatewayResponse = gatewayResponses.find((candidate) => candidate.type === type)
  if (gatewayResponse === undefined) throw new Error(`${type} is not customised.`)
  return gatewayResponse
}

const bodyOf = (gatewayResponse: GatewayResponse): { code: ErrorCode; message: string; status: number } =>
  JSON.parse(String(gatewayResponse.templates['application/json']))

/** The value of a header: API Gateway takes a fixed one in single quotes. */
const headerOf = (gatewayResponse: GatewayResponse, name: string): string | undefined =>
  /^'([^']*)'$/.exec(String(gatewayResponse.headers[name]))?.[1]

const { document, resolve } = readContract()
const isError = new Ajv2020({ strict: false, validateFormats: false })
  .addSchema({ $id: 'contract', ...document })
  .getSchema('contract#/components/schemas/Error')

describe('the responses of API Gateway itself', () => {
  it('are all customised', () => {
    expect(gatewayResponses.map(({ type }) => type).sort()).toEqual(allTypes.toSorted())
  })

  it.each(allTypes)('are errors of the catalogue: %s', (type) => {
    const gatewayResponse = responseOf(type)
    const body = bodyOf(gatewayResponse)
    expect(Object.keys(gatewayResponse.templates)).toEqual(['application/json'])
    expect(isError?.(body), JSON.stringify(isError?.errors)).toBe(true)
    expect(body.message).toBe(catalogue[body.code].message)
    expect(body.status).toBe(catalogue[body.code].status)
    expect(gatewayResponse.status).toBe(body.status)
  })

  it.each(allTypes)('have the headers that the contract requires: %s', (type) => {
    const gatewayResponse = responseOf(type)
    const { code } = bodyOf(gatewayResponse)
    const responses = Object.values(resolve({ $ref: '#/components/responses' })).map((response) => resolve(response))
    const documented = responses.find((response) => JSON.stringify(response).includes(`"code":"${code}"`))
    const required = Object.entries(resolve(documented?.['headers'])).flatMap(([name, header]) =>
      resolve(header)['required'] === true ? [name] : [],
    )
    for (const name of ['Limit', 'Remaining', 'Reset']) {
      expect(required).toContain(`X-RateLimit-${name}`)
      expect(headerOf(gatewayResponse, `X-RateLimit-${name}`)).toBe('0')
    }
    for (const name of required) expect(headerOf(gatewayResponse, name), name).toMatch(/./)
    expect(headerOf(gatewayResponse, 'Access-Control-Expose-Headers')).toContain('X-RateLimit-Remaining')
  })

  it('are static: every header is a literal, and no body has a variable', () => {
    for (const gatewayResponse of gatewayResponses) {
      for (const name of Object.keys(gatewayResponse.headers))
        expect(headerOf(gatewayResponse, name), `${gatewayResponse.type} ${name}`).toBeDefined()
      expect(JSON.stringify(gatewayResponse.templates), gatewayResponse.type).not.toMatch(/\$|context\./)
    }
  })

  it.each([
    ['THROTTLED', 'rate_limit_exceeded', '1'],
    ['QUOTA_EXCEEDED', 'rate_limit_exceeded', '60'],
    ['AUTHORIZER_FAILURE', 'service_unavailable', '1'],
    ['AUTHORIZER_CONFIGURATION_ERROR', 'service_unavailable', '1'],
    ['INTEGRATION_FAILURE', 'service_unavailable', '1'],
    ['INVALID_API_KEY', 'service_unavailable', '1'],
    ['INTEGRATION_TIMEOUT', 'gateway_timeout', undefined],
    ['UNAUTHORIZED', 'unauthorized', undefined, 'Bearer'],
    ['EXPIRED_TOKEN', 'unauthorized', undefined, 'Bearer'],
    ['INVALID_SIGNATURE', 'unauthorized', undefined, 'Bearer'],
  ])('have the code of what went wrong, and say when to retry or how to authenticate: %s', (...expected) => {
    const [type, code, retryAfter, scheme] = expected
    expect(bodyOf(responseOf(type)).code).toBe(code)
    expect(headerOf(responseOf(type), 'Retry-After')).toBe(retryAfter)
    expect(headerOf(responseOf(type), 'WWW-Authenticate')).toBe(scheme)
  })
})

/** The resources of a type that depend on another one of it, from the first to the last. */
const chainOf = (resources: ReturnType<typeof resourcesOf>): readonly string[] => {
  const dependenciesOf = (id: string) =>
    [resources[id]?.['DependsOn'] ?? []].flat().filter((other) => Object.hasOwn(resources, String(other)))
  const chain: string[] = []
  for (let next: string | undefined = Object.keys(resources).find((id) => dependenciesOf(id).length === 0); next; ) {
    const last: string = next
    chain.push(last)
    next = Object.keys(resources).find((id) => dependenciesOf(id).includes(last))
  }
  return chain
}

describe('a deployment', () => {
  it.each(['AWS::ApiGateway::GatewayResponse', 'AWS::ApiGateway::UsagePlan'])(
    'creates one resource of %s at a time',
    (type) => {
      const resources = resourcesOf(api, type)
      expect(chainOf(resources).toSorted()).toEqual(Object.keys(resources).toSorted())
    },
  )

  it('of the REST API waits for the gateway responses, which apply only to later ones', () => {
    const [deployment] = Object.values(resourcesOf(api, 'AWS::ApiGateway::Deployment'))
    const ids = Object.keys(resourcesOf(api, 'AWS::ApiGateway::GatewayResponse'))
    expect(deployment?.['DependsOn']).toEqual(expect.arrayContaining(ids))
  })
})
