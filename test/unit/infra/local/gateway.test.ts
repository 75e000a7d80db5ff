import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OpenGateway, openGateway } from '../../../../infra/local/gateway/server.ts'
import { createFunctionHost, type FunctionHost } from '../../../../infra/local/lambda/function-host.ts'
import type { ApiMethod, RestApi } from '../../../../infra/local/template/rest-api.ts'
import { bundle, temporaryFolder } from './fixtures.ts'

const codes = {
  /** Its response is its event. */
  echo: 'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })',
  /** Its result is the body of the request. */
  reply: 'exports.handler = async (event) => JSON.parse(event.body)',
  broken: 'exports.handler = async () => { throw new Error("broken") }',
  /** What it does is in the query. */
  authorizer: `exports.handler = async ({ methodArn, queryStringParameters: { result, error, exit } }) => {
    if (error) throw new Error(error)
    if (exit) process.exit(1)
    return JSON.parse(result.replaceAll('ARN', methodArn))
  }`,
}

const method = (httpMethod: string, path: string, change: Partial<ApiMethod> = {}): ApiMethod => ({
  ...{ httpMethod, path, authorizer: undefined, apiKeyRequired: false },
  integration: 'echo',
  ...change,
})

const guarded = { authorizer: 'authorizer' }

/** Of the gateway responses, each of which has its type as its body. */
const statuses = {
  ...{ ACCESS_DENIED: 403, AUTHORIZER_CONFIGURATION_ERROR: 503, DEFAULT_5XX: 500, INVALID_API_KEY: 403 },
  ...{ MISSING_AUTHENTICATION_TOKEN: 404, UNAUTHORIZED: 401 },
}

const api: RestApi = {
  ...{ id: 'api', stageName: 'v1' },
  methods: [
    ...[method('ANY', '/'), method('ANY', '/{proxy+}'), method('GET', '/x'), method('ANY', '/x/{id}')],
    ...[method('GET', '/x/mine'), method('GET', '/x/my.toys'), method('POST', '/reply', { integration: 'reply' })],
    ...[method('GET', '/broken', { integration: 'broken' }), method('GET', '/guarded', guarded)],
    method('GET', '/metered', { ...guarded, apiKeyRequired: true }),
    method('OPTIONS', '/x', { integration: { status: 204, headers: { A: 'b' }, body: '' } }),
  ],
  gatewayResponses: new Map(
    Object.entries(statuses).map(([type, status]) => [type, { status, headers: { 'Own-Header': 'yes' }, body: type }]),
  ),
}

const folder = temporaryFolder()
const lines: string[] = []
let functions: FunctionHost
let gateway: OpenGateway
beforeAll(async () => {
  functions = createFunctionHost({
    functions: new Map(Object.entries(codes).map(([name, code]) => [name, bundle(folder, name, code)])),
    databaseEndpoint: 'http://127.0.0.1:1',
    writeLine: (line) => lines.push(line),
  })
  gateway = await openGateway(0, (line) => lines.push(line))
  gateway.serve({ api, functions })
})
afterAll(() => Promise.all([gateway.close(), functions.close()]))

