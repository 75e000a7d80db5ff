import { describe, expect, it } from 'vitest'
import { call, type ErrorBody } from './api.ts'

describe('a path that is not in the contract', () => {
  it.each([
    '',
    '/',
    '/store',
    '/pet',
    '/pets/1/photos',
    '/Pets',
    '/pets//1',
    '/v1/pets',

    '/a'.repeat(50),
  ])('responds 404 to %j', async (path) => {
    const response = await call('GET', path)
    expect(response.status).toBe(404)
    expect(response.json<ErrorBody>().code).toBe('route_not_found')
  })

  it('responds 401 without a key, so that nobody learns which paths there are', async () => {
    expect((await call('GET', '/nothing', { key: null })).status).toBe(401)
    expect((await call('DELETE', '/pets', { key: null })).status).toBe(401)
  })
})

describe('a method that a path does not have', () => {
  it.each([
    ['DELETE', '/pets', 'GET, POST, OPTIONS'],
    ['PUT', '/pets', 'GET, POST, OPTIONS'],
    ['HEAD', '/pets', 'GET, POST, OPTIONS'],
    ['PATCH', '/pets/1', 'GET, OPTIONS'],
    ['POST', '/pets/1', 'GET, OPTIONS'],
    ['POST', '/store/orders', 'GET, OPTIONS'],
  ])('responds 405 to %s %s and says which there are', async (method, path, allowed) => {
    const response = await call(method, path)
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe(allowed)
  })
})

describe('a browser on another origin', () => {
  it.each(['/pets', '/pets/1', '/store/orders', '/nothing'])(
    'may send a preflight request for %s without a key',
    async (path) => {
      const response = await call('OPTIONS', path, {
        key: null,
        headers: { Origin: 'https://shelter.example', 'Access-Control-Request-Method': 'POST' },
      })
      expect(response.status).toBe(204)
      expect(response.headers.get('Access-Control-Allow-Headers')).toMatch(
        /Authorization.*Content-Type.*Idempotency-Key/,
      )
      expect(response.headers.get('Access-Control-Allow-Methods')).toContain('GET')
    },
  )

  it.each([
    ['a success', '/pets', undefined],
    ['an error of an operation', '/pets/0', undefined],
    ['an error of the gateway', '/pets', null],
  ])('may read %s, and its limit headers', async (_what, path, key) => {
    const { headers } = await call('GET', path, key === undefined ? {} : { key })
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    const exposed = headers.get('Access-Control-Expose-Headers')?.split(',')
    expect(exposed).toEqual(
      expect.arrayContaining(['Link', 'Retry-After', 'X-RateLimit-Remaining', 'RateLimit', 'Sunset']),
    )
  })
})
