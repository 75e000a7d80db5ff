import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { openGateway } from '../../../../infra/local/gateway/server.ts'
import { createFunctionHost } from '../../../../infra/local/lambda/function-host.ts'
import type { ApiMethod, RestApi } from '../../../../infra/local/template/rest-api.ts'
import { writeFunctionBundle } from '../../../fixtures/function-bundle.ts'

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

/** @param where such as `GET /x` */
const method = (where: string, change: Partial<ApiMethod> = {}): ApiMethod => {
  const [httpMethod = '', path = ''] = where.split(' ')
  return { httpMethod, path, authorizer: undefined, apiKeyRequired: false, integration: 'echo', ...change }
}

/** Of the gateway responses, each of which has its type as its body. */
const statuses = {
  ...{ ACCESS_DENIED: 403, AUTHORIZER_CONFIGURATION_ERROR: 503, DEFAULT_5XX: 500, INVALID_API_KEY: 403 },
  ...{ MISSING_AUTHENTICATION_TOKEN: 404, UNAUTHORIZED: 401 },
}

const api: RestApi = {
  ...{ id: 'api', stageName: 'v1' },
  methods: [
    ...['ANY /', 'ANY /{proxy+}', 'GET /x', 'ANY /x/{id}', 'GET /x/mine'].map((one) => method(one)),
    ...[method('POST /reply', { integration: 'reply' }), method('GET /broken', { integration: 'broken' })],
    method('GET /guarded', { authorizer: 'authorizer' }),
    method('GET /metered', { authorizer: 'authorizer', apiKeyRequired: true }),
    method('OPTIONS /x', { integration: { status: 204, headers: { A: 'b' }, body: '' } }),
  ],
  gatewayResponses: new Map(
    Object.entries(statuses).map(([type, status]) => [type, { status, headers: { 'Own-Header': 'yes' }, body: type }]),
  ),
}

const lines: string[] = []
const writeLine = (line: string) => lines.push(line)
const bundles = new Map(Object.entries(codes).map(([name, code]) => [name, writeFunctionBundle(code)]))
const functions = createFunctionHost({ functions: bundles, databaseEndpoint: 'http://127.0.0.1:1', writeLine })
const gateway = await openGateway(0, writeLine)
gateway.serve({ api, functions })
afterAll(() => Promise.all([gateway.close(), functions.close()]))

