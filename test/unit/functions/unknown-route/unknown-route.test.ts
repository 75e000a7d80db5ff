import { describe, expect, it } from 'vitest'
import { handler } from '../../../../functions/unknown-route/index.ts'
import { gatewayEvent, lambdaContext } from '../../../events/events.ts'

const request = async (httpMethod: string, proxy: string | undefined) => {
  const pathParameters = proxy === undefined ? null : { proxy }
  const event = gatewayEvent('unknown-route', { httpMethod, pathParameters })
  const { statusCode, headers, body } = await handler(event, lambdaContext)
  return { status: statusCode, headers, json: JSON.parse(body) }
}

describe('a request that names no operation', () => {
  it.each([
    ['DELETE', 'pets', 'GET, POST, OPTIONS', 'It has GET and POST.'],
    ['HEAD', 'pets', 'GET, POST, OPTIONS', 'It has GET and POST.'],
    ['PUT', 'pets/5', 'GET, OPTIONS', 'It has GET.'],
    ['POST', 'store/orders', 'GET, OPTIONS', 'It has GET.'],
  ])('is 405 with the methods of a known path: %s %s', async (method, proxy, allow, message) => {
    const { status, headers, json } = await request(method, proxy)
    expect({ status, allow: headers?.['Allow'], json }).toEqual({
      status: 405,
      allow,
      json: {
        code: 'method_not_allowed',
        message: `This path does not have the method ${method}. ${message}`,
        status: 405,
      },
    })
  })

  it.each([
    ['DELETE', 'p%65ts', 'pets', 405],
    ['POST', 'pets/%34', 'pets/4', 405],
    ['POST', 'pets/%zz', 'pets/%zz', 405],
    ['POST', 'pets%2F5', 'pets/5', 405],
    ['GET', 'pets%2F5', 'pets/5', 404],
    ['DELETE', '%2Fpets', '/pets', 404],
    ['DELETE', 'pets%2F', 'pets/', 404],
    ['DELETE', 'pets%', 'pets%', 404],
  ])('has the same response for an encoded and a decoded path: %s %s', async (method, encoded, decoded, status) => {
    const response = await request(method, encoded)
    expect(response.status).toBe(status)
    expect(await request(method, decoded)).toEqual(response)
  })

  it('is 404 at the root, with the limit headers, which any web page may read', async () => {
    const { status, headers } = await request('GET', undefined)
    expect(status).toBe(404)
    expect(headers).toMatchObject({ 'X-RateLimit-Remaining': '41', 'Access-Control-Allow-Origin': '*' })
  })
})
