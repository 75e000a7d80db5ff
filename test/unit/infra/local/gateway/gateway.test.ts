/**
 * The phases and the events of API Gateway that the service needs, as AWS documents them or others have recorded them
 * on AWS. test/requests sends the paths of the service itself.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { createGateway, type ServedApi } from '../../../../../infra/local/gateway/gateway.ts'
import type { ReceivedRequest } from '../../../../../infra/local/gateway/request.ts'
import type { FunctionInvoker } from '../../../../../infra/local/lambda/function-host.ts'
import type { ApiMethod, RestApi, StaticResponse } from '../../../../../infra/local/template/rest-api.ts'

interface FunctionEvent {
  readonly body: string
  readonly methodArn: string
  readonly queryStringParameters: { readonly result: string; readonly error?: string }
}

/** Functions of the API, by name. */
const handlers: Readonly<Record<string, (event: FunctionEvent) => unknown>> = {
  /** Responds with its event as the body. */
  echo: (event) => ({ statusCode: 200, body: JSON.stringify(event) }),
  /** Has the parsed body of the request as its result. */
  reply: ({ body }) => JSON.parse(body),
  broken: () => {
    throw new Error('broken')
  },
  /** Throws the error, or has the result, that the query names. `ARN` stands for the ARN of the method. */
  authorizer: ({ methodArn, queryStringParameters: { result, error } }) => {
    if (error !== undefined) throw new Error(error)
    return JSON.parse(result.replaceAll('ARN', methodArn))
  },
}

/** Problems that the gateway reported to the logs of functions. */
let problems: string[] = []
beforeEach(() => {
  problems = []
})

const functions: FunctionInvoker = {
  invoke: async (name, event) => {
    try {
      return { kind: 'result', payload: JSON.stringify(handlers[name]?.(JSON.parse(event))) }
    } catch (error) {
      return { kind: 'error', message: String(error), log: `${error}` }
    }
  },
  report: (name, problem) => problems.push(`${name}: ${problem}`),
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
    createMethod('POST', '/reply', { integration: 'reply' }),
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
  ]),
}

interface SendOptions {
  readonly body?: string
  readonly headers?: ReceivedRequest['headers']
  readonly served?: Partial<ServedApi>
}

