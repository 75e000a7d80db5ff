import { describe, expect, test } from 'vitest'
import { isInStage, route } from '../../infra/local/gateway/route.ts'
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
  test('A slash at the end makes no difference', () => expect(functionFor('/v1/pets/')).toBe('list'))
  test('An empty segment is no path parameter', () => expect(functionFor('/v1/pets//x')).toBe('unknown'))

  test('Where nothing matches, API Gateway answers MISSING_AUTHENTICATION_TOKEN', () => {
    const bare = restApi({ resources: [resource('/pets', { GET: method('list') })] })
    expect(route(bare, received('/v1/cats'))).toMatchObject({ refused: 'MISSING_AUTHENTICATION_TOKEN' })
  })

  test('Path parameters, path and query are decoded', () => {
    expect(route(api, received('/v1/pets/a%2Fb%20c?name=Zo%C3%AB+K&name=2&empty'))).toMatchObject({
      path: '/pets/a/b c',
      pathParameters: { petId: 'a/b c' },
      query: new Map([
        ['name', ['Zoë K', '2']],
        ['empty', ['']],
      ]),
    })
  })

  test('{proxy+} takes the rest of the path', () => {
    expect(route(api, received('/v1/a/b/c'))).toMatchObject({ pathParameters: { proxy: 'a/b/c' } })
  })

  test.each(['/v1/pets/%', '/v1/pets/%zz', '/v1/pets/%C3', '/v1/pets?limit=%'])('%s is a bad request', (target) => {
    expect(functionFor(target)).toBe('BAD_REQUEST_PARAMETERS')
  })

  test.each(['/', '/pets', '/v1x/pets', '/V1/pets'])('%s is outside the stage', (target) => {
    expect(isInStage(api, received(target))).toBe(false)
  })
})
