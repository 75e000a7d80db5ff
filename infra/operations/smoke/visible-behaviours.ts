import { maximumBodyBytes } from '../../../shared/http/json-body.ts'
import type { VisibleBehaviour } from './behaviour.ts'

/** The rows of "What this rests on" in test/README.md that a request shows: `npm run smoke` checks each on a deployed API. */
export const visibleBehaviours: readonly VisibleBehaviour[] = [
  {
    behaviour:
      'With `apiKeySource: AUTHORIZER` the API key of a request is the `usageIdentifierKey` of the authorizer.',
    request: 'GET /pets?limit=1',
    expected: { status: '200' },
  },
  {
    behaviour: 'A REQUEST authorizer without cache and identity source runs for every request.',
    request: 'GET /pets',
    key: 'none',
    expected: { status: '401', code: 'unauthorized' },
  },
  {
    behaviour: 'A gateway response has the fixed status, headers and body that it is given.',
    request: 'GET /nothing',
    key: 'none',
    expected: {
      status: '401',
      'Content-Type': 'application/json',
      'WWW-Authenticate': 'Bearer',
      'X-RateLimit-Limit': '0',
      'Access-Control-Allow-Origin': '*',
    },
  },
  {
    behaviour: 'A function is handed the context of the authorizer as strings.',
    request: 'GET /pets/0',
    expected: { status: '404', 'RateLimit-Policy': /^"minute";q=\d+;w=60, "day";q=\d+;w=86400$/ },
  },
  {
    behaviour: 'An authorizer that allows a request may pass values on with it, so the function can refuse.',
    request: 'GET /pets',
    key: 'spent',
    expected: { status: '429', code: 'rate_limit_exceeded', 'X-RateLimit-Remaining': '0', 'Retry-After': /^\d+$/ },
  },
  {
    behaviour: 'The headers of limits, links, deprecation and caching pass.',
    request: 'GET /pets/0',
    expected: { status: '404', Deprecation: /^@\d+$/, Sunset: /GMT$/ },
  },
  {
    behaviour: 'A known path with another method falls to {proxy+}.',
    request: 'DELETE /pets',
    expected: { status: '405', Allow: 'GET, POST, OPTIONS' },
  },
  {
    behaviour: '{proxy+} never matches the root.',
    request: 'GET /',
    expected: { status: '404', code: 'route_not_found' },
  },
  {
    behaviour: 'HEAD is no GET.',
    request: 'HEAD /pets',
    expected: { status: '405', Allow: 'GET, POST, OPTIONS' },
  },
  {
    behaviour: 'Of several values of a query parameter the single map has the last, the multi map has all.',
    request: 'GET /pets?limit=5&limit=6',
    expected: { status: '400', code: 'invalid_parameter' },
  },
  {
    behaviour: 'A query parameter without a value is an empty string.',
    request: 'GET /pets?status=',
    expected: { status: '400', code: 'invalid_parameter' },
  },
  {
    behaviour: 'An empty query, empty path parameters, stage variables and an empty body are null.',
    request: 'POST /pets',
    body: '',
    expected: { status: '400', code: 'invalid_body' },
  },
  {
    behaviour: 'The path of the request context has the stage.',
    request: 'GET /pets/0',
    expected: { status: '404', Link: /\/v1\/pets>; rel="successor-version"$/ },
  },
  {
    behaviour: 'A body of up to 10 MB reaches the function.',
    request: 'POST /pets',
    body: ' '.repeat(maximumBodyBytes + 1),
    expected: { status: '413', code: 'request_too_large' },
  },
  {
    behaviour: 'A preflight by a MOCK integration is a 204.',
    request: 'OPTIONS /pets',
    key: 'none',
    expected: { status: '204', 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': /Authorization/ },
  },
  {
    behaviour: 'A response has the request ids of the access log, `x-amzn-RequestId` and `x-amz-apigw-id`.',
    request: 'GET /pets?limit=1',
    expected: { status: '200', 'x-amzn-RequestId': /^[\da-f-]{36}$/, 'x-amz-apigw-id': /^\S+$/ },
  },
]
