import { describe, expect, test } from 'vitest'
import {
  type GatewayResponseType,
  gatewayResponse,
  standardResponses,
} from '../../../../../infra/local/gateway/gateway-response.ts'
import { type ApiParts, restApi } from '../fixtures.ts'

const responseOf = (type: GatewayResponseType, gatewayResponses: ApiParts['gatewayResponses'] = {}) =>
  gatewayResponse(restApi({ gatewayResponses }), type)

describe('A gateway response that the API does not customize', () => {
  test.each([
    ['UNAUTHORIZED', 401, '{"message":"Unauthorized"}'],
    ['MISSING_AUTHENTICATION_TOKEN', 403, '{"message":"Missing Authentication Token"}'],
    ['INVALID_API_KEY', 403, '{"message":"Forbidden"}'],
    ['THROTTLED', 429, '{"message":"Too Many Requests"}'],
    ['QUOTA_EXCEEDED', 429, '{"message":"Limit Exceeded"}'],
    ['AUTHORIZER_CONFIGURATION_ERROR', 500, '{"message":null}'],
    ['DEFAULT_5XX', 502, '{"message":"Internal server error"}'],
    ['INTEGRATION_TIMEOUT', 504, '{"message":"Endpoint request timed out"}'],
  ] as const)('%s is %i, with the message of AWS', (type, status, body) => {
    const headers = [
      ['Content-Type', 'application/json'],
      ['x-amzn-ErrorType', standardResponses[type].errorType],
    ]
    expect(responseOf(type)).toEqual({ status, headers, body })
  })
})

describe('A customized gateway response', () => {
  const customized = { headers: { A: 'b' }, body: '{"own":true}' }

  test('has the status, headers and body of the template', () => {
    const response = responseOf('ACCESS_DENIED', { ACCESS_DENIED: { ...customized, status: 429 } })
    expect(response).toMatchObject({ status: 429, body: '{"own":true}' })
    expect(response.headers).toContainEqual(['A', 'b'])
  })

  test.each([
    ['its own', 'THROTTLED', 'THROTTLED', 429],
    ['DEFAULT_4XX, where it has none', 'UNAUTHORIZED', 'DEFAULT_4XX', 401],
    ['DEFAULT_5XX, where it has none', 'INTEGRATION_TIMEOUT', 'DEFAULT_5XX', 504],
  ] as const)('is %s, with the status of its type if the template gives none: %s', (_which, type, from, status) => {
    expect(responseOf(type, { [from]: customized })).toMatchObject({ status, body: '{"own":true}' })
  })
})
