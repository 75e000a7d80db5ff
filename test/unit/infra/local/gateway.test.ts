/**
 * The behaviour of API Gateway that the service needs. AWS documents it, or others have recorded it on AWS.
 * test/facts/README.md links to this file.
 */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { openGateway } from '../../../../infra/local/gateway/server.ts'
import { createFunctionHost } from '../../../../infra/local/lambda/function-host.ts'
import type { ApiMethod, RestApi, StaticResponse } from '../../../../infra/local/template/rest-api.ts'
import { writeFunctionBundle } from '../../../fixtures/environment/function-bundle.ts'

/** Functions of the API, by name. */
const functionCodes = {
  /** Responds with its event as the body. */
  echo: 'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) })',
  /** Responds with the number of characters that the body of the request has. */
  length: 'exports.handler = async (event) => ({ body: String(event.body.length) })',
  /** Has the body of the request as its result. */
  reply: 'exports.handler = async (event) => JSON.parse(event.body)',
  broken: 'exports.handler = async () => { throw new Error("broken") }',
  /** Follows the query of the request: has a result, throws an error, or ends its process. */
  authorizer: `exports.handler = async ({ methodArn, queryStringParameters: { result, error, exit } }) => {
    if (error) throw new Error(error)
    if (exit) process.exit(1)
    return JSON.parse(result.replaceAll('ARN', methodArn))
  }`,
}

/** Describes a method. Without a change it has the function `echo` and no authorizer. */
const createMethod = (httpMethod: string, path: string, change: Partial<ApiMethod> = {}): ApiMethod => ({
  httpMethod,
  path,
  authorizer: undefined,
  apiKeyRequired: false,
  integration: 'echo',
  ...change,
})

/** Describes a gateway response whose body is its type. */
const createGatewayResponse = (type: string, status: number): [type: string, response: StaticResponse] => [
  type,
  { status, headers: { 'Own-Header': 'yes' }, body: type },
]

const api: RestApi = {
  id: 'api',
  stageName: 'v1',
  methods: [
    createMethod('ANY', '/'),
    createMethod('ANY', '/{proxy+}'),
    createMethod('GET', '/x'),
    createMethod('ANY', '/x/{id}'),
    createMethod('GET', '/x/mine'),
    createMethod('POST', '/length', { integration: 'length' }),
    createMethod('POST', '/reply', { integration: 'reply' }),
    createMethod('POST', '/guarded', { authorizer: 'authorizer' }),
    createMethod('GET', '/broken', { integration: 'broken' }),
    createMethod('GET', '/guarded', { authorizer: 'authorizer' }),
    createMethod('GET', '/metered', { authorizer: 'authorizer', apiKeyRequired: true }),
    createMethod('OPTIONS', '/x', { integration: { status: 204, headers: { A: 'b' }, body: '' } }),
  ],
  gatewayResponses: new Map([
    createGatewayResponse('ACCESS_DENIED', 403),
    createGatewayResponse('AUTHORIZER_CONFIGURATION_ERROR', 500),
    createGatewayResponse('INTEGRATION_FAILURE', 500),
    createGatewayResponse('INVALID_API_KEY', 403),
    createGatewayResponse('MISSING_AUTHENTICATION_TOKEN', 404),
    createGatewayResponse('REQUEST_TOO_LARGE', 413),
  ]),
}

/** Lines that functions and the gateway have written in a test. */
const lines: string[] = []
const writeLine = (line: string) => lines.push(line)
beforeEach(() => {
  lines.length = 0
})

const bundles = Object.entries(functionCodes).map(([name, code]) => [name, writeFunctionBundle(code)] as const)
const functions = createFunctionHost({
  functions: new Map(bundles),
  databaseEndpoint: 'http://127.0.0.1:1',
  writeLine,
})
const gateway = await openGateway(0, writeLine)
gateway.serve({ api, functions })
afterAll(() => Promise.all([gateway.close(), functions.close()]))

interface RequestOptions {
  /** @default a connection of its own */
  readonly agent?: Agent
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a request, with its target as it is. */
const send = async (method: string, target: string, { agent, body, headers = {} }: RequestOptions = {}) => {
  const outgoing = request({ port: gateway.port, method, path: target, headers, agent }).end(body)
  const [response]: IncomingMessage[] = await once(outgoing, 'response')
  if (response === undefined) throw new Error('A response is a message.')
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** Creates an agent that sends all requests over one connection. */
const createAgentOfOneConnection = () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return Object.assign(agent, { [Symbol.dispose]: () => agent.destroy() })
}

/** Sends a request to the function `echo`, and returns its event. */
const readEvent = async (...requested: Parameters<typeof send>) => JSON.parse((await send(...requested)).body)

/** Sends a request to a function that has this result. */
const sendForResult = (result: unknown) => send('POST', '/v1/reply', { body: JSON.stringify(result) })

interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Resource: string
}
const allow: Statement = { Effect: 'Allow', Resource: 'ARN' }
const deny: Statement = { Effect: 'Deny', Resource: 'ARN' }

