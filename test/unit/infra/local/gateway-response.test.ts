// biome-ignore-all lint/suspicious/noTemplateCurlyInString: gateway responses write their variables like this.
import { describe, expect, test } from 'vitest'
import { gatewayResponse } from '../../../../infra/local/gateway/gateway-response.ts'
import { type GatewayResponseType, refusalKinds, refuse } from '../../../../infra/local/gateway/refusal.ts'
import { type ApiParts, received, restApi } from './fixtures.ts'

const answer = (
  type: GatewayResponseType,
  gatewayResponses: ApiParts['gatewayResponses'] = {},
  authorizerValues: Readonly<Record<string, string>> = {},
) => gatewayResponse(restApi({ gatewayResponses }), refuse(type, authorizerValues), received('/v1/pets'))

const header = (from: ReturnType<typeof answer>, name: string) => from.headers.find(([own]) => own === name)?.[1]

describe('A gateway response that nobody customised', () => {
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
    expect(answer(type)).toMatchObject({ status, body })
    expect(header(answer(type), 'x-amzn-ErrorType')).toBe(refusalKinds[type].errorType)
  })
})

describe('A customised gateway response', () => {
  test('has its own status, headers and body', () => {
    const own = {
      ACCESS_DENIED: {
        status: 429,
        parameters: {
          'gatewayresponse.header.Retry-After': 'context.authorizer.retryAfter',
          'gatewayresponse.header.Fixed': "'it's literal'",
          'gatewayresponse.header.Echo': 'method.request.header.user-agent',
          'gatewayresponse.header.Missing': 'context.authorizer.missing',
        },
        templates: { 'application/json': '{"code":"$context.authorizer.errorCode","id":"$context.requestId."}' },
      },
    }
    const given = answer('ACCESS_DENIED', own, { retryAfter: '7', errorCode: 'rate_limit_exceeded' })
    expect(given.status).toBe(429)
    expect(header(given, 'Retry-After')).toBe('7')
    expect(header(given, 'Fixed')).toBe("it's literal")
    expect(header(given, 'Echo')).toBe('a test')
    expect(header(given, 'Missing')).toBeUndefined()
    expect(given.body).toBe('{"code":"rate_limit_exceeded","id":"00000000-0000-4000-8000-000000000000."}')
  })

  test('is substituted once, without escaping and without looking into what it substitutes', () => {
    const templates = { 'application/json': '{"m":"$context.authorizer.a"}' }
    const given = answer('ACCESS_DENIED', { ACCESS_DENIED: { templates } }, { a: '"$context.requestId' })
    expect(given.body).toBe('{"m":""$context.requestId"}')
  })

  test('keeps the status of its type where it has none', () => {
    expect(answer('THROTTLED', { THROTTLED: { templates: { 'application/json': '{}' } } }).status).toBe(429)
  })

  test.each([
    ['UNAUTHORIZED', 'DEFAULT_4XX', 401],
    ['INTEGRATION_TIMEOUT', 'DEFAULT_5XX', 504],
  ] as const)('%s takes from %s what it has not itself', (type, fallback, status) => {
    const templates = { 'application/json': '{"own":true}' }
    expect(answer(type, { [fallback]: { templates } })).toMatchObject({ status, body: '{"own":true}' })
  })

  test('takes nothing from the default where it is customised', () => {
    const parameters = { 'gatewayresponse.header.A': "'b'" }
    expect(header(answer('UNAUTHORIZED', { UNAUTHORIZED: {}, DEFAULT_4XX: { parameters } }), 'A')).toBeUndefined()
  })
})
