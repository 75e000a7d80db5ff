import { describe, expect, test } from 'vitest'
import { integrate } from '../../../../../infra/local/gateway/integrate.ts'
import { readProxyResult } from '../../../../../infra/local/gateway/proxy-result.ts'
import type { Metered } from '../../../../../infra/local/gateway/request.ts'
import type { InvocationOutcome } from '../../../../../infra/local/lambda/invocation.ts'
import { failure, fakeFunctions, method, received, resource, restApi, result } from '../fixtures.ts'

const api = restApi()

const metered = (change: Partial<Metered> = {}): Metered => ({
  ...received('/v1/pets/7', { httpMethod: 'POST', body: '{"a":1}' }),
  resource: resource('/pets/{petId}', {}),
  method: method('create', { authorizer: { functionName: 'authorizer' }, apiKeyRequired: true }),
  path: '/pets/7',
  pathParameters: { petId: '7' },
  query: new Map([['a', ['1', '2']]]),
  principalId: 'me',
  authorizerContext: { plan: 'free' },
  usageIdentifierKey: 'hash',
  apiKeyName: 'key_1',
  ...change,
})

const run = async (outcome: InvocationOutcome | Promise<InvocationOutcome>, change: Partial<Metered> = {}) => {
  const { functions, events, problems } = fakeFunctions({ create: outcome })
  return { response: await integrate(api, metered(change), 12, functions), events, problems }
}

describe('The event of a Lambda proxy integration', () => {
  test('has every field that API Gateway gives', async () => {
    const { events } = await run(result({}))
    expect(events[0]).toEqual({
      resource: '/pets/{petId}',
      path: '/pets/7',
      httpMethod: 'POST',
      headers: expect.objectContaining({ Host: '127.0.0.1:3000', 'X-Forwarded-For': '127.0.0.1' }),
      multiValueHeaders: expect.objectContaining({ Host: ['127.0.0.1:3000'], 'X-Forwarded-Port': ['3000'] }),
      queryStringParameters: { a: '2' },
      multiValueQueryStringParameters: { a: ['1', '2'] },
      pathParameters: { petId: '7' },
      stageVariables: null,
      requestContext: {
        accountId: '000000000000',
        apiId: 'abcdef1234',
        deploymentId: 'a1b2c3',
        authorizer: { plan: 'free', principalId: 'me', integrationLatency: 12 },
        domainName: '127.0.0.1:3000',
        domainPrefix: '127',
        extendedRequestId: 'extended=',
        httpMethod: 'POST',
        identity: expect.objectContaining({
          sourceIp: '127.0.0.1',
          userAgent: 'a test',
          apiKey: 'hash',
          apiKeyId: 'key_1',
          userArn: null,
        }),
        path: '/v1/pets/7',
        protocol: 'HTTP/1.1',
        requestId: '00000000-0000-4000-8000-000000000000',
        requestTime: '21/Nov/2026:12:34:56 +0000',
        requestTimeEpoch: Date.parse('2026-11-21T12:34:56Z'),
        resourceId: 'id of /pets/{petId}',
        resourcePath: '/pets/{petId}',
        stage: 'v1',
      },
      body: '{"a":1}',
      isBase64Encoded: false,
    })
  })

  test('has no header that ends at the gateway, and the address of the caller, whatever the caller sends', async () => {
    const headers = new Map([
      ['Connection', ['keep-alive']],
      ['Content-Length', ['7']],
      ['Expect', ['100-continue']],
      ['x-forwarded-for', ['6.6.6.6']],
      ['X-Own', ['a', 'b']],
    ])
    const { events } = await run(result({}), { headers })
    expect(events[0]).toMatchObject({ multiValueHeaders: { 'X-Own': ['a', 'b'], 'X-Forwarded-For': ['127.0.0.1'] } })
    expect(Object.keys(Object(events[0]).headers).map((name) => name.toLowerCase())).toEqual([
      'x-own',
      'x-amzn-trace-id',
      'x-forwarded-for',
      'x-forwarded-port',
      'x-forwarded-proto',
    ])
  })
})

describe('The result of a Lambda proxy integration', () => {
  const read = (value: unknown) => readProxyResult(JSON.stringify(value))

  test.each([
    ['null', null],
    ['a list', []],
    ['a body that is an object', { body: {} }],
    ['a status out of range', { statusCode: 42 }],
    ['headers that are a list', { headers: ['a'] }],
    ['a header that is an object', { headers: { a: {} } }],
    ['a multi-value header that is null', { multiValueHeaders: { a: null } }],
    ['a header value that HTTP does not allow', { headers: { a: 'line\nbreak' } }],
    ['a header name that HTTP does not allow', { headers: { 'a b': 'c' } }],
  ])('is malformed with %s', (_name, value) => expect(read(value)).toBeUndefined())
})

describe('Integrating', () => {
  test.each([
    ['A function error', failure('broken'), 'Error: broken'],
    ['A malformed result', result({ wrong: 1 }), 'Malformed Lambda proxy response: {"wrong":1}'],
  ])('%s is DEFAULT_5XX, and is reported', async (_what, outcome, problem) => {
    expect(await run(outcome)).toMatchObject({ response: 'DEFAULT_5XX', problems: [problem] })
  })

  test('A function that is slower than the integration is INTEGRATION_TIMEOUT', async () => {
    const slow = method('create', {
      integration: { type: 'AWS_PROXY', functionName: 'create', timeoutMilliseconds: 20 },
    })
    const { response } = await run(new Promise(() => {}), { method: slow })
    expect(response).toBe('INTEGRATION_TIMEOUT')
  })

  test.each([
    ['its escapes', '"'.repeat(4 * 1024 * 1024)],
    ['everything beside the body', 'x'.repeat(6 * 1024 * 1024)],
    ['characters of several bytes', 'ë'.repeat(3 * 1024 * 1024)],
  ])('An event of more than 6 MB, with %s, is REQUEST_TOO_LARGE and reaches no function', async (_name, body) => {
    const { response, events } = await run(result({}), { body })
    expect(response).toBe('REQUEST_TOO_LARGE')
    expect(events).toEqual([])
  })

  test('An event just below 6 MB reaches its function', async () => {
    const { events } = await run(result({}), { body: 'x'.repeat(6 * 1024 * 1024 - 4_000) })
    expect(events).toHaveLength(1)
  })
})
