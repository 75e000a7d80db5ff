import { expect, it } from 'vitest'
import { readRestApi } from '../../../../../infra/local/template/rest-api.ts'
import {
  findProperties,
  resolveStagingResources,
  synthesizeTemplates,
} from '../../../../fixtures/environment/templates.ts'

const preflights = readRestApi(resolveStagingResources()).methods.filter(({ httpMethod }) => httpMethod === 'OPTIONS')

// test/requests/unknown-routes.ts has the methods that the preflight of each path allows.
it('a preflight allows any web page to send the headers of the contract, and is kept for a day', () => {
  const [preflight] = preflights.filter(({ path }) => path === '/pets')

  expect(preflight?.integration).toEqual({
    status: 204,
    headers: {
      'X-RateLimit-Limit': '0',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '0',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': expect.stringContaining('OPTIONS'),
      'Access-Control-Allow-Headers': 'Authorization,Content-Type,Idempotency-Key,*',
      'Access-Control-Max-Age': '86400',
    },
    body: '',
  })
})

// The response to another Content-Type is 415 ("Method request behavior for payloads without mapping templates for REST
// APIs in API Gateway"). If such a request passed through to the mock integration, the response would be 500.
it('a preflight takes JSON alone', () => {
  const integrations = findProperties(synthesizeTemplates('staging').api, 'AWS::ApiGateway::Method')
    .filter(({ HttpMethod }) => HttpMethod === 'OPTIONS')
    .map(({ Integration }) => Integration)

  expect(integrations).toHaveLength(preflights.length)
  for (const integration of integrations) {
    expect(integration.RequestTemplates).toEqual({ 'application/json': '{"statusCode":204}' })
    expect(integration.PassthroughBehavior).toBe('WHEN_NO_TEMPLATES')
  }
})
