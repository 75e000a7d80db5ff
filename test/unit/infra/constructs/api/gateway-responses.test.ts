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

/** Lists the headers that the contract requires in a response with an error code. */
const listRequiredHeaders = (code: ErrorCode): readonly string[] => {
  const responses = Object.values(readContract().document.components.responses)
  const response = responses.find((one) => JSON.stringify(one).includes(`"code":"${code}"`))
  const headers = Object.entries(response?.headers ?? {})
  return headers.filter(([, header]) => header.required).map(([name]) => name)
}

/** The responses of API Gateway itself. `gateway-responses.ts` says when, and why with this code of an error. */
const expectedResponses = [
  { type: 'ACCESS_DENIED', code: 'unauthorized', retryAfter: undefined },
  { type: 'API_CONFIGURATION_ERROR', code: 'internal_error', retryAfter: undefined },
  { type: 'AUTHORIZER_CONFIGURATION_ERROR', code: 'service_unavailable', retryAfter: '1' },
  { type: 'AUTHORIZER_FAILURE', code: 'service_unavailable', retryAfter: '1' },
  { type: 'DEFAULT_4XX', code: 'bad_request', retryAfter: undefined },
  { type: 'DEFAULT_5XX', code: 'internal_error', retryAfter: undefined },
  { type: 'INTEGRATION_FAILURE', code: 'internal_error', retryAfter: undefined },
  { type: 'INTEGRATION_TIMEOUT', code: 'gateway_timeout', retryAfter: undefined },
  { type: 'INVALID_API_KEY', code: 'service_unavailable', retryAfter: '1' },
  { type: 'INVALID_SIGNATURE', code: 'route_not_found', retryAfter: undefined },
  { type: 'MISSING_AUTHENTICATION_TOKEN', code: 'route_not_found', retryAfter: undefined },
  { type: 'QUOTA_EXCEEDED', code: 'rate_limit_exceeded', retryAfter: '60' },
  { type: 'REQUEST_TOO_LARGE', code: 'request_too_large', retryAfter: undefined },
  { type: 'THROTTLED', code: 'rate_limit_exceeded', retryAfter: '1' },
  { type: 'UNAUTHORIZED', code: 'unauthorized', retryAfter: undefined },
  { type: 'UNSUPPORTED_MEDIA_TYPE', code: 'unsupported_media_type', retryAfter: undefined },
  { type: 'WAF_FILTERED', code: 'request_blocked', retryAfter: undefined },
] as const

it.each(expectedResponses)(
  'the gateway response $type is $code, with limits of 0 and Retry-After $retryAfter',
  ({ type, code, retryAfter }) => {
    const { status, headers = {}, body = '' } = gatewayResponses.get(type) ?? {}

    expect(JSON.parse(body)).toEqual({ code, ...catalogue[code] })
    expect(status).toBe(catalogue[code].status)
    expect(headers['Retry-After']).toBe(retryAfter)
    expect(Object.keys(headers)).toEqual(expect.arrayContaining([...listRequiredHeaders(code)]))
    // The contract requires these headers. A static response cannot have the numbers of a key.
    expect(headers).toMatchObject({
      'X-RateLimit-Limit': '0',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '0',
      'Access-Control-Expose-Headers': expect.stringContaining('X-RateLimit-Remaining'),
    })
  },
)

// API Gateway has more types, for authorization by IAM or Cognito, validators and mappings, none of which the API has.
// DEFAULT_4XX and DEFAULT_5XX would serve for them.
it('the API has only the gateway responses of this table', () => {
  expect([...gatewayResponses.keys()].toSorted()).toEqual(expectedResponses.map(({ type }) => type))
})

// API Gateway refuses concurrent changes of one API (409). CloudFormation would make them if the resources did not
// depend on each other.
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
