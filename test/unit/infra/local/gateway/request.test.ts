/** The event of a Lambda proxy integration, as AWS documents it or others have recorded it on AWS. */
import { expect, test } from 'vitest'
import { createProxyEvent, type RoutedRequest } from '../../../../../infra/local/gateway/request.ts'
import type { ApiMethod, RestApi } from '../../../../../infra/local/template/rest-api.ts'

const method: ApiMethod = {
  httpMethod: 'POST',
  path: '/x/{id}',
  authorizer: undefined,
  apiKeyRequired: false,
  integration: 'echo',
}

const api: RestApi = { id: 'api', stageName: 'v1', methods: [method], gatewayResponses: new Map() }

/** Creates the event of `POST /v1/x/7` after a change of the request. */
const createEvent = (change: Partial<RoutedRequest> = {}, body = '') => {
  const request: RoutedRequest = {
    requestId: 'request',
    extendedRequestId: 'extended',
    httpMethod: 'POST',
    rawPath: '/v1/x/7',
    rawQuery: '',
    headers: {},
    sourceIp: '127.0.0.1',
    readBody: async () => body,
    method,
    path: '/x/7',
    pathParameters: { id: '7' },
    ...change,
  }
  return createProxyEvent(api, request, body)
}

test('the query of an event is decoded, and + is a space', () => {
  expect(createEvent({ rawQuery: 'a%20b=%2B+c' })).toMatchObject({ queryStringParameters: { 'a b': '+ c' } })
})

test('queryStringParameters has the last value of a parameter, and multiValueQueryStringParameters has all', () => {
  expect(createEvent({ rawQuery: 'a=1&b=2&a=3' })).toMatchObject({
    queryStringParameters: { a: '3', b: '2' },
    multiValueQueryStringParameters: { a: ['1', '3'], b: ['2'] },
  })
})

test('a query parameter without a value is an empty string in the event', () => {
  expect(createEvent({ rawQuery: 'a=' })).toMatchObject({ queryStringParameters: { a: '' } })
})

test('an empty query, empty path parameters, stage variables and an empty body are null in the event', () => {
  expect(createEvent({ pathParameters: {} })).toMatchObject({
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    body: null,
  })
})

test('the event has the body, the headers, the path and the ids of the request', () => {
  expect(createEvent({ headers: { 'x-own': ['a'] } }, 'Zoë')).toMatchObject({
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

test('the address of the caller in the event is that of its connection, whatever headers it sends', () => {
  const event = createEvent({ headers: { 'x-forwarded-for': ['6.6.6.6'], 'x-forwarded-proto': ['javascript'] } })

  expect(event).toMatchObject({
    multiValueHeaders: { 'x-forwarded-for': ['127.0.0.1'], 'x-forwarded-proto': ['http'] },
    requestContext: { identity: { sourceIp: '127.0.0.1' } },
  })
  expect(JSON.stringify(event)).not.toMatch(/6\.6\.6\.6|javascript/)
})