/** Sends a request through all phases. Names of headers in its response are in lower case. */
const send = async (httpMethod: string, target: string, options: SendOptions = {}) => {
  const [rawPath = '', rawQuery = ''] = target.split('?')
  const { headers, ...response } = await createGateway({ api, functions, ...options.served })({
    requestId: 'request',
    extendedRequestId: 'extended',
    httpMethod,
    rawPath,
    rawQuery,
    headers: options.headers ?? {},
    sourceIp: '127.0.0.1',
    readBody: async () => options.body ?? '',
  })
  return { ...response, headers: headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`) }
}

/** Sends a request to the function `echo`, and returns its event. */
const readEvent = async (...requested: Parameters<typeof send>) => JSON.parse(String((await send(...requested)).body))

/** Sends a request to a function that has this result. */
const sendForResult = (result: unknown) => send('POST', '/v1/reply', { body: JSON.stringify(result) })

describe('the route of a request', () => {
  test.each([
    {
      fact: 'a path stays percent-encoded',
      path: '/v1/x/a%2Bb',
      event: { path: '/x/a%2Bb', pathParameters: { id: 'a%2Bb' } },
    },
    {
      fact: 'a slash at the end of a path is in no parameter',
      path: '/v1/y/',
      event: { path: '/y/', pathParameters: { proxy: 'y' } },
    },
    {
      fact: 'several slashes before or after the stage count as one',
      path: '//v1//x',
      event: { path: '/x', requestContext: { path: '//v1//x' } },
    },
    {
      fact: '{proxy+} never matches the root',
      path: '/v1/',
      event: { resource: '/', path: '/' },
    },
    {
      fact: 'a static segment goes before a parameter',
      path: '/v1/x/mine',
      event: { resource: '/x/mine' },
    },
  ])('$fact', async ({ path, event }) => {
    expect(await readEvent('GET', path)).toMatchObject(event)
  })

  test('a known path with another method falls to {proxy+}', async () => {
    expect(await readEvent('POST', '/v1/x')).toMatchObject({ httpMethod: 'POST', pathParameters: { proxy: 'x' } })
  })

  test('a request without a route, such as HEAD of a GET, is MISSING_AUTHENTICATION_TOKEN', async () => {
    const served = { api: { ...api, methods: [createMethod('GET', '/x')] } }

    expect(await send('GET', '/v1/x', { served })).toMatchObject({ status: 200 })
    const missing = { status: 404, body: 'MISSING_AUTHENTICATION_TOKEN' }
    expect(await send('HEAD', '/v1/x', { served })).toMatchObject(missing)
    expect(await send('GET', '/v1/y', { served })).toMatchObject(missing)
  })

  test('the response to a path outside the stage is 404 with the error body', async () => {
    // The stage is `v1`, with a small letter.
    expect(await send('GET', '/V1/x')).toMatchObject({
      status: 404,
      body: expect.stringContaining('"code":"route_not_found"'),
    })
  })
})

describe('the event of a function', () => {
  test.each([
    {
      fact: 'the query of an event is decoded, and + is a space',
      target: '/v1/x?a%20b=%2B+c',
      event: { queryStringParameters: { 'a b': '+ c' } },
    },
    {
      fact: 'queryStringParameters has the last value of a parameter, and multiValueQueryStringParameters has all',
      target: '/v1/x?a=1&b=2&a=3',
      event: {
        queryStringParameters: { a: '3', b: '2' },
        multiValueQueryStringParameters: { a: ['1', '3'], b: ['2'] },
      },
    },
    {
      fact: 'a query parameter without a value is an empty string in the event',
      target: '/v1/x?a=',
      event: { queryStringParameters: { a: '' } },
    },
    {
      fact: 'an empty query, empty path parameters, stage variables and an empty body are null in the event',
      target: '/v1/x',
      event: {
        queryStringParameters: null,
        multiValueQueryStringParameters: null,
        pathParameters: null,
        stageVariables: null,
        body: null,
      },
    },
  ])('$fact', async ({ target, event }) => {
    expect(await readEvent('GET', target)).toMatchObject(event)
  })

  test('the event has the body, the headers, the path and the ids of the request', async () => {
    expect(await readEvent('POST', '/v1/x/7', { headers: { 'x-own': ['a'] }, body: 'Zoë' })).toMatchObject({
      resource: '/x/{id}',
      path: '/x/7',
      httpMethod: 'POST',
      headers: { 'x-own': 'a' },
      multiValueHeaders: { 'x-own': ['a'] },
      pathParameters: { id: '7' },
      body: 'Zoë',
      isBase64Encoded: false,
      requestContext: {
        stage: 'v1',
        resourcePath: '/x/{id}',
        path: '/v1/x/7',
        requestId: 'request',
        extendedRequestId: 'extended',
      },
    })
  })

  test('the address of the caller in the event is that of its connection, whatever headers it sends', async () => {
    const headers = { 'x-forwarded-for': ['6.6.6.6'], 'x-forwarded-proto': ['javascript'] }

    const event = await readEvent('GET', '/v1/x', { headers })

    expect(event).toMatchObject({
      multiValueHeaders: { 'x-forwarded-for': ['127.0.0.1'], 'x-forwarded-proto': ['http'] },
      requestContext: { identity: { sourceIp: '127.0.0.1' } },
    })
    expect(JSON.stringify(event)).not.toMatch(/6\.6\.6\.6|javascript/)
  })
})

interface Statement {
  readonly Effect: 'Allow' | 'Deny'
  readonly Resource: string
}
/** Statements about the requested method: the authorizer puts its ARN in place of `ARN`. */
const allow: Statement = { Effect: 'Allow', Resource: 'ARN' }
const deny: Statement = { Effect: 'Deny', Resource: 'ARN' }

/** Creates a query that makes the authorizer return these statements, in a result with the change. */
const createQuery = (statements: readonly Statement[], change: object = {}): string => {
  const result = { principalId: 'me', policyDocument: { Version: '2012-10-17', Statement: statements }, ...change }
  return `result=${encodeURIComponent(JSON.stringify(result))}`
}

describe('the authorizer of a method', () => {
  test.each([
    {
      fact: 'an Allow of its own ARN allows a method',
      target: `/v1/guarded?${createQuery([allow])}`,
    },
    {
      fact: 'an Allow with a wildcard at its end allows a method',
      target: `/v1/guarded?${createQuery([{ Effect: 'Allow', Resource: 'arn:aws:execute-api:*' }])}`,
    },
    {
      fact: 'an Allow with an API key allows a method that requires one',
      target: `/v1/metered?${createQuery([allow], { usageIdentifierKey: 'own' })}`,
    },
  ])('$fact', async ({ target }) => {
    expect(await send('GET', target)).toMatchObject({ status: 200 })
  })

  test.each([
    {
      fact: 'a Deny overrides an Allow',
      target: `/v1/guarded?${createQuery([allow, deny])}`,
      type: 'ACCESS_DENIED',
    },
    {
      fact: 'an Allow of another method denies a method',
      target: `/v1/guarded?${createQuery([{ Effect: 'Allow', Resource: 'ARN/other' }])}`,
      type: 'ACCESS_DENIED',
    },
    {
      fact: 'a wildcard that is not at the end matches no method',
      target: `/v1/guarded?${createQuery([{ Effect: 'Allow', Resource: '*/guarded' }])}`,
      type: 'ACCESS_DENIED',
    },
    {
      fact: 'a policy without statements denies a method',
      target: `/v1/guarded?${createQuery([])}`,
      type: 'ACCESS_DENIED',
    },
    {
      fact: 'an authorizer that throws is AUTHORIZER_CONFIGURATION_ERROR',
      target: '/v1/guarded?error=thrown',
      type: 'AUTHORIZER_CONFIGURATION_ERROR',
    },
    {
      fact: 'a denied request gets no error about its API key, because the authorizer comes first',
      target: `/v1/metered?${createQuery([deny])}`,
      type: 'ACCESS_DENIED',
    },
    {
      fact: 'an API key that is missing is INVALID_API_KEY',
      target: `/v1/metered?${createQuery([allow])}`,
      type: 'INVALID_API_KEY',
    },
  ])('$fact', async ({ target, type }) => {
    expect(await send('GET', target)).toMatchObject({
      headers: expect.arrayContaining(['own-header: yes']),
      body: type,
    })
  })

  test('a function is handed the context of the authorizer as strings', async () => {
    const query = createQuery([allow], { context: { text: 'a', number: 1, boolean: true } })

    const { requestContext } = await readEvent('GET', `/v1/guarded?${query}`)

    expect(requestContext.authorizer).toEqual({ principalId: 'me', text: 'a', number: '1', boolean: 'true' })
  })
})

describe('the integration of a method', () => {
  test.each([
    { description: 'an unknown field', result: { statusCode: 200, unknown: 1 } },
    { description: 'a string', result: 'text' },
    { description: 'null', result: null },
    { description: 'a status that is no number', result: { statusCode: 'test' } },
    { description: 'a body that is an object', result: { body: {} } },
  ])('a function whose result is malformed, as $description, is INTEGRATION_FAILURE', async ({ result }) => {
    expect(await sendForResult(result)).toMatchObject({ status: 500, body: 'INTEGRATION_FAILURE' })
    expect(problems.join()).toMatch(/^reply: Malformed Lambda proxy response/)
  })

  test('a function that crashes is INTEGRATION_FAILURE', async () => {
    expect(await send('GET', '/v1/broken')).toMatchObject({ status: 500, body: 'INTEGRATION_FAILURE' })
    expect(problems).toEqual(['broken: Error: broken'])
  })

  test.each([
    { description: 'an empty result', result: {} },
    { description: 'a status as text', result: { statusCode: '200' } },
    { description: 'headers that are null', result: { headers: null, multiValueHeaders: null } },
  ])('the response to $description is 200', async ({ result }) => {
    expect(await sendForResult(result)).toMatchObject({ status: 200 })
  })

  test.each([
    {
      fact: 'a header whose value is true has it as text',
      result: { headers: { A: true } },
      headers: ['a: true'],
    },
    {
      fact: 'the several values of a header come before its single value',
      result: { headers: { own: 'single' }, multiValueHeaders: { Own: ['one', 'two'] } },
      headers: ['own: one', 'own: two', 'own: single'],
    },
    {
      fact: 'a header that API Gateway renames has its other name',
      result: { headers: { Date: 'own' } },
      headers: ['x-amzn-remapped-date: own'],
    },
    {
      fact: 'the headers of limits, links, deprecation and caching pass',
      result: {
        headers: { Link: '1', 'Retry-After': '2', Sunset: '3', 'X-RateLimit-Limit': '4', 'Cache-Control': '5' },
      },
      headers: ['link: 1', 'retry-after: 2', 'sunset: 3', 'x-ratelimit-limit: 4', 'cache-control: 5'],
    },
  ])('$fact', async ({ result, headers }) => {
    expect(await sendForResult(result)).toMatchObject({ status: 200, headers })
  })

  test('a preflight by a MOCK integration is a 204', async () => {
    expect(await send('OPTIONS', '/v1/x')).toEqual({ status: 204, headers: ['a: b'], body: '' })
  })
})
