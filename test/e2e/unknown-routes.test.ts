import { describe, expect, it } from 'vitest'
import { unknownRoutes } from '../requests/unknown-routes.ts'
import { call, itResponds } from './api.ts'

describe('a request that names no operation', () => itResponds(unknownRoutes))

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
