import { Ajv2020 } from 'ajv/dist/2020.js'
import { ResponseType } from 'aws-cdk-lib/aws-apigateway'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import { catalogue, type ErrorCode } from '../../../../../shared/contract/generated/errors.ts'
import { resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

const allTypes = Object.values(ResponseType).map(({ responseType }) => responseType)

const { api } = synthesize('staging')

/** Each is static: what reads them throws where a header is no literal, or a body has a variable. */
const { gatewayResponses } = readRestApi(resolvedResources('staging'))

const responseOf = (type: string) => {
  const { status, headers = {}, body = '' } = gatewayResponses.get(type) ?? {}
  const error: { code: ErrorCode; message: string; status: number } = JSON.parse(body)
  return { status, headers, error }
}

const { document } = readContract()
const isError = new Ajv2020({ strict: false, validateFormats: false }).compile(
  document.components.schemas['Error'] ?? false,
)

describe('the responses of API Gateway itself', () => {
  it('are all customised', () => {
    expect([...gatewayResponses.keys()].toSorted()).toEqual(allTypes.toSorted())
  })

  it.each(allTypes)('are errors of the catalogue: %s', (type) => {
    const { status, error } = responseOf(type)
    expect(isError(error), JSON.stringify(isError.errors)).toBe(true)
    expect(error).toMatchObject(catalogue[error.code])
    expect(status).toBe(error.status)
  })

  it.each(allTypes)('have the headers that the contract requires: %s', (type) => {
    const { headers, error } = responseOf(type)
    const documented = Object.values(document.components.responses).find((response) =>
      JSON.stringify(response).includes(`"code":"${error.code}"`),
    )
    const required = Object.entries(documented?.headers ?? {}).flatMap(([name, header]) =>
      header.required ? [name] : [],
    )
    for (const name of ['Limit', 'Remaining', 'Reset']) {
      expect(required).toContain(`X-RateLimit-${name}`)
      expect(headers[`X-RateLimit-${name}`]).toBe('0')
    }
    for (const name of required) expect(headers[name], name).toMatch(/./)
    expect(headers['Access-Control-Expose-Headers']).toContain('X-RateLimit-Remaining')
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
    const { headers, error } = responseOf(type)
    expect([error.code, headers['Retry-After'], headers['WWW-Authenticate']]).toEqual([code, retryAfter, scheme])
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
