import { describe, expect, test } from 'vitest'
import { route } from '../../../../../infra/local/gateway/route.ts'
import { method, received, resource, restApi } from '../fixtures.ts'

const api = restApi({
  resources: [
    resource('/', { ANY: method('root') }),
    resource('/{proxy+}', { ANY: method('unknown') }),
    resource('/pets', { GET: method('list'), POST: method('create') }),
    resource('/pets/{petId}', { GET: method('get') }),
    resource('/pets/mine', { GET: method('mine') }),
    resource('/pets/my.toys', { GET: method('toys') }),
    resource('/store', {}),
    resource('/store/orders', { GET: method('orders') }),
  ],
})

const functionFor = (target: string, httpMethod = 'GET'): string | undefined => {
  const routed = route(api, received(target, { httpMethod }))
  if (typeof routed !== 'object') return routed
  const { integration } = routed.method
  return integration.type === 'AWS_PROXY' ? integration.functionName : integration.type
}

describe('Routing', () => {
  test.each([
    ['finds its method', 'GET', '/v1/pets?limit=3', 'list'],
    ['finds its method', 'POST', '/v1/pets', 'create'],
    ['finds its parameter', 'GET', '/v1/pets/12', 'get'],
    ['takes a static segment before a parameter', 'GET', '/v1/pets/mine', 'mine'],
    ['compares a static segment as sent', 'GET', '/v1/p%65ts', 'unknown'],
    ['compares a dot as sent', 'GET', '/v1/pets/my-toys', 'get'],
    ['takes no empty segment for a parameter', 'GET', '/v1/pets//x', 'unknown'],
    ['takes {proxy+} for a resource without methods', 'GET', '/v1/store', 'unknown'],
    ['takes {proxy+} for a deeper path', 'GET', '/v1/pets/1/toys', 'unknown'],
  ])('%s: %s %s', (_what, httpMethod, target, expected) => expect(functionFor(target, httpMethod)).toBe(expected))

  test.each(['/v1/pets/', '/v1/pets//', '/v1//pets', '//v1/pets', '///v1///pets/'])(
    'Slashes before and after the stage and at the end make no difference to the route: %s',
    (target) => expect(functionFor(target)).toBe('list'),
  )
  test.each([
    ['/v1', '/'],
    ['/v1/', '/'],
    ['/v1//', '/'],
    ['/v1/pets/', '/pets/'],
    ['/v1//pets', '/pets'],
    ['//v1/pets/7//', '/pets/7//'],
  ])('The path of %s is %s', (target, path) => expect(route(api, received(target))).toMatchObject({ path }))

  test.each([
    ['/v1/pets/%C3', 'get'],
    ['/v1/pets?limit=%', 'BAD_REQUEST_PARAMETERS'],
    ['/v1/pets?%C3=1', 'BAD_REQUEST_PARAMETERS'],
  ])('A malformed percent-encoding reaches the function in the path, not in the query: %s', (target, expected) => {
    expect(functionFor(target)).toBe(expected)
  })

  test.each(['/', '/pets', '/v1x/pets', '/V1/pets'])('%s is outside the stage', (target) => {
    expect(route(api, received(target))).toBeUndefined()
  })
})
