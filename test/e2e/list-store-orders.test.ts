import { describe, expect, it } from 'vitest'
import { call, type ErrorBody } from './api.ts'

describe('GET /store/orders', () => {
  it('is reserved and responds 501', async () => {
    const response = await call('GET', '/store/orders')
    expect(response.status).toBe(501)
    expect(response.json<ErrorBody>().code).toBe('not_implemented')
  })
})
