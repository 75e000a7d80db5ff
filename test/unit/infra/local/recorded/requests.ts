import { expect } from 'vitest'
import { documentation, type Fact, report, snapshot } from './fact.ts'
import { call, callWithoutProxy, decision, eventOf } from './gateway.ts'

const encoded = 'a%2Bb%20c%40d'
const traceId = 'Root=1-5759e988-bd862e3fe1be46a994272793'

/** What a function is handed. */
export const requestFacts: readonly Fact[] = [
  {
    fact: 'The path and the path parameters stay percent-encoded as sent.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      expect(await eventOf(`/v1/x/${encoded}`)).toMatchObject({
        path: `/x/${encoded}`,
        pathParameters: { id: encoded },
        requestContext: { path: `/v1/x/${encoded}` },
      })
      expect(await eventOf(`/v1/y/${encoded}`)).toMatchObject({ pathParameters: { proxy: `y/${encoded}` } })
    },
  },
  {
    fact: 'The query is decoded, and a plus sign is a space.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      expect(await eventOf('/v1/x?mail=a%2Bb%40c&a%20b=c+d&url=https://e.example/')).toMatchObject({
        queryStringParameters: { mail: 'a+b@c', 'a b': 'c d', url: 'https://e.example/' },
      })
    },
  },
  {
    fact: 'Of several values of a query parameter the single map has the last, the multi map has all.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      expect(await eventOf('/v1/x?a=1&b=2&a=3')).toMatchObject({
        queryStringParameters: { a: '3', b: '2' },
        multiValueQueryStringParameters: { a: ['1', '3'], b: ['2'] },
      })
    },
  },
  {
    fact: 'A query parameter without a value is an empty string.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      expect(await eventOf('/v1/x?empty=')).toMatchObject({
        queryStringParameters: { empty: '' },
        multiValueQueryStringParameters: { empty: [''] },
      })
    },
  },
  {
    fact: 'What a malformed percent-encoding leads to.',
    source: 'none found',
    certainty: 'unknown',
    differs: 'a query with malformed percent-encoding gets 400 `bad_request`; in a path it reaches the function',
    holds: async () => {
      expect((await call('/v1/x?a=%zz')).status).toBe(400)
      expect(await eventOf('/v1/x/%zz')).toMatchObject({ pathParameters: { id: '%zz' } })
    },
  },
  {
    fact: 'A slash at the end stays in path and in requestContext.path, but not in the parameter of {proxy+}.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      expect(await eventOf('/v1/y/')).toMatchObject({
        path: '/y/',
        pathParameters: { proxy: 'y' },
        requestContext: { path: '/v1/y/' },
      })
    },
  },
  {
    fact: 'A path that begins with two slashes is served.',
    source: report,
    certainty: 'sure',
    holds: async () => expect(await eventOf('//v1/x')).toMatchObject({ resource: '/x' }),
  },
  {
    fact: 'Slashes after the stage count as one for the resource and for path, and stay in requestContext.path.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      expect(await eventOf('/v1//x')).toMatchObject({
        resource: '/x',
        path: '/x',
        requestContext: { path: '/v1//x' },
      })
    },
  },
  {
    fact: 'Within {proxy+} two slashes stay.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      expect(await eventOf('/v1/y//z')).toMatchObject({ path: '/y//z', pathParameters: { proxy: 'y//z' } })
    },
  },
  {
    fact: 'An empty query, empty path parameters, stage variables and an empty body are null.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      expect(await eventOf('/v1/x')).toMatchObject({
        queryStringParameters: null,
        multiValueQueryStringParameters: null,
        pathParameters: null,
        stageVariables: null,
        body: null,
      })
    },
  },
  {
    fact: 'requestContext.identity has 12 keys.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      const { requestContext } = await eventOf('/v1/x')
      expect(Object.keys(requestContext.identity).toSorted()).toEqual([
        ...['accessKey', 'accountId', 'caller', 'cognitoAuthenticationProvider', 'cognitoAuthenticationType'],
        ...['cognitoIdentityId', 'cognitoIdentityPoolId', 'principalOrgId', 'sourceIp', 'user', 'userAgent', 'userArn'],
      ])
    },
  },
  {
    fact: 'requestContext.deploymentId is always there.',
    source: snapshot,
    certainty: 'sure',
    holds: async () => expect(await eventOf('/v1/x')).toMatchObject({ requestContext: { deploymentId: 'a1b2c3' } }),
  },
  {
    fact: "The caller's X-Amzn-Trace-Id is kept; without one there is a new one.",
    source: snapshot,
    certainty: 'sure',
    holds: async () => {
      expect(await eventOf('/v1/x', { headers: { 'x-amzn-trace-id': traceId } })).toMatchObject({
        headers: { 'X-Amzn-Trace-Id': traceId },
      })
      const { headers } = await eventOf('/v1/x')
      expect(headers['X-Amzn-Trace-Id']).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/)
    },
  },
  {
    fact: 'A function is handed the context of the authorizer as strings.',
    source: documentation('Output from an API Gateway Lambda authorizer'),
    certainty: 'sure',
    holds: async () => {
      const context = { text: 'a', number: 1, boolean: true }
      expect(await eventOf(`/v1/guarded${decision('Allow', { context })}`)).toMatchObject({
        requestContext: { authorizer: { text: 'a', number: '1', boolean: 'true' } },
      })
    },
  },
  {
    fact: 'A known path with another method falls to {proxy+}.',
    source: report,
    certainty: 'sure',
    holds: async () => {
      expect(await eventOf('/v1/x', { method: 'POST' })).toMatchObject({
        resource: '/{proxy+}',
        pathParameters: { proxy: 'x' },
      })
    },
  },
  {
    fact: '{proxy+} never matches the root.',
    source: report,
    certainty: 'sure',
    holds: async () => {
      for (const root of ['/v1', '/v1/']) expect(await eventOf(root)).toMatchObject({ resource: '/', path: '/' })
    },
  },
  {
    fact: 'HEAD is no GET.',
    source: report,
    certainty: 'sure',
    holds: async () => expect((await callWithoutProxy('/v1/x', { method: 'HEAD' })).status).toBe(403),
  },
]