/** Creates a query that makes the authorizer return these statements. `ARN` stands for the ARN of the method. */
const createQuery = (statements: readonly Statement[], change: object = {}): string => {
  const policyDocument = {
    Version: '2012-10-17',
    Statement: statements.map((statement) => ({ Action: 'execute-api:Invoke', ...statement })),
  }
  return `result=${encodeURIComponent(JSON.stringify({ principalId: 'me', policyDocument, ...change }))}`
}

describe('A large request', () => {
  const longestBytes = 10 * 1024 * 1024

  test('A body of 10 MB reaches the function.', async () => {
    const { body } = await send('POST', '/v1/length', { body: 'a'.repeat(longestBytes) })

    expect(body).toBe(String(longestBytes))
  })

  test.each([
    { refusal: 'that is too large', path: '/v1/x/1', status: 413, type: 'REQUEST_TOO_LARGE' },
    { refusal: 'whose key is invalid', path: `/v1/guarded?${createQuery([deny])}`, status: 403, type: 'ACCESS_DENIED' },
  ])(
    'A connection serves the next request after a body over 10 MB of a request $refusal',
    async ({ path, status, type }) => {
      using agent = createAgentOfOneConnection()
      const body = 'a'.repeat(longestBytes + 1)

      expect(await send('POST', path, { body, agent })).toMatchObject({ status, body: type })
      expect(await send('GET', '/v1/x', { agent })).toMatchObject({ status: 200 })
    },
  )

  test('A request without a valid key is refused before its body has been sent.', async () => {
    const path = `/v1/guarded?${createQuery([deny])}`
    const outgoing = request({ port: gateway.port, method: 'POST', path })
    outgoing.write('a')

    const [response]: IncomingMessage[] = await once(outgoing, 'response')
    outgoing.end()

    expect(response?.statusCode).toBe(403)
  })
})

describe('The event of a function', () => {
  test('The request ids of a response are those of the event.', async () => {
    const { headers, body } = await send('GET', '/v1/x')

    expect(headers['x-amzn-requestid']).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(body).requestContext).toMatchObject({
      requestId: headers['x-amzn-requestid'],
      extendedRequestId: headers['x-amz-apigw-id'],
    })
  })

  test.each([
    {
      fact: 'A path stays percent-encoded.',
      target: '/v1/x/a%2Bb',
      event: { path: '/x/a%2Bb', pathParameters: { id: 'a%2Bb' } },
    },
    {
      fact: 'A query is decoded, and + is a space.',
      target: '/v1/x?a%20b=%2B+c',
      event: { queryStringParameters: { 'a b': '+ c' } },
    },
    {
      fact: 'Of several values of a query parameter the single map has the last, the multi map has all.',
      target: '/v1/x?a=1&b=2&a=3',
      event: {
        queryStringParameters: { a: '3', b: '2' },
        multiValueQueryStringParameters: { a: ['1', '3'], b: ['2'] },
      },
    },
    {
      fact: 'A query parameter without a value is an empty string.',
      target: '/v1/x?a=',
      event: { queryStringParameters: { a: '' } },
    },
    {
      fact: 'An empty query, empty path parameters, stage variables and an empty body are null.',
      target: '/v1/x',
      event: {
        queryStringParameters: null,
        multiValueQueryStringParameters: null,
        pathParameters: null,
        stageVariables: null,
        body: null,
      },
    },
    {
      fact: 'A slash at the end is in no parameter.',
      target: '/v1/y/',
      event: { path: '/y/', pathParameters: { proxy: 'y' } },
    },
    {
      fact: 'Slashes around the stage count as one.',
      target: '//v1//x',
      event: { path: '/x', requestContext: { path: '//v1//x' } },
    },
    {
      fact: 'Within {proxy+} two slashes stay.',
      target: '/v1/y//z',
      event: { pathParameters: { proxy: 'y//z' } },
    },
    {
      fact: '{proxy+} never matches the root.',
      target: '/v1/',
      event: { resource: '/', path: '/' },
    },
    {
      fact: 'A static segment goes before a parameter.',
      target: '/v1/x/mine',
      event: { resource: '/x/mine' },
    },
    {
      fact: 'A static segment is compared as sent.',
      target: '/v1/x/%6Dine',
      event: { pathParameters: { id: '%6Dine' } },
    },
    {
      fact: 'A parameter is not empty.',
      target: '/v1/x//y',
      event: { resource: '/{proxy+}' },
    },
    {
      fact: 'The target may be a whole URL.',
      target: 'http://other.example/v1/x?a=1',
      event: { queryStringParameters: { a: '1' } },
    },
  ])('$fact', async ({ target, event }) => {
    expect(await readEvent('GET', target)).toMatchObject({ httpMethod: 'GET', ...event })
  })

  test('A known path with another method falls to {proxy+}.', async () => {
    expect(await readEvent('POST', '/v1/x')).toMatchObject({ httpMethod: 'POST', pathParameters: { proxy: 'x' } })
  })

  test('The body, the path and the headers are those of the request.', async () => {
    expect(await readEvent('POST', '/v1/x/7', { body: 'Zoë', headers: { 'X-Own': 'a' } })).toMatchObject({
      body: 'Zoë',
      isBase64Encoded: false,
      multiValueHeaders: { 'x-own': ['a'] },
      requestContext: { stage: 'v1', resourcePath: '/x/{id}' },
    })
  })

  test('The address of the caller is that of its connection, whatever headers it sends.', async () => {
    const headers = { 'X-Forwarded-For': '6.6.6.6', 'X-Forwarded-Proto': 'javascript' }

    const event = await readEvent('POST', '/v1/x/7', { body: 'Zoë', headers })

    expect(event).toMatchObject({
      multiValueHeaders: { 'x-forwarded-for': ['127.0.0.1'], 'x-forwarded-proto': ['http'] },
      requestContext: { identity: { sourceIp: '127.0.0.1' } },
    })
    expect(JSON.stringify(event)).not.toMatch(/6\.6\.6\.6|javascript/)
  })
})

