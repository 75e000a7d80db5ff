import { expect, it } from 'vitest'
import { handler } from '../../../../functions/unknown-route/index.ts'
import { gatewayEvent, lambdaContext } from '../../../events/events.ts'

const request = async (httpMethod: string, proxy: string) =>
  await handler(gatewayEvent('unknown-route', { httpMethod, pathParameters: { proxy } }), lambdaContext)

it.each([
  ['DELETE', 'p%65ts', 'pets', 405],
  ['POST', 'pets/%34', 'pets/4', 405],
  ['POST', 'pets/%zz', 'pets/%zz', 405],
  ['POST', 'pets%2F5', 'pets/5', 405],
  ['GET', 'pets%2F5', 'pets/5', 404],
  ['DELETE', '%2Fpets', '/pets', 404],
  ['DELETE', 'pets%2F', 'pets/', 404],
  ['DELETE', 'pets%', 'pets%', 404],
])(
  '%s %s, which names no operation, has the same response encoded and decoded',
  async (method, encoded, decoded, status) => {
    const response = await request(method, encoded)
    expect(response.statusCode).toBe(status)
    expect(await request(method, decoded)).toEqual(response)
  },
)

it.each([
  ['DELETE', 'pets', 'GET and POST', 'GET, POST, OPTIONS'],
  ['PUT', 'pets/5', 'GET', 'GET, OPTIONS'],
])('%s %s is 405 and names the methods of the path', async (method, path, named, allow) => {
  const { headers, body } = await request(method, path)
  expect(headers?.['Allow']).toBe(allow)
  expect(JSON.parse(body).message).toBe(`This path does not have the method ${method}. It has ${named}.`)
})
