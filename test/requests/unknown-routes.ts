import type { Scenario } from './scenario.ts'

const methods: readonly (readonly [request: string, allow: string])[] = [
  ['DELETE /pets', 'GET, POST, OPTIONS'],
  ['PUT /pets', 'GET, POST, OPTIONS'],
  ['HEAD /pets', 'GET, POST, OPTIONS'],
  ['PATCH /pets/1', 'GET, OPTIONS'],
  ['POST /pets/1', 'GET, OPTIONS'],
  ['POST /store/orders', 'GET, OPTIONS'],
]

const encoded = ['/pets%2F', '/pets;a=b', '/p%65ts', '/pets%3Flimit=1', '/%0d%0aX-Injected:%20yes']

const exposed = ['Link', 'Retry-After', 'X-RateLimit-Remaining', 'RateLimit', 'Sunset']

/** What a browser needs to read responses on another origin. */
const crossOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': new RegExp(exposed.map((name) => `(?=.*\\b${name}\\b)`).join('')),
}

export const crossOriginRequests: readonly Scenario[] = [
  ...['/pets', '/pets/1', '/store/orders', '/nothing'].map((path) => ({
    title: `a preflight of ${path} is allowed without a key`,
    steps: [
      {
        send: `OPTIONS ${path}`,
        key: null,
        headers: { Origin: 'https://shelter.example', 'Access-Control-Request-Method': 'POST' },
        status: 204,
        with: {
          'Access-Control-Allow-Headers': /Authorization.*Content-Type.*Idempotency-Key/,
          'Access-Control-Allow-Methods': /GET/,
        },
      },
    ],
  })),
  {
    title: 'a success and an error are read, with the limit headers',
    steps: [
      { send: 'GET /pets?limit=1', status: 200, with: crossOrigin },
      { send: 'GET /pets/0', status: 404, with: crossOrigin },
    ],
  },
  {
    title: 'an error of the gateway is read, with the limit headers',
    steps: [{ send: 'GET /pets', key: null, status: 401, with: crossOrigin }],
  },
]

export const unknownRoutes: readonly Scenario[] = [
  ...['', '/', '/store', '/pet', '/pets/1/photos', '/Pets', '/pets//1', '/v1/pets', '/a'.repeat(50), ...encoded].map(
    (path) => ({
      title: `the path ${path.slice(0, 20) || 'of the base URL'} is 404`,
      steps: [{ send: `GET ${path}`, status: 404, code: 'route_not_found' }],
    }),
  ),
  {
    title: 'without a key an unknown path is 401, so that nobody learns which there are',
    steps: [
      { send: 'GET /nothing', key: null, status: 401 },
      { send: 'DELETE /pets', key: null, status: 401 },
    ],
  },
  ...methods.map(([send, allow]) => ({
    title: `${send}, which the path does not have, is 405 and says which there are`,
    steps: [{ send, status: 405, with: { Allow: allow } }],
  })),
]
