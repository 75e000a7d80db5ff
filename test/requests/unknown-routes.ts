import { readContract } from '../../infra/contract/contract.ts'
import type { Scenario, Step } from './scenario.ts'

const operationsByPath = Map.groupBy(readContract().operations, ({ path }) => path)

/** Replaces the parameters of a path in the contract. */
const fillParameters = (path: string): string => path.replaceAll(/\{\w+\}/g, '1')

/** A request for each path of the contract, with a method that the path does not have. */
const otherMethods = [...operationsByPath].map(([path, operations]): Step => {
  const methods = operations.map(({ method }) => method)
  const otherMethod = ['DELETE', 'PATCH', 'PUT', 'POST', 'GET'].find((method) => !methods.includes(method))
  if (otherMethod === undefined) throw new Error(`The path ${path} has every method.`)
  return {
    send: `${otherMethod} ${fillParameters(path)}`,
    status: 405,
    code: 'method_not_allowed',
    messageContains: `It has ${methods.join(' and ')}.`,
    responseHeaders: { Allow: `${methods.join(', ')}, OPTIONS` },
  }
})

/** Spellings of /pets and /pets/5 that API Gateway does not route to their operations. */
const unroutedSpellings = ['/p%65ts', '/pets%2F5']

/** Headers that a browser needs in order to show a response to a web page of another origin. */
const crossOriginHeaders = {
  'Access-Control-Allow-Origin': '*',
  // The names come in any order.
  'Access-Control-Expose-Headers':
    /(?=.*\bLink\b)(?=.*\bRetry-After\b)(?=.*\bX-RateLimit-Remaining\b)(?=.*\bRateLimit\b)(?=.*\bSunset\b)/,
}

/** Paths, and the methods that a preflight of each one allows. */
const preflights = [
  ...[...operationsByPath].map(([path, operations]) => ({
    path: fillParameters(path),
    methods: [...operations.map(({ method }) => method), 'OPTIONS'].join(','),
  })),
  { path: '/', methods: 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS' },
  { path: '/nothing', methods: 'DELETE,GET,HEAD,PATCH,POST,PUT,OPTIONS' },
]

export const crossOriginRequests: readonly Scenario[] = [
  ...preflights.map(({ path, methods }) => ({
    title: `a preflight of ${path} is allowed without a key`,
    steps: [
      {
        send: `OPTIONS ${path}`,
        key: null,
        headers: { Origin: 'https://shelter.example', 'Access-Control-Request-Method': 'POST' },
        status: 204,
        responseHeaders: {
          'Access-Control-Allow-Origin': '*',
          'Access-Control-Allow-Headers': /^Authorization,Content-Type,.*Idempotency-Key.*,\*$/,
          'Access-Control-Allow-Methods': methods,
        },
        responseText: '',
      },
    ],
  })),
  {
    title: 'a web page may read the limit headers of a success, of an error and of an error of the gateway',
    steps: [
      { send: 'GET /pets?limit=1', status: 200, responseHeaders: crossOriginHeaders },
      { send: 'GET /pets/0', status: 404, responseHeaders: crossOriginHeaders },
      { send: 'GET /pets', key: null, status: 401, responseHeaders: crossOriginHeaders },
    ],
  },
]

const unknownPaths = [
  '',
  '/a'.repeat(50),
  '/',
  '/store',
  '/pet',
  '/pets/1/photos',
  '/Pets',
  '/pets//1',
  '/v1/pets',
  '/pets%2F',
  '/%2Fpets',
  '/pets;a=b',
  ...unroutedSpellings,
  '/pets%3Flimit=1',
  '/%0d%0aX-Injected:%20yes',
]

export const unknownRoutes: readonly Scenario[] = [
  ...unknownPaths.map((path) => ({
    title: `the path "${path.slice(0, 20)}" below the base URL is 404`,
    steps: [{ send: `GET ${path}`, status: 404, code: 'route_not_found' }],
  })),
  {
    title: 'an unknown path is 404 whatever the method',
    steps: [
      { send: 'DELETE /store/nothing', status: 404, code: 'route_not_found' },
      { send: 'DELETE /pets%2F', status: 404, code: 'route_not_found' },
    ],
  },
  {
    title: 'an unknown path is 401 without a key, so that nobody learns which paths exist',
    steps: [
      { send: 'GET /nothing', key: null, status: 401 },
      { send: 'DELETE /pets', key: null, status: 401 },
    ],
  },
  {
    title: 'a method that the path does not have is 405 with those that it has',
    steps: otherMethods,
  },
  {
    title: 'HEAD is 405 with the methods that the path has',
    // /pets/%34 is /pets/4, and API Gateway routes it to its operation.
    steps: ['/pets', '/pets/%34', ...unroutedSpellings].map((path) => ({
      send: `HEAD ${path}`,
      status: 405,
      responseHeaders: { Allow: /^GET, .*OPTIONS$/ },
    })),
  },
]
