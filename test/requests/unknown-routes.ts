import { type Scenario, scenario } from './scenario.ts'

/** What the path has: as the message names it, and in Allow. */
const ofPets = ['It has GET and POST.', 'GET, POST, OPTIONS'] as const
const ofPet = ['It has GET.', 'GET, OPTIONS'] as const

const methods: readonly (readonly [request: string, says: string | undefined, allow: string])[] = [
  ...['DELETE /pets', 'PUT /pets', 'DELETE /p%65ts'].map((request) => [request, ...ofPets] as const),
  // Without a body.
  ['HEAD /pets', undefined, 'GET, POST, OPTIONS'],
  ...['PATCH /pets/1', 'POST /pets/%34', 'POST /pets%2F5', 'POST /store/orders'].map(
    (request) => [request, ...ofPet] as const,
  ),
]

const exposed = ['Link', 'Retry-After', 'X-RateLimit-Remaining', 'RateLimit', 'Sunset']

/** What a browser needs to read responses on another origin. */
const crossOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': new RegExp(exposed.map((name) => `(?=.*\\b${name}\\b)`).join('')),
}

const preflight = {
  ...{ key: null, status: 204, text: '' },
  headers: { Origin: 'https://shelter.example', 'Access-Control-Request-Method': 'POST' },
  with: {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': /Authorization.*Content-Type.*Idempotency-Key/,
    'Access-Control-Allow-Methods': /GET/,
  },
} as const

export const crossOriginRequests: readonly Scenario[] = [
  ...['/pets', '/pets/1', '/store/orders', '/nothing'].map((path) =>
    scenario(`a preflight of ${path} is allowed without a key`, { send: `OPTIONS ${path}`, ...preflight }),
  ),
  scenario(
    'a success and an error are read, with the limit headers',
    { send: 'GET /pets?limit=1', status: 200, with: crossOrigin },
    { send: 'GET /pets/0', status: 404, with: crossOrigin },
  ),
  scenario('an error of the gateway is read, with the limit headers', {
    ...{ send: 'GET /pets', key: null, status: 401, with: crossOrigin },
  }),
  scenario('a response has the request ids of the access log', {
    ...{ send: 'GET /pets?limit=1', status: 200 },
    with: { 'x-amzn-RequestId': /^[\da-f-]{36}$/, 'x-amz-apigw-id': /^\S+$/ },
  }),
]

const unknown = [
  ...['', '/a'.repeat(50)],
  ...'/ /store /pet /pets/1/photos /Pets /pets//1 /v1/pets'.split(' '),
  ...'/pets%2F /%2Fpets /pets;a=b /p%65ts /pets%3Flimit=1 /%0d%0aX-Injected:%20yes'.split(' '),
]

export const unknownRoutes: readonly Scenario[] = [
  ...unknown.map((path) =>
    scenario(`the path ${path.slice(0, 20) || 'of the base URL'} is 404`, {
      ...{ send: `GET ${path}`, status: 404, code: 'route_not_found' },
    }),
  ),
  scenario(
    'an unknown path is 404 whatever the method',
    ...['/store/nothing', '/pets%2F'].map((path) => ({ send: `DELETE ${path}`, status: 404, code: 'route_not_found' })),
  ),
  scenario(
    'without a key an unknown path is 401, so that nobody learns which there are',
    { send: 'GET /nothing', key: null, status: 401 },
    { send: 'DELETE /pets', key: null, status: 401 },
  ),
  ...methods.map(([send, says, allow]) =>
    scenario(`${send}, which the path does not have, is 405 and says which there are`, {
      ...{ send, status: 405, ...(says !== undefined && { says }), with: { Allow: allow } },
    }),
  ),
]