const call = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${gateway.port}${path}`, init)

const answer = async (path: string, init?: RequestInit) => {
  const response = await call(path, init)
  return [response.status, await response.text()]
}

// Each of these is documented by AWS, or was recorded there by others. Those in test/README.md have its words.

describe('A function gets', () => {
  const encoded = 'a%2Bb%20c%40d'
  test.each<[fact: string, request: string, expected: object]>([
    [
      'The path and the path parameters stay percent-encoded as sent.',
      `GET /v1/x/${encoded}`,
      { path: `/x/${encoded}`, pathParameters: { id: encoded }, requestContext: { path: `/v1/x/${encoded}` } },
    ],
    [
      'The query is decoded, and a plus sign is a space.',
      'GET /v1/x?mail=a%2Bb%40c&a%20b=c+d',
      { queryStringParameters: { mail: 'a+b@c', 'a b': 'c d' } },
    ],
    [
      'Of several values of a query parameter the single map has the last, the multi map has all.',
      'GET /v1/x?a=1&b=2&a=3',
      {
        queryStringParameters: { a: '3', b: '2' },
        multiValueQueryStringParameters: { a: ['1', '3'], b: ['2'] },
      },
    ],
    [
      'A query parameter without a value is an empty string.',
      'GET /v1/x?empty=',
      { queryStringParameters: { empty: '' }, multiValueQueryStringParameters: { empty: [''] } },
    ],
    [
      'An empty query, empty path parameters, stage variables and an empty body are null.',
      'GET /v1/x',
      {
        ...{ queryStringParameters: null, multiValueQueryStringParameters: null, pathParameters: null },
        ...{ stageVariables: null, body: null },
      },
    ],
    [
      'A slash at the end stays in both paths, but not in the parameter of {proxy+}.',
      'GET /v1/y/',
      { path: '/y/', pathParameters: { proxy: 'y' }, requestContext: { path: '/v1/y/' } },
    ],
    [
      'Slashes before and after the stage count as one for the resource and for path, and stay in requestContext.path.',
      'GET //v1//x',
      { resource: '/x', path: '/x', requestContext: { path: '//v1//x' } },
    ],
    ['Within {proxy+} two slashes stay.', 'GET /v1/y//z', { pathParameters: { proxy: 'y//z' } }],
    [
      'A known path with another method falls to {proxy+}.',
      'POST /v1/x',
      { resource: '/{proxy+}', pathParameters: { proxy: 'x' } },
    ],
    ['{proxy+} never matches the root.', 'GET /v1/', { resource: '/', path: '/' }],
    ['A static segment goes before a parameter.', 'GET /v1/x/mine', { resource: '/x/mine' }],
    ['A static segment is compared as sent.', 'GET /v1/x/%6Dine', { pathParameters: { id: '%6Dine' } }],
    ['A dot is no other character.', 'GET /v1/x/my-toys', { resource: '/x/{id}' }],
    ['A parameter is not empty.', 'GET /v1/x//y', { resource: '/{proxy+}' }],
  ])('%s', async (_fact, request, expected) => {
    const [httpMethod = '', target = ''] = request.split(' ')
    const [, text = ''] = await answer(target, { method: httpMethod })
    expect(JSON.parse(String(text))).toMatchObject({ httpMethod, ...expected })
  })

  test('the caller as the gateway sees it, whatever the caller sends', async () => {
    const headers = { 'X-Forwarded-For': '6.6.6.6', 'X-Forwarded-Proto': 'javascript', 'X-Own': 'a' }
    const [, text = ''] = await answer('/v1/x/7', { method: 'POST', body: 'Zoë', headers })
    expect(JSON.parse(String(text))).toMatchObject({
      ...{ body: 'Zoë', isBase64Encoded: false },
      multiValueHeaders: { 'x-forwarded-for': ['127.0.0.1'], 'x-forwarded-proto': ['http'], 'x-own': ['a'] },
      requestContext: {
        ...{ stage: 'v1', resourcePath: '/x/{id}' },
        identity: { sourceIp: '127.0.0.1' },
      },
    })
    expect(text).not.toMatch(/6\.6\.6\.6|javascript/)
  })

  test('the path of a request whose target is a whole URL', async () => {
    const target = 'http://127.0.0.1/v1/x?a=1'
    const [response]: IncomingMessage[] = await once(request({ port: gateway.port, path: target }).end(), 'response')
    expect(response && (await json(response))).toMatchObject({ path: '/x', queryStringParameters: { a: '1' } })
  })

  test('HEAD is no GET.', async () => {
    gateway.serve({ api: { ...api, methods: [method('GET', '/x')] }, functions })
    const statuses = [await answer('/v1/x', { method: 'HEAD' }), await answer('/v1/y'), await answer('/v1/x')]
    gateway.serve({ api, functions })
    expect(statuses.map(([status]) => status)).toEqual([404, 404, 200])
  })
})

describe('A caller gets', () => {
  const reply = (result: unknown) => call('/v1/reply', { method: 'POST', body: JSON.stringify(result) })

  test.each([
    ['an unknown field', { statusCode: 200, unknown: 1 }],
    ['a string', 'text'],
    ['null', null],
    ['a status that is no number', { statusCode: 'test' }],
    ['a body that is an object', { body: {} }],
    ['a header value that HTTP does not allow', { headers: { a: 'line\nbreak' } }],
  ])('a 500 for a result that is malformed, which is printed: %s', async (_what, result) => {
    lines.length = 0
    expect((await reply(result)).status).toBe(500)
    expect(lines.join()).toMatch(/^\[reply\] Malformed Lambda proxy response|^\[gateway\] TypeError/)
  })

  test('a 500 for a function that throws, whose stack is printed', async () => {
    expect(await answer('/v1/broken')).toEqual([500, 'DEFAULT_5XX'])
    expect(lines.at(-1)).toMatch(/^\[broken\] Error: broken\n +at /)
  })

  test.each([
    ['an empty result', {}, {}],
    ['a status as text', { statusCode: '200' }, {}],
    ['headers that are null', { headers: null, multiValueHeaders: null }, {}],
    ['a header that is true', { headers: { A: true } }, { A: 'true' }],
    [
      'a name in both header maps, whose several values come first',
      { headers: { own: 'single' }, multiValueHeaders: { Own: ['one', 'two'] } },
      { Own: 'one, two, single' },
    ],
    ['a header that API Gateway renames', { headers: { Date: 'own' } }, { 'x-amzn-Remapped-Date': 'own' }],
  ])('what a function gives: %s', async (_what, result, expected) => {
    const { status, headers } = await reply(result)
    expect(status).toBe(200)
    for (const [name, value] of Object.entries(expected)) expect(headers.get(name)).toBe(value)
    expect(headers.get('x-amzn-RequestId')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('The headers of limits, links, deprecation and caching pass.', async () => {
    const passed = ['Link', 'Retry-After', 'Deprecation', 'Sunset', 'X-RateLimit-Limit', 'RateLimit', 'Cache-Control']
    const { headers } = await reply({ headers: Object.fromEntries(passed.map((name) => [name, 'own'])) })
    expect(passed.filter((name) => headers.get(name) !== 'own')).toEqual([])
  })

  test('A preflight by a MOCK integration is a 204.', async () => {
    const { status, headers } = await call('/v1/x', { method: 'OPTIONS' })
    expect([status, headers.get('A')]).toEqual([204, 'b'])
  })

  test('a 404 with the error body for a path outside the stage', async () => {
    const [status, text = ''] = await answer('/V1/x')
    expect([status, JSON.parse(String(text)).code]).toEqual([404, 'route_not_found'])
  })
})

describe('An authorizer', () => {
  const decision = (Statement: readonly object[], change: object = {}): string => {
    const statements = Statement.map((one) => ({ Action: 'execute-api:Invoke', ...one }))
    const result = { principalId: 'me', policyDocument: { Version: '2012-10-17', Statement: statements }, ...change }
    return `result=${encodeURIComponent(JSON.stringify(result))}`
  }
  const [allow, deny] = ['Allow', 'Deny'].map((Effect) => ({ Effect, Resource: 'ARN' }))
  const own = { usageIdentifierKey: 'own' }

  test.each<[fact: string, path: string, query: string, expected: unknown]>([
    ['An authorizer that allows its own ARN.', 'guarded', decision([{ ...allow }]), 200],
    ['An Allow of every method.', 'guarded', decision([{ ...allow, Resource: 'arn:aws:execute-api:*' }]), 200],
    ['An Allow beside a Deny.', 'guarded', decision([{ ...allow }, { ...deny }]), 'ACCESS_DENIED'],
    ['An Allow of another method.', 'guarded', decision([{ ...allow, Resource: 'ARN/other' }]), 'ACCESS_DENIED'],
    ['A wildcard that is not at the end.', 'guarded', decision([{ ...allow, Resource: '*/guarded' }]), 'ACCESS_DENIED'],
    ['No statement.', 'guarded', decision([]), 'ACCESS_DENIED'],
    [
      'An authorizer that throws exactly Unauthorized is UNAUTHORIZED, 401.',
      'guarded',
      'error=Unauthorized',
      'UNAUTHORIZED',
    ],
    [
      'An authorizer that throws anything else, or crashes, is 500 AuthorizerConfigurationException.',
      'guarded',
      'error=unauthorized',
      'AUTHORIZER_CONFIGURATION_ERROR',
    ],
    ['It crashes.', 'guarded', 'exit=1', 'AUTHORIZER_CONFIGURATION_ERROR'],
    [
      'The authorizer comes before the API key: a denied request gets no error about the key.',
      'metered',
      decision([{ ...deny }]),
      'ACCESS_DENIED',
    ],
    ['An API key that is unknown is INVALID_API_KEY, 403.', 'metered', decision([{ ...allow }]), 'INVALID_API_KEY'],
    ['An authorizer that names an API key.', 'metered', decision([{ ...allow }], own), 200],
  ])('%s', async (_fact, path, query, expected) => {
    const response = await call(`/v1/${path}?${query}`)
    expect([response.status, await response.text()]).toContain(expected)
    expect(response.headers.get('Own-Header')).toBe(expected === 200 ? null : 'yes')
  })

  test('The JSON template is used whatever Accept says.', async () => {
    const { headers } = await call('/v1/guarded?error=Unauthorized', { headers: { Accept: 'text/html' } })
    expect(headers.get('Content-Type')).toBe('application/json')
  })

  test('A function is handed the context of the authorizer as strings.', async () => {
    const query = decision([{ ...allow }], { context: { text: 'a', number: 1, boolean: true } })
    const [, text = ''] = await answer(`/v1/guarded?${query}`)
    const { authorizer } = JSON.parse(String(text)).requestContext
    expect(authorizer).toEqual({ principalId: 'me', text: 'a', number: '1', boolean: 'true' })
  })
})
