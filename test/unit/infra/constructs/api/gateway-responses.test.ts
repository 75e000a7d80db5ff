import { Ajv2020 } from 'ajv/dist/2020.js'
import { ResponseType } from 'aws-cdk-lib/aws-apigateway'
import { expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import { catalogue, type ErrorCode } from '../../../../../shared/contract/generated/errors.ts'
import {
  findResources,
  resolveStagingResources,
  synthesizeTemplates,
} from '../../../../fixtures/environment/templates.ts'

// readRestApi throws if a header is not a literal or a body has a variable, so all these responses are static.
const { gatewayResponses } = readRestApi(resolveStagingResources())

const { schemas, responses: contractResponses } = readContract().document.components

const readResponse = (type: string) => {
  const { status, headers = {}, body = '{}' } = gatewayResponses.get(type) ?? {}
  const error: { readonly code: ErrorCode; readonly status: number } = JSON.parse(body)
  return { status, headers, error }
}

/** Lists the headers that the contract requires in a response with an error code. */
const listRequiredHeaders = (code: ErrorCode): readonly string[] => {
  const response = Object.values(contractResponses).find((one) => JSON.stringify(one).includes(`"code":"${code}"`))
  const headers = Object.entries(response?.headers ?? {})
  return headers.filter(([, header]) => header.required).map(([name]) => name)
}

const responseTypes = Object.values(ResponseType).map(({ responseType }) => responseType)

const closedSchema = { ...schemas['ErrorBody'], additionalProperties: false }
const isErrorBody = new Ajv2020({ strict: false, validateFormats: false }).compile(closedSchema)

it.each(responseTypes)('the gateway response %s is an error of the catalogue, as the contract describes it', (type) => {
  const { status, error } = readResponse(type)

  expect(isErrorBody(error)).toBe(true)
  expect(error).toMatchObject(catalogue[error.code])
  expect(status).toBe(error.status)
})

it.each(responseTypes)('the gateway response %s has the headers of the contract, and limits of 0', (type) => {
  const { error, headers } = readResponse(type)

  expect(Object.keys(headers)).toEqual(expect.arrayContaining([...listRequiredHeaders(error.code)]))
  expect(headers).toMatchObject({
    'X-RateLimit-Limit': '0',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '0',
    'Access-Control-Expose-Headers': expect.stringContaining('X-RateLimit-Remaining'),
  })
})

const expectedResponses = [
  { type: 'THROTTLED', code: 'rate_limit_exceeded', retryAfter: '1' },
  { type: 'QUOTA_EXCEEDED', code: 'rate_limit_exceeded', retryAfter: '60' },
  { type: 'ACCESS_DENIED', code: 'unauthorized', retryAfter: undefined },
  { type: 'INVALID_API_KEY', code: 'service_unavailable', retryAfter: '1' },
  { type: 'AUTHORIZER_FAILURE', code: 'service_unavailable', retryAfter: '1' },
  { type: 'AUTHORIZER_CONFIGURATION_ERROR', code: 'service_unavailable', retryAfter: '1' },
  // A fault of the code: nothing says that a retry in a second helps.
  { type: 'INTEGRATION_FAILURE', code: 'internal_error', retryAfter: undefined },
  { type: 'API_CONFIGURATION_ERROR', code: 'internal_error', retryAfter: undefined },
  { type: 'DEFAULT_5XX', code: 'internal_error', retryAfter: undefined },
  { type: 'INTEGRATION_TIMEOUT', code: 'gateway_timeout', retryAfter: undefined },
  { type: 'UNAUTHORIZED', code: 'unauthorized', retryAfter: undefined },
  { type: 'EXPIRED_TOKEN', code: 'unauthorized', retryAfter: undefined },
  { type: 'INVALID_SIGNATURE', code: 'unauthorized', retryAfter: undefined },
  { type: 'WAF_FILTERED', code: 'request_blocked', retryAfter: undefined },
  { type: 'MISSING_AUTHENTICATION_TOKEN', code: 'route_not_found', retryAfter: undefined },
  { type: 'RESOURCE_NOT_FOUND', code: 'route_not_found', retryAfter: undefined },
  { type: 'REQUEST_TOO_LARGE', code: 'request_too_large', retryAfter: undefined },
  { type: 'UNSUPPORTED_MEDIA_TYPE', code: 'unsupported_media_type', retryAfter: undefined },
  { type: 'BAD_REQUEST_BODY', code: 'bad_request', retryAfter: undefined },
  { type: 'BAD_REQUEST_PARAMETERS', code: 'bad_request', retryAfter: undefined },
  { type: 'DEFAULT_4XX', code: 'bad_request', retryAfter: undefined },
]

it.each(expectedResponses)(
  'the gateway response $type has the code $code with Retry-After $retryAfter',
  ({ type, code, retryAfter }) => {
    const { error, headers } = readResponse(type)

    expect(error.code).toBe(code)
    expect(headers['Retry-After']).toBe(retryAfter)
  },
)

it('the API has no other gateway responses', () => {
  const expectedTypes = expectedResponses.map(({ type }) => type)

  expect(expectedTypes.toSorted()).toEqual([...gatewayResponses.keys()].toSorted())
})

it.each(['AWS::ApiGateway::GatewayResponse', 'AWS::ApiGateway::UsagePlan'])(
  'a deployment creates the resources of %s one after another',
  (type) => {
    const resources = findResources(synthesizeTemplates('staging').api, type)

    // For each resource, the resources of the same type that must be deployed before it.
    const dependencies = Object.values(resources).map(({ DependsOn = [] }) =>
      [DependsOn].flat().filter((id) => Object.hasOwn(resources, id)),
    )

    // In a chain the first waits for none, each of the others for one, and no two for the same one.
    const [first, ...others] = dependencies.toSorted((one, other) => one.length - other.length)
    expect(first).toEqual([])
    for (const ids of others) expect(ids).toHaveLength(1)
    expect(new Set(others.flat()).size).toBe(others.length)
  },
)
