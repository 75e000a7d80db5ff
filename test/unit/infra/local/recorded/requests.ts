import { expect } from 'vitest'
import { documentation, type Fact, report, snapshot, sure, unknown } from './fact.ts'
import { call, callWithoutProxy, decision, eventOf } from './gateway.ts'

const encoded = 'a%2Bb%20c%40d'
const traceId = 'Root=1-5759e988-bd862e3fe1be46a994272793'

/** What a function receives. */
export const requestFacts: readonly Fact[] = [
  sure('The path and the path parameters stay percent-encoded as sent.', snapshot, async () => {
    expect(await eventOf(`/v1/x/${encoded}`)).toMatchObject({
      path: `/x/${encoded}`,
      pathParameters: { id: encoded },
      requestContext: { path: `/v1/x/${encoded}` },
    })
    expect(await eventOf(`/v1/y/${encoded}`)).toMatchObject({ pathParameters: { proxy: `y/${encoded}` } })
  }),
  sure('The query is decoded, and a plus sign is a space.', snapshot, async () => {
    expect(await eventOf('/v1/x?mail=a%2Bb%40c&a%20b=c+d&url=https://e.example/')).toMatchObject({
      queryStringParameters: { mail: 'a+b@c', 'a b': 'c d', url: 'https://e.example/' },
    })
  }),
  sure(
    'Of several values of a query parameter the single map has the last, the multi map has all.',
    snapshot,
    async () => {
      expect(await eventOf('/v1/x?a=1&b=2&a=3')).toMatchObject({
        queryStringParameters: { a: '3', b: '2' },
        multiValueQueryStringParameters: { a: ['1', '3'], b: ['2'] },
      })
    },
  ),
  sure('A query parameter without a value is an empty string.', snapshot, async () => {
    expect(await eventOf('/v1/x?empty=')).toMatchObject({
      queryStringParameters: { empty: '' },
      multiValueQueryStringParameters: { empty: [''] },
    })
  }),
  unknown(
    'What a malformed percent-encoding leads to.',
    'none found',
    async () => {
      expect((await call('/v1/x?a=%zz')).status).toBe(400)
      expect(await eventOf('/v1/x/%zz')).toMatchObject({ pathParameters: { id: '%zz' } })
    },
    'a query with malformed percent-encoding gets 400 `bad_request`; in a path it reaches the function',
  ),
  sure(
    'A slash at the end stays in path and in requestContext.path, but not in the parameter of {proxy+}.',
    snapshot,
    async () => {
      expect(await eventOf('/v1/y/')).toMatchObject({
        path: '/y/',
        pathParameters: { proxy: 'y' },
        requestContext: { path: '/v1/y/' },
      })
    },
  ),
  sure('A path that begins with two slashes is served.', report, async () =>
    expect(await eventOf('//v1/x')).toMatchObject({ resource: '/x' }),
  ),
  sure(
    'Slashes after the stage count as one for the resource and for path, and stay in requestContext.path.',
    snapshot,
    async () => {
      expect(await eventOf('/v1//x')).toMatchObject({
        resource: '/x',
        path: '/x',
        requestContext: { path: '/v1//x' },
      })
    },
  ),
  sure('Within {proxy+} two slashes stay.', snapshot, async () => {
    expect(await eventOf('/v1/y//z')).toMatchObject({ path: '/y//z', pathParameters: { proxy: 'y//z' } })
  }),
  sure('An empty query, empty path parameters, stage variables and an empty body are null.', snapshot, async () => {
    expect(await eventOf('/v1/x')).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      stageVariables: null,
      body: null,
    })
  }),
  sure('requestContext.identity has 12 keys.', snapshot, async () => {
    const { requestContext } = await eventOf('/v1/x')
    expect(Object.keys(requestContext.identity).toSorted()).toEqual([
      ...['accessKey', 'accountId', 'caller', 'cognitoAuthenticationProvider', 'cognitoAuthenticationType'],
      ...['cognitoIdentityId', 'cognitoIdentityPoolId', 'principalOrgId', 'sourceIp', 'user', 'userAgent', 'userArn'],
    ])
  }),
  sure('requestContext.deploymentId is always there.', snapshot, async () =>
    expect(await eventOf('/v1/x')).toMatchObject({ requestContext: { deploymentId: 'a1b2c3' } }),
  ),
  sure("The caller's X-Amzn-Trace-Id is kept; without one there is a new one.", snapshot, async () => {
    expect(await eventOf('/v1/x', { headers: { 'x-amzn-trace-id': traceId } })).toMatchObject({
      headers: { 'X-Amzn-Trace-Id': traceId },
    })
    const { headers } = await eventOf('/v1/x')
    expect(headers['X-Amzn-Trace-Id']).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/)
  }),
  sure(
    'A function is handed the context of the authorizer as strings.',
    documentation('Output from an API Gateway Lambda authorizer'),
    async () => {
      const context = { text: 'a', number: 1, boolean: true }
      expect(await eventOf(`/v1/guarded${decision('Allow', { context })}`)).toMatchObject({
        requestContext: { authorizer: { principalId: 'me', text: 'a', number: '1', boolean: 'true' } },
      })
    },
  ),
  sure('A known path with another method falls to {proxy+}.', report, async () => {
    expect(await eventOf('/v1/x', { method: 'POST' })).toMatchObject({
      resource: '/{proxy+}',
      pathParameters: { proxy: 'x' },
    })
  }),
  sure('{proxy+} never matches the root.', report, async () => {
    for (const root of ['/v1', '/v1/']) expect(await eventOf(root)).toMatchObject({ resource: '/', path: '/' })
  }),
  sure('HEAD is no GET.', report, async () =>
    expect((await callWithoutProxy('/v1/x', { method: 'HEAD' })).status).toBe(403),
  ),
]