/** @param line such as `GET /v1/x`, sent as it is */
const send = async (line: string, body?: string, headers: Readonly<Record<string, string>> = {}) => {
  const [httpMethod = '', path = ''] = line.split(' ')
  const outgoing = request({ port: gateway.port, method: httpMethod, path, headers }).end(body)
  const [response]: IncomingMessage[] = await once(outgoing, 'response')
  if (response === undefined) throw new Error('A response is a message.')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

const eventOf = async (...sent: Parameters<typeof send>) => JSON.parse((await send(...sent)).body)

const reply = (result: unknown) => send('POST /v1/reply', JSON.stringify(result))

// Each of these is documented by AWS, or was recorded there by others. Those in test/README.md have its words.

describe('A function gets', () => {
  const parameters = { queryStringParameters: null, multiValueQueryStringParameters: null, pathParameters: null }
  const nothing = { ...parameters, stageVariables: null, body: null }
  test.each<[fact: string, request: string, expected: object]>([
    ['A path stays percent-encoded.', 'GET /v1/x/a%2Bb', { path: '/x/a%2Bb', pathParameters: { id: 'a%2Bb' } }],
    ['A query is decoded, and + is a space.', 'GET /v1/x?a%20b=%2B+c', { queryStringParameters: { 'a b': '+ c' } }],
    [
      'Of several values of a query parameter the single map has the last, the multi map has all.',
      'GET /v1/x?a=1&b=2&a=3',
      { queryStringParameters: { a: '3', b: '2' }, multiValueQueryStringParameters: { a: ['1', '3'], b: ['2'] } },
    ],
    ['A query parameter without a value is an empty string.', 'GET /v1/x?a=', { queryStringParameters: { a: '' } }],
    ['An empty query, empty path parameters, stage variables and an empty body are null.', 'GET /v1/x', nothing],
    ['A slash at the end is in no parameter.', 'GET /v1/y/', { path: '/y/', pathParameters: { proxy: 'y' } }],
    ['Slashes around the stage count as one.', 'GET //v1//x', { path: '/x', requestContext: { path: '//v1//x' } }],
    ['Within {proxy+} two slashes stay.', 'GET /v1/y//z', { pathParameters: { proxy: 'y//z' } }],
    ['A known path with another method falls to {proxy+}.', 'POST /v1/x', { pathParameters: { proxy: 'x' } }],
    ['{proxy+} never matches the root.', 'GET /v1/', { resource: '/', path: '/' }],
    ['A static segment goes before a parameter.', 'GET /v1/x/mine', { resource: '/x/mine' }],
    ['A static segment is compared as sent.', 'GET /v1/x/%6Dine', { pathParameters: { id: '%6Dine' } }],
    ['A parameter is not empty.', 'GET /v1/x//y', { resource: '/{proxy+}' }],
    ['The target may be a whole URL.', 'GET http://other.example/v1/x?a=1', { queryStringParameters: { a: '1' } }],
  ])('%s', async (_fact, line, expected) => {
    expect(await eventOf(line)).toMatchObject({ httpMethod: line.split(' ')[0], ...expected })
  })

  test('the caller as the gateway sees it, whatever the caller sends', async () => {
    const headers = { 'X-Forwarded-For': '6.6.6.6', 'X-Forwarded-Proto': 'javascript', 'X-Own': 'a' }
    const event = await eventOf('POST /v1/x/7', 'Zoë', headers)
    expect(event).toMatchObject({
      ...{ body: 'Zoë', isBase64Encoded: false },
      multiValueHeaders: { 'x-forwarded-for': ['127.0.0.1'], 'x-forwarded-proto': ['http'], 'x-own': ['a'] },
      requestContext: { stage: 'v1', resourcePath: '/x/{id}', identity: { sourceIp: '127.0.0.1' } },
    })
    expect(JSON.stringify(event)).not.toMatch(/6\.6\.6\.6|javascript/)
  })

  test('HEAD is no GET.', async () => {
    gateway.serve({ api: { ...api, methods: [method('GET /x')] }, functions })
    const responses = await Promise.all(['HEAD /v1/x', 'GET /v1/y', 'GET /v1/x'].map((line) => send(line)))
    gateway.serve({ api, functions })
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 200])
  })
})

describe('A caller gets', () => {
  const routeNotFound = expect.stringContaining('"code":"route_not_found"')
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

  const passed = ['Link', 'Retry-After', 'Deprecation', 'Sunset', 'X-RateLimit-Limit', 'RateLimit', 'Cache-Control']
  const all = Object.fromEntries(passed.map((name) => [name, 'own']))
  const several = { headers: { own: 'single' }, multiValueHeaders: { Own: ['one', 'two'] } }
  test.each<[fact: string, result: object, expected: Readonly<Record<string, string>>]>([
    ['what a function gives: an empty result', {}, {}],
    ['what a function gives: a status as text', { statusCode: '200' }, {}],
    ['what a function gives: headers that are null', { headers: null, multiValueHeaders: null }, {}],
    ['what a function gives: a header that is true', { headers: { A: true } }, { A: 'true' }],
    ['a name of both header maps, whose several values come first', several, { Own: 'one, two, single' }],
    ['a header that API Gateway renames', { headers: { Date: 'own' } }, { 'x-amzn-Remapped-Date': 'own' }],
    ['The headers of limits, links, deprecation and caching pass.', { headers: all }, all],
  ])('%s', async (_fact, result, expected) => {
    const { status, headers } = await reply(result)
    expect([status, headers]).toMatchObject([200, { 'x-amzn-requestid': expect.stringMatching(/^[0-9a-f-]{36}$/) }])
    for (const [name, value] of Object.entries(expected)) expect(headers[name.toLowerCase()]).toBe(value)
  })

  test('a 500 for a function that throws, whose stack is printed', async () => {
    lines.length = 0
    expect(await send('GET /v1/broken')).toMatchObject({ status: 500, body: 'DEFAULT_5XX' })
    expect(lines.join()).toMatch(/^\[broken\] Error: broken\n +at /)
  })

  test.each([
    ['A preflight by a MOCK integration is a 204.', 'OPTIONS /v1/x', { status: 204, headers: { a: 'b' }, body: '' }],
    ['a 404 with the error body for a path outside the stage', 'GET /V1/x', { status: 404, body: routeNotFound }],
  ])('%s', async (_fact, line, expected) => {
    expect(await send(line)).toMatchObject(expected)
  })
})

