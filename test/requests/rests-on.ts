import { maximumBodyBytes } from '../../shared/http/json-body.ts'
import type { Scenario, Step } from './scenario.ts'

const spent: Step = { send: 'GET /pets?limit=1', key: 'one a day', status: 200 }

/** What AWS does and the service needs, where a request shows it: rows of "What this rests on" in test/README.md. */
const behaviours: Readonly<Record<string, Step | readonly Step[]>> = {
  'With `apiKeySource: AUTHORIZER` the API key of a request is the `usageIdentifierKey` of the authorizer.': {
    send: 'GET /pets?limit=1',
    status: 200,
  },
  'A REQUEST authorizer without cache and identity source runs for every request.': {
    send: 'GET /pets',
    key: null,
    status: 401,
    code: 'unauthorized',
  },
  'A gateway response has the fixed status, headers and body that it is given.': {
    send: 'GET /nothing',
    key: null,
    status: 401,
    with: {
      'Content-Type': 'application/json',
      'WWW-Authenticate': 'Bearer',
      'X-RateLimit-Limit': '0',
      'Access-Control-Allow-Origin': '*',
    },
  },
  'A function is handed the context of the authorizer as strings.': {
    send: 'GET /pets/0',
    status: 404,
    with: { 'RateLimit-Policy': /^"minute";q=\d+;w=60, "day";q=\d+;w=86400$/ },
  },
  'An authorizer that allows a request may pass values on with it, so the function can refuse.': [
    spent,
    {
      send: 'GET /pets',
      key: 'one a day',
      status: 429,
      code: 'rate_limit_exceeded',
      with: { 'X-RateLimit-Remaining': '0', 'Retry-After': /^\d+$/ },
    },
  ],
  'The headers of limits, links, deprecation and caching pass.': {
    send: 'GET /pets/0',
    status: 404,
    with: { Deprecation: /^@\d+$/, Sunset: /GMT$/ },
  },
  'A known path with another method falls to {proxy+}.': {
    send: 'DELETE /pets',
    status: 405,
    with: { Allow: 'GET, POST, OPTIONS' },
  },
  '{proxy+} never matches the root.': { send: 'GET /', status: 404, code: 'route_not_found' },
  'HEAD is no GET.': { send: 'HEAD /pets', status: 405, with: { Allow: 'GET, POST, OPTIONS' } },
  'Of several values of a query parameter the single map has the last, the multi map has all.': {
    send: 'GET /pets?limit=5&limit=6',
    status: 400,
    code: 'invalid_parameter',
  },
  'A query parameter without a value is an empty string.': {
    send: 'GET /pets?status=',
    status: 400,
    code: 'invalid_parameter',
  },
  'An empty query, empty path parameters, stage variables and an empty body are null.': {
    send: 'POST /pets',
    body: '',
    status: 400,
    code: 'invalid_body',
  },
  'The path of the request context has the stage.': {
    send: 'GET /pets/0',
    status: 404,
    with: { Link: /\/v1\/pets>; rel="successor-version"$/ },
  },
  'A body of up to 10 MB reaches the function.': {
    send: 'POST /pets',
    body: ' '.repeat(maximumBodyBytes + 1),
    status: 413,
    code: 'request_too_large',
  },
  'A preflight by a MOCK integration is a 204.': {
    send: 'OPTIONS /pets',
    key: null,
    status: 204,
    with: { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': /Authorization/ },
  },
  'A response has the request ids of the access log, `x-amzn-RequestId` and `x-amz-apigw-id`.': {
    send: 'GET /pets?limit=1',
    status: 200,
    with: { 'x-amzn-RequestId': /^[\da-f-]{36}$/, 'x-amz-apigw-id': /^\S+$/ },
  },
}

export const restsOn: readonly Scenario[] = Object.entries(behaviours).map(([title, steps]) => ({
  title,
  steps: [steps].flat(),
}))