describe('An API with the route GET /x alone', () => {
  beforeEach(() => {
    gateway.serve({ api: { ...api, methods: [createMethod('GET', '/x')] }, functions })
    return () => gateway.serve({ api, functions })
  })

  test('HEAD is no GET.', async () => {
    const head = await send('HEAD', '/v1/x')
    const get = await send('GET', '/v1/x')

    expect(head.status).toBe(404)
    expect(get.status).toBe(200)
  })

  test('A path without a route is MISSING_AUTHENTICATION_TOKEN.', async () => {
    expect(await send('GET', '/v1/y')).toMatchObject({ status: 404, body: 'MISSING_AUTHENTICATION_TOKEN' })
  })
})

describe('The response to a caller', () => {
  test.each([
    { description: 'an unknown field', result: { statusCode: 200, unknown: 1 } },
    { description: 'a string', result: 'text' },
    { description: 'null', result: null },
    { description: 'a status that is no number', result: { statusCode: 'test' } },
    { description: 'a body that is an object', result: { body: {} } },
  ])('The response to a malformed result is 500: $description', async ({ result }) => {
    expect((await sendForResult(result)).status).toBe(500)

    expect(lines.join()).toMatch(/^\[reply\] Malformed Lambda proxy response/)
  })

  test('The response to a header value that HTTP does not allow is 500', async () => {
    expect((await sendForResult({ headers: { a: 'line\nbreak' } })).status).toBe(500)

    expect(lines.join()).toMatch(/^\[gateway\] TypeError/)
  })

  test('A function that crashes is INTEGRATION_FAILURE.', async () => {
    expect(await send('GET', '/v1/broken')).toMatchObject({ status: 500, body: 'INTEGRATION_FAILURE' })
    expect(lines.join()).toMatch(/^\[broken\] Error: broken\n +at /)
  })

  test.each([
    { description: 'an empty result', result: {} },
    { description: 'a status as text', result: { statusCode: '200' } },
    { description: 'headers that are null', result: { headers: null, multiValueHeaders: null } },
  ])('The response to $description is 200', async ({ result }) => {
    expect((await sendForResult(result)).status).toBe(200)
  })

  // The clients keep an idle connection for less, so the server never closes one on which a request is under way.
  test('The server keeps an idle connection for 65 seconds', async () => {
    const { headers } = await sendForResult({})

    expect(headers['keep-alive']).toBe('timeout=65')
  })

  test.each([
    {
      fact: 'A response has a header whose value is true as text',
      result: { headers: { A: true } },
      expected: { a: 'true' },
    },
    {
      fact: 'A response has the several values of a header before its single value',
      result: { headers: { own: 'single' }, multiValueHeaders: { Own: ['one', 'two'] } },
      expected: { own: 'one, two, single' },
    },
    {
      fact: 'A response has a renamed header in place of one that API Gateway renames',
      result: { headers: { Date: 'own' } },
      expected: { 'x-amzn-remapped-date': 'own' },
    },
  ])('$fact', async ({ result, expected }) => {
    expect(await sendForResult(result)).toMatchObject({ status: 200, headers: expected })
  })

  test('The headers of limits, links, deprecation and caching pass.', async () => {
    const names = ['Link', 'Retry-After', 'Deprecation', 'Sunset', 'X-RateLimit-Limit', 'RateLimit', 'Cache-Control']

    const { status, headers } = await sendForResult({ headers: Object.fromEntries(names.map((name) => [name, 'own'])) })

    expect(status).toBe(200)
    for (const name of names) expect(headers[name.toLowerCase()], name).toBe('own')
  })

  test('A preflight by a MOCK integration is a 204.', async () => {
    expect(await send('OPTIONS', '/v1/x')).toMatchObject({ status: 204, headers: { a: 'b' }, body: '' })
  })

  test('The response to a path outside the stage is 404 with the error body', async () => {
    expect(await send('GET', '/V1/x')).toMatchObject({
      status: 404,
      body: expect.stringContaining('"code":"route_not_found"'),
    })
  })
})