describe('An authorizer', () => {
  const decision = (effects: readonly string[], Resource = 'ARN', change: object = {}): string => {
    const Statement = effects.map((Effect) => ({ Action: 'execute-api:Invoke', Effect, Resource }))
    const result = { principalId: 'me', policyDocument: { Version: '2012-10-17', Statement }, ...change }
    return `result=${encodeURIComponent(JSON.stringify(result))}`
  }
  const allow = decision(['Allow'])
  const denied = `metered?${decision(['Deny'])}`
  const named = decision(['Allow'], 'ARN', { usageIdentifierKey: 'own' })
  const [unauthorized, failing] = ['guarded?error=Unauthorized', 'guarded?error=unauthorized']
  const error = 'AUTHORIZER_CONFIGURATION_ERROR'

  test.each<[fact: string, path: string, expected: unknown]>([
    ['An authorizer that allows its own ARN.', `guarded?${allow}`, 200],
    ['An Allow of every method.', `guarded?${decision(['Allow'], 'arn:aws:execute-api:*')}`, 200],
    ['An Allow beside a Deny.', `guarded?${decision(['Allow', 'Deny'])}`, 'ACCESS_DENIED'],
    ['An Allow of another method.', `guarded?${decision(['Allow'], 'ARN/other')}`, 'ACCESS_DENIED'],
    ['A wildcard that is not at the end.', `guarded?${decision(['Allow'], '*/guarded')}`, 'ACCESS_DENIED'],
    ['No statement.', `guarded?${decision([])}`, 'ACCESS_DENIED'],
    ['An authorizer that throws exactly Unauthorized is UNAUTHORIZED, 401.', unauthorized, 'UNAUTHORIZED'],
    ['An authorizer that throws anything else, or crashes, is 500 AuthorizerConfigurationException.', failing, error],
    ['It crashes.', 'guarded?exit=1', error],
    ['The authorizer comes before the API key: a denied request gets no error about the key.', denied, 'ACCESS_DENIED'],
    ['An API key that is unknown is INVALID_API_KEY, 403.', `metered?${allow}`, 'INVALID_API_KEY'],
    ['An authorizer that names an API key.', `metered?${named}`, 200],
    ['The JSON template is used whatever Accept says.', unauthorized, 'UNAUTHORIZED'],
  ])('%s', async (_fact, path, expected) => {
    const { status, headers, body } = await send(`GET /v1/${path}`, '', { Accept: 'text/html' })
    expect([status, body]).toContain(expected)
    const own = [headers['own-header'], headers['content-type']]
    expect(own).toEqual(expected === 200 ? [undefined, undefined] : ['yes', 'application/json'])
  })

  test('A function is handed the context of the authorizer as strings.', async () => {
    const query = decision(['Allow'], 'ARN', { context: { text: 'a', number: 1, boolean: true } })
    const { requestContext } = await eventOf(`GET /v1/guarded?${query}`)
    expect(requestContext.authorizer).toEqual({ principalId: 'me', text: 'a', number: '1', boolean: 'true' })
  })
})
