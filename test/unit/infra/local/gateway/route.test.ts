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
    ['GET', '/v1/pets', 'list'],
    ['POST', '/v1/pets', 'create'],
    ['GET', '/v1/pets?limit=3', 'list'],
    ['GET', '/v1/pets/12', 'get'],
    ['GET', '/v1/store/orders', 'orders'],
  ])('%s %s finds its method', (httpMethod, target, expected) => {
    expect(functionFor(target, httpMethod)).toBe(expected)
  })

  test('A static segment goes before a parameter', () => expect(functionFor('/v1/pets/mine')).toBe('mine'))
  test('A resource without methods falls to {proxy+}', () => expect(functionFor('/v1/store')).toBe('unknown'))
  test('A deeper path falls to {proxy+}', () => expect(functionFor('/v1/pets/1/toys')).toBe('unknown'))
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
  test('A static segment is compared as sent', () => expect(functionFor('/v1/p%65ts')).toBe('unknown'))
  test('An empty segment is no path parameter', () => expect(functionFor('/v1/pets//x')).toBe('unknown'))

  test.each(['/v1/pets/%', '/v1/pets/%zz', '/v1/pets/%C3'])(
    'A malformed percent-encoding in the path reaches the function: %s',
    (target) => {
      expect(functionFor(target)).toBe('get')
    },
  )

  test.each(['/v1/pets?limit=%', '/v1/pets?%C3=1'])('One in the query is BAD_REQUEST_PARAMETERS: %s', (target) => {
    expect(functionFor(target)).toBe('BAD_REQUEST_PARAMETERS')
  })

  test.each(['/', '/pets', '/v1x/pets', '/V1/pets'])('%s is outside the stage', (target) => {
    expect(route(api, received(target))).toBeUndefined()
  })
})