describe('An authorizer', () => {
  test.each([
    {
      fact: 'An Allow of its own ARN allows a method.',
      target: `/v1/guarded?${createQuery([allow])}`,
    },
    {
      fact: 'An Allow with a wildcard at its end allows a method.',
      target: `/v1/guarded?${createQuery([{ Effect: 'Allow', Resource: 'arn:aws:execute-api:*' }])}`,
    },
    {
      fact: 'An Allow with an API key allows a method that requires one.',
      target: `/v1/metered?${createQuery([allow], { usageIdentifierKey: 'own' })}`,
    },
  ])('$fact', async ({ target }) => {
    const { status, headers } = await send('GET', target)

    expect(status).toBe(200)
    expect(headers['own-header']).toBeUndefined()
  })

  test.each([
    {
      fact: 'A Deny overrides an Allow.',
      target: `/v1/guarded?${createQuery([allow, deny])}`,
      status: 403,
      type: 'ACCESS_DENIED',
    },
    {
      fact: 'An Allow of another method denies a method.',
      target: `/v1/guarded?${createQuery([{ Effect: 'Allow', Resource: 'ARN/other' }])}`,
      status: 403,
      type: 'ACCESS_DENIED',
    },
    {
      fact: 'A wildcard that is not at the end matches no method.',
      target: `/v1/guarded?${createQuery([{ Effect: 'Allow', Resource: '*/guarded' }])}`,
      status: 403,
      type: 'ACCESS_DENIED',
    },
    {
      fact: 'A policy without statements denies a method.',
      target: `/v1/guarded?${createQuery([])}`,
      status: 403,
      type: 'ACCESS_DENIED',
    },
    {
      fact: 'An authorizer that throws, or crashes, is AuthorizerConfigurationException, whose status can be changed.',
      target: '/v1/guarded?error=thrown',
      status: 500,
      type: 'AUTHORIZER_CONFIGURATION_ERROR',
    },
    {
      fact: 'An authorizer that ends its process is AUTHORIZER_CONFIGURATION_ERROR.',
      target: '/v1/guarded?exit=1',
      status: 500,
      type: 'AUTHORIZER_CONFIGURATION_ERROR',
    },
    {
      fact: 'The authorizer comes before the API key: a denied request gets no error about the key.',
      target: `/v1/metered?${createQuery([deny])}`,
      status: 403,
      type: 'ACCESS_DENIED',
    },
    {
      fact: 'An API key that is unknown is INVALID_API_KEY, 403.',
      target: `/v1/metered?${createQuery([allow])}`,
      status: 403,
      type: 'INVALID_API_KEY',
    },
  ])('$fact', async ({ target, status, type }) => {
    const response = await send('GET', target)

    expect(response).toMatchObject({ status, headers: { 'own-header': 'yes' }, body: type })
  })

  test('The JSON template is used whatever Accept says.', async () => {
    const sendWith = (headers: Readonly<Record<string, string>>) =>
      send('GET', `/v1/guarded?${createQuery([deny])}`, { headers })

    const responses = [
      await sendWith({}),
      await sendWith({ Accept: 'text/html' }),
      await sendWith({ Accept: 'application/xml;q=0.9, application/json;q=0' }),
    ]

    const json = { status: 403, headers: { 'content-type': 'application/json' }, body: 'ACCESS_DENIED' }
    expect(responses).toMatchObject([json, json, json])
  })

  test('A function is handed the context of the authorizer as strings.', async () => {
    const query = createQuery([allow], { context: { text: 'a', number: 1, boolean: true } })

    const { requestContext } = await readEvent('GET', `/v1/guarded?${query}`)

    expect(requestContext.authorizer).toEqual({
      principalId: 'me',
      text: 'a',
      number: '1',
      boolean: 'true',
    })
  })
})
