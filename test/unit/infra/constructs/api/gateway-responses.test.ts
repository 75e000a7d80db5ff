import { Ajv2020 } from 'ajv/dist/2020.js'
import { ResponseType } from 'aws-cdk-lib/aws-apigateway'
import { expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import { catalogue, type ErrorCode } from '../../../../../shared/contract/generated/errors.ts'
import { findResources, resolveStagingResources, synthesizeTemplates } from '../../../../fixtures/templates.ts'

/** Each is static: what reads them throws where a header is no literal, or a body has a variable. */
const { gatewayResponses } = readRestApi(resolveStagingResources())
const { schemas, responses } = readContract().document.components
const isError = new Ajv2020({ strict: false, validateFormats: false }).compile(schemas['Error'] ?? false)

const readResponse = (type: string) => {
  const { status, headers = {}, body = '{}' } = gatewayResponses.get(type) ?? {}
  const error: { readonly code: ErrorCode; readonly status: number } = JSON.parse(body)
  return { status, headers, error }
}

it('API Gateway itself responds with errors of the catalogue and the headers that the contract requires, whatever the type', () => {
  for (const { responseType: type } of Object.values(ResponseType)) {
    const { status, headers, error } = readResponse(type)
    expect(isError(error), type).toBe(true)
    expect([error, status], type).toMatchObject([catalogue[error.code], error.status])
    const documented = Object.values(responses).find((one) => JSON.stringify(one).includes(`"code":"${error.code}"`))
    const required = Object.entries(documented?.headers ?? {}).filter(([, header]) => header.required)
    expect(Object.keys(headers), type).toEqual(expect.arrayContaining(required.map(([name]) => name)))
    expect(headers, type).toMatchObject({
      ...{ 'X-RateLimit-Limit': '0', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '0' },
      'Access-Control-Expose-Headers': expect.stringContaining('X-RateLimit-Remaining'),
    })
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
  ['UNAUTHORIZED', 'unauthorized', undefined],
  ['WAF_FILTERED', 'request_blocked', undefined],
])('the code says what went wrong, and Retry-After when to retry: %s is %s', (type, code, retryAfter) => {
  const { error, headers } = readResponse(type)
  expect([error.code, headers['Retry-After']]).toEqual([code, retryAfter])
})

it.each(['AWS::ApiGateway::GatewayResponse', 'AWS::ApiGateway::UsagePlan'])(
  'a deployment creates one resource of %s at a time',
  (type) => {
    const resources = findResources(synthesizeTemplates('staging').api, type)
    const before = Object.values(resources).map(({ DependsOn }) =>
      [DependsOn ?? []].flat().filter((id) => Object.hasOwn(resources, id)),
    )
    // In a chain all but the first wait for one, and no two for the same one.
    expect(before.map(({ length }) => length).toSorted()).toEqual([0, ...before.slice(1).map(() => 1)])
    expect(new Set(before.flat()).size).toBe(before.length - 1)
  },
)
