import { describe, expect, test } from 'vitest'
import { isInStage, route } from '../../../../infra/local/gateway/route.ts'
import { method, received, resource, restApi } from './fixtures.ts'

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

const functionFor = (target: string, httpMethod = 'GET'): string => {
  const routed = route(api, received(target, { httpMethod }))
  if ('refused' in routed) return routed.refused
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
  test('A known path with another method falls to {proxy+}', () =>
    expect(functionFor('/v1/pets', 'DELETE')).toBe('unknown'))
  test('HEAD is not taken for GET', () => expect(functionFor('/v1/pets', 'HEAD')).toBe('unknown'))
  test('A resource without methods falls to {proxy+}', () => expect(functionFor('/v1/store')).toBe('unknown'))
  test('A deeper path falls to {proxy+}', () => expect(functionFor('/v1/pets/1/toys')).toBe('unknown'))
  test('{proxy+} never matches the root', () => {
    expect(functionFor('/v1')).toBe('root')
    expect(functionFor('/v1/')).toBe('root')
  })
  test.each(['/v1/pets/', '/v1/pets//', '/v1//pets', '//v1/pets', '///v1///pets/'])(
    'Slashes before and after the stage and at the end make no difference to the route: %s',
    (target) => {
      expect(functionFor(target)).toBe('list')
      expect(isInStage(api, received(target))).toBe(true)
    },
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

  test('Where nothing matches, API Gateway answers MISSING_AUTHENTICATION_TOKEN', () => {
    const bare = restApi({ resources: [resource('/pets', { GET: method('list') })] })
    expect(route(bare, received('/v1/cats'))).toMatchObject({ refused: 'MISSING_AUTHENTICATION_TOKEN' })
  })

  test('The query is decoded; path and path parameters stay as sent', () => {
    expect(route(api, received('/v1/pets/a%2Fb%20c?name=Zo%C3%AB+K&name=2&empty'))).toMatchObject({
      path: '/pets/a%2Fb%20c',
      pathParameters: { petId: 'a%2Fb%20c' },
      query: new Map([
        ['name', ['Zoë K', '2']],
        ['empty', ['']],
      ]),
    })
  })

  test.each([
    ['/v1/a/b/c', 'a/b/c'],
    ['/v1/a//b', 'a//b'],
    ['/v1//a/', 'a'],
  ])('{proxy+} takes the rest of the path: %s', (target, proxy) => {
    expect(route(api, received(target))).toMatchObject({ pathParameters: { proxy } })
  })

  test.each(['/v1/pets/%', '/v1/pets/%zz', '/v1/pets/%C3'])('%s is no concern of the gateway', (target) => {
    expect(functionFor(target)).toBe('get')
  })

  test.each(['/v1/pets?limit=%', '/v1/pets?%C3=1'])('%s is a bad request', (target) => {
    expect(functionFor(target)).toBe('BAD_REQUEST_PARAMETERS')
  })

  test.each(['/', '/pets', '/v1x/pets', '/V1/pets'])('%s is outside the stage', (target) => {
    expect(isInStage(api, received(target))).toBe(false)
  })
})
