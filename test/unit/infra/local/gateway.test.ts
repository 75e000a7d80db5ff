// biome-ignore-all lint/suspicious/noTemplateCurlyInString: IAM writes its policy variables like this.
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { route } from '../../../../infra/local/gateway/route.ts'
import { method, received, resource, restApi } from './fixtures.ts'
import { call, decision, eventOf, openRecordedGateway, origin, problems, replyTo } from './recorded/gateway.ts'

openRecordedGateway()

describe('Routing', () => {
  const api = restApi([
    resource('/', { ANY: method('root') }),
    resource('/{proxy+}', { ANY: method('unknown') }),
    resource('/pets', { GET: method('list'), POST: method('create') }),
    resource('/pets/{petId}', { GET: method('get') }),
    resource('/pets/mine', { GET: method('mine') }),
    resource('/pets/my.toys', { GET: method('toys') }),
    resource('/store', {}),
  ])
  const functionFor = (target: string, httpMethod = 'GET'): string | undefined => {
    const routed = route(api, received(target, { httpMethod }))
    if (typeof routed !== 'object') return routed
    const { integration } = routed.method
    return integration.type === 'AWS_PROXY' ? integration.functionName : integration.type
  }

  test.each([
    ['finds its method', 'POST', '/v1/pets', 'create'],
    ['finds its parameter', 'GET', '/v1/pets/12', 'get'],
    ['takes a static segment before a parameter', 'GET', '/v1/pets/mine', 'mine'],
    ['compares a static segment as sent', 'GET', '/v1/p%65ts', 'unknown'],
    ['compares a dot as sent', 'GET', '/v1/pets/my-toys', 'get'],
    ['takes no empty segment for a parameter', 'GET', '/v1/pets//x', 'unknown'],
    ['takes {proxy+} for a resource without methods', 'GET', '/v1/store', 'unknown'],
    ['ignores slashes before and after', 'GET', '///v1///pets/', 'list'],
    ['refuses a malformed query', 'GET', '/v1/pets?%C3=1', 'BAD_REQUEST_PARAMETERS'],
    ['passes a malformed path on', 'GET', '/v1/pets/%C3', 'get'],
    ['finds nothing outside the stage', 'GET', '/V1/pets', undefined],
  ])('%s: %s %s', (_what, httpMethod, target, expected) => expect(functionFor(target, httpMethod)).toBe(expected))
})

describe('Authorizing', () => {
  const methodArn = 'arn:aws:execute-api:us-east-1:000000000000:abcdef1234/v1/GET/guarded'
  const allow = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: methodArn }
  const deny = { ...allow, Effect: 'Deny' }

  test.each([
    ['its own ARN', [allow], 200],
    ['an explicit Deny beside an Allow', [allow, deny], 403],
    ['every method of its stage', [{ ...allow, Resource: methodArn.replace('GET/guarded', '*') }], 200],
    ['another stage', [{ ...allow, Resource: methodArn.replace('/v1/', '/v2/') }], 403],
    ['another case', [{ ...allow, Resource: methodArn.replace('guarded', 'Guarded') }], 403],
    ['no statement', [], 403],
    ['a resource of more than 512 characters', [{ ...allow, Resource: methodArn.padEnd(513, 'x') }], 500],
    ['another action', [{ ...allow, Action: 's3:*' }], 500],
    ['a wildcard but at the end', [{ ...allow, Resource: '*/guarded' }], 500],
    ['a variable', [{ ...allow, Resource: '${aws:username}*' }], 500],
    ['another effect', [{ ...allow, Effect: 'Maybe' }], 500],
  ])('a policy with %s', async (_what, Statement, status) => {
    expect((await call(`/v1/guarded${decision('Allow', { policyDocument: { Statement } })}`)).status).toBe(status)
  })

  test.each([
    ['a context with an object', { context: { a: {} } }, 'an invalid context'],
    ['no policy', { policyDocument: undefined }, 'a policy'],
  ])('%s is a 500, and is reported', async (_what, change, problem) => {
    expect((await call(`/v1/guarded${decision('Allow', change)}`)).status).toBe(500)
    expect(problems.at(-1)).toContain(problem)
  })
})

describe('A function', () => {
  test('gets the caller as API Gateway shows it, whatever the caller sends', async () => {
    const headers = { 'X-Forwarded-For': '6.6.6.6', 'X-Own': 'a', 'Content-Type': 'text/plain' }
    const event = await eventOf('/v1/x/7?a=1', { method: 'POST', body: 'Zoë', headers })
    expect(event).toMatchObject({
      resource: '/x/{id}',
      httpMethod: 'POST',
      body: 'Zoë',
      isBase64Encoded: false,
      multiValueHeaders: { 'X-Forwarded-For': ['127.0.0.1'], 'X-Forwarded-Proto': ['http'], 'X-Own': ['a'] },
      requestContext: {
        accountId: '000000000000',
        apiId: 'abcdef1234',
        identity: { sourceIp: '127.0.0.1' },
        protocol: 'HTTP/1.1',
        requestTime: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        resourcePath: '/x/{id}',
        stage: 'v1',
      },
    })
    expect(Object.keys(event.headers).map((name) => name.toLowerCase())).not.toContain('content-length')
  })

  test('may send a header twice, in any case, and name the whole URL, as to a proxy', async () => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.write('GET http://a/v1/x HTTP/1.1\r\nHost: a\r\nX-A: 1\r\nx-a: 2\r\nConnection: close\r\n\r\n')
    const [response]: Buffer[] = await once(socket, 'data')
    expect(JSON.parse(String(response).split('\r\n\r\n')[1] ?? '')).toMatchObject({
      headers: { 'X-A': '2' },
      multiValueHeaders: { 'X-A': ['1', '2'] },
    })
  })

  test.each([
    ['null', null],
    ['a body that is an object', { body: {} }],
    ['a status out of range', { statusCode: 42 }],
    ['headers that are a list', { headers: ['a'] }],
    ['a header value that HTTP does not allow', { headers: { a: 'line\nbreak' } }],
    ['a header name that HTTP does not allow', { headers: { 'a b': 'c' } }],
  ])('that gives %s has a malformed result, which is reported', async (_what, result) => {
    expect((await replyTo(result)).status).toBe(502)
    expect(problems.at(-1)).toContain('Malformed Lambda proxy response')
  })

  test('that is slower than its integration gets INTEGRATION_TIMEOUT', async () => {
    const response = await call('/v1/slow')
    expect([response.status, await response.text()]).toEqual([504, 'INTEGRATION_TIMEOUT'])
  })

  test.each([
    ['with its escapes', '"'.repeat(4 * 1024 * 1024), 413],
    ['of characters of several bytes', 'ë'.repeat(3 * 1024 * 1024), 413],
    ['just below', 'x'.repeat(1024 * 1024), 200],
  ])('is not invoked with an event of more than 6 MB: %s', async (_what, body, status) => {
    expect((await call('/v1/reply-short', { method: 'POST', body })).status).toBe(status)
  })
})

test('A response has the ids of API Gateway, and JSON as its type', async () => {
  const { headers } = await replyTo({ statusCode: 200, multiValueHeaders: { Two: ['1', '2'] } })
  expect(headers.get('x-amzn-requestid')).toMatch(/^[0-9a-f-]{36}$/)
  expect(headers.get('x-amz-apigw-id')).toMatch(/^\S{15,16}=$/)
  expect([headers.get('content-type'), headers.get('two')]).toEqual(['application/json', '1, 2'])
})
