import type { Scenario } from './scenario.ts'

const methods: readonly (readonly [request: string, allow: string])[] = [
  ['DELETE /pets', 'GET, POST, OPTIONS'],
  ['PUT /pets', 'GET, POST, OPTIONS'],
  ['HEAD /pets', 'GET, POST, OPTIONS'],
  ['PATCH /pets/1', 'GET, OPTIONS'],
  ['POST /pets/1', 'GET, OPTIONS'],
  ['POST /store/orders', 'GET, OPTIONS'],
]

export const unknownRoutes: readonly Scenario[] = [
  ...['', '/', '/store', '/pet', '/pets/1/photos', '/Pets', '/pets//1', '/v1/pets', '/a'.repeat(50)].map((path) => ({
    title: `the path ${path.slice(0, 20) || 'of the base URL'} is 404`,
    steps: [{ send: `GET ${path}`, status: 404, code: 'route_not_found' }],
  })),
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
