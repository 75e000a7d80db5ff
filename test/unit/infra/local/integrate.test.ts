import { describe, expect, test } from 'vitest'
import { integrate } from '../../../../infra/local/gateway/integrate.ts'
import { readProxyResult } from '../../../../infra/local/gateway/proxy-result.ts'
import type { Metered } from '../../../../infra/local/gateway/request.ts'
import type { InvocationOutcome } from '../../../../infra/local/lambda/invocation.ts'
import type { ApiMethod } from '../../../../infra/local/template/rest-api.ts'
import { failure, fakeHost, method, received, resource, restApi, result } from './fixtures.ts'

const api = restApi()

const metered = (change: Partial<Metered> = {}): Metered => ({
  ...received('/v1/pets/7', { httpMethod: 'POST', body: '{"a":1}' }),
  resource: resource('/pets/{petId}', {}),
  method: method('create', { authorizer: { functionName: 'authorizer' }, apiKeyRequired: true }),
  path: '/pets/7',
  pathParameters: { petId: '7' },
  query: new Map([['a', ['1', '2']]]),
  principalId: 'me',
  authorizerValues: { plan: 'free' },
  usageIdentifierKey: 'hash',
  apiKeyName: 'key_1',
  ...change,
})

const run = async (outcome: InvocationOutcome | Promise<InvocationOutcome>, change: Partial<Metered> = {}) => {
  const problems: string[] = []
  const { host, events } = fakeHost({ create: outcome })
  const ports = { host, report: (_name: string, problem: string) => problems.push(problem) }
  return { answer: await integrate(api, metered(change), 12, ports), events, problems }
}

describe('The event of a Lambda proxy integration', () => {
  test('has all that API Gateway puts there', async () => {
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

  test('has null for what is empty', async () => {
    const { events } = await run(result({}), { query: new Map(), pathParameters: {}, body: undefined })
    expect(events[0]).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      body: null,
    })
  })

  test('has no header that ends at the gateway, and the gateway tells of the caller, not the caller itself', async () => {
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

  test('gives status, headers and body', () => {
    expect(read({ statusCode: 201, headers: { A: 'b', C: true, D: 1 }, body: 'text', isBase64Encoded: false })).toEqual(
      {
        status: 201,
        headers: [
          ['A', 'b'],
          ['C', 'true'],
          ['D', '1'],
        ],
        body: 'text',
      },
    )
  })

  test('needs no field', () => expect(read({})).toEqual({ status: 200, headers: [], body: '' }))

  test('has the values of multiValueHeaders first where a name is in both, and a value that is in both once', () => {
    const value = {
      headers: { 'Set-Cookie': 'a', 'SET-COOKIE': 'y', Own: 'c' },
      multiValueHeaders: { 'set-cookie': ['x', 'y'] },
    }
    expect(read(value)?.headers).toEqual([
      ['set-cookie', 'x'],
      ['set-cookie', 'y'],
      ['Set-Cookie', 'a'],
      ['Own', 'c'],
    ])
  })

  test.each(['WWW-Authenticate', 'Date', 'Server', 'Connection', 'Content-Length', 'Authorization'])(
    'has %s remapped',
    (name) => expect(read({ headers: { [name]: 'x' } })?.headers).toEqual([[`x-amzn-Remapped-${name}`, 'x']]),
  )

  test.each(['Link', 'Retry-After', 'Deprecation', 'Sunset', 'X-RateLimit-Limit', 'RateLimit', 'Cache-Control'])(
    'has %s as it is',
    (name) => expect(read({ headers: { [name]: 'x' } })?.headers).toEqual([[name, 'x']]),
  )

  test.each([
    ['an unknown field', { statusCode: 200, status: 200 }],
    ['null', null],
    ['a list', []],
    ['a text', 'ok'],
    ['a body that is an object', { body: {} }],
    ['a status that is no number', { statusCode: 'ok' }],
    ['a status out of range', { statusCode: 42 }],
    ['headers that are a list', { headers: ['a'] }],
    ['a header that is an object', { headers: { a: {} } }],
    ['a multi-value header that is no list', { multiValueHeaders: { a: 'b' } }],
    ['a multi-value header that is null', { multiValueHeaders: { a: null } }],
    ['a header that HTTP cannot carry', { headers: { a: 'line\nbreak' } }],
    ['a header name that HTTP cannot carry', { headers: { 'a b': 'c' } }],
  ])('is malformed with %s', (_name, value) => expect(read(value)).toBeUndefined())
})

describe('Integrating', () => {
  const refusal = (refused: string) => ({ refused, authorizerValues: { plan: 'free' } })

  test('A function error is DEFAULT_5XX, and is reported', async () => {
    const { answer, problems } = await run(failure('broken'))
    expect(answer).toEqual(refusal('DEFAULT_5XX'))
    expect(problems).toEqual(['Error: broken'])
  })

  test('A malformed result is DEFAULT_5XX, and is reported', async () => {
    const { answer, problems } = await run(result({ wrong: 1 }))
    expect(answer).toEqual(refusal('DEFAULT_5XX'))
    expect(problems[0]).toContain('Malformed Lambda proxy response')
  })

  test('A function that is slower than the integration is INTEGRATION_TIMEOUT', async () => {
    const slow = method('create', {
      integration: { type: 'AWS_PROXY', functionName: 'create', timeoutMilliseconds: 20 },
    })
    const { answer } = await run(new Promise(() => {}), { method: slow })
    expect(answer).toEqual(refusal('INTEGRATION_TIMEOUT'))
  })

  test('A body that Lambda would not take is REQUEST_TOO_LARGE', async () => {
    const { answer, events } = await run(result({}), { body: 'x'.repeat(6 * 1024 * 1024 + 1) })
    expect(answer).toEqual(refusal('REQUEST_TOO_LARGE'))
    expect(events).toEqual([])
  })

  test.each([
    ['escapes', '"'.repeat(4 * 1024 * 1024)],
    ['all that is beside the body', 'x'.repeat(6 * 1024 * 1024)],
    ['characters of several bytes', 'ë'.repeat(3 * 1024 * 1024)],
  ])('What Lambda takes is measured with %s', async (_name, body) => {
    const { answer, events } = await run(result({}), { body })
    expect(answer).toEqual(refusal('REQUEST_TOO_LARGE'))
    expect(events).toEqual([])
  })

  test('An event just below the limit reaches its function', async () => {
    const { events } = await run(result({}), { body: 'x'.repeat(6 * 1024 * 1024 - 4_000) })
    expect(events).toHaveLength(1)
  })

  test("The caller's trace id goes to the function and comes back", async () => {
    const { answer, events } = await run(result({ headers: { A: 'b' } }))
    const { traceId } = metered()
    expect(events[0]).toMatchObject({ headers: { 'X-Amzn-Trace-Id': traceId } })
    expect(answer).toMatchObject({
      headers: [
        ['A', 'b'],
        ['X-Amzn-Trace-Id', traceId],
      ],
    })
  })

  test('A MOCK integration answers without a function', async () => {
    const integration: ApiMethod['integration'] = { type: 'MOCK', status: 204, headers: { A: 'b' }, body: '' }
    const { answer, events } = await run(result({}), { method: { ...method('create'), integration } })
    expect(answer).toEqual({ status: 204, headers: [['A', 'b']], body: '' })
    expect(events).toEqual([])
  })
})
