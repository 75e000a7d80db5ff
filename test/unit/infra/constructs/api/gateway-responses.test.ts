import { Ajv2020 } from 'ajv/dist/2020.js'
import { ResponseType } from 'aws-cdk-lib/aws-apigateway'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import { catalogue, type ErrorCode } from '../../../../../shared/contract/generated/errors.ts'
import { resolvedResources, resourcesOf, synthesize } from '../../synthesized.ts'

const allTypes = Object.values(ResponseType).map(({ responseType }) => responseType)

/** Each is static: what reads them throws where a header is no literal, or a body has a variable. */
const { gatewayResponses } = readRestApi(resolvedResources('staging'))
const { document } = readContract()
const isError = new Ajv2020({ strict: false, validateFormats: false }).compile(
  document.components.schemas['Error'] ?? false,
)

describe('the responses of API Gateway itself', () => {
  it('are all customised', () => {
    expect([...gatewayResponses.keys()].toSorted()).toEqual(allTypes.toSorted())
  })

  it.each(allTypes)('are errors of the catalogue with the headers that the contract requires: %s', (type) => {
    const { status, headers = {}, body = '' } = gatewayResponses.get(type) ?? {}
    const error: { code: ErrorCode; status: number } = JSON.parse(body)
    expect(isError(error), JSON.stringify(isError.errors)).toBe(true)
    expect(error).toMatchObject(catalogue[error.code])
    expect(status).toBe(error.status)
    const documented = Object.values(document.components.responses).find((response) =>
      JSON.stringify(response).includes(`"code":"${error.code}"`),
    )
    const required = Object.entries(documented?.headers ?? {}).flatMap(([name, header]) =>
      header.required ? [name] : [],
    )
    expect(required).toContain('X-RateLimit-Reset')
    for (const name of required) expect(headers[name], name).toMatch(/./)
    for (const name of ['Limit', 'Remaining', 'Reset']) expect(headers[`X-RateLimit-${name}`]).toBe('0')
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
    ['UNAUTHORIZED', 'unauthorized', undefined],
    ['WAF_FILTERED', 'request_blocked', undefined],
  ])('have the code of what went wrong, and say when to retry: %s is %s', (type, code, retryAfter) => {
    const { headers = {}, body = '' } = gatewayResponses.get(type) ?? {}
    expect([JSON.parse(body).code, headers['Retry-After']]).toEqual([code, retryAfter])
  })

  it('are there before the API is deployed: they apply only to deployments after them', () => {
    const { api } = synthesize('staging')
    const [deployment] = Object.values(resourcesOf(api, 'AWS::ApiGateway::Deployment'))
    const ids = Object.keys(resourcesOf(api, 'AWS::ApiGateway::GatewayResponse'))
    expect(deployment?.['DependsOn']).toEqual(expect.arrayContaining(ids))
  })
})

it.each(['AWS::ApiGateway::GatewayResponse', 'AWS::ApiGateway::UsagePlan'])(
  'a deployment creates one resource of %s at a time',
  (type) => {
    const resources = resourcesOf(synthesize('staging').api, type)
    const before = Object.values(resources).map(({ DependsOn }) =>
      [DependsOn ?? []].flat().filter((id) => Object.hasOwn(resources, id)),
    )
    // In a chain all but the first wait for one, and no two for the same one.
    expect(before.map(({ length }) => length).toSorted()).toEqual([0, ...before.slice(1).map(() => 1)])
    expect(new Set(before.flat()).size).toBe(before.length - 1)
  },
)
