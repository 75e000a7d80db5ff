import { describe, expect, it } from 'vitest'
import { formatApiKey } from '../../shared/api-keys/api-key.ts'
import { apiKey, call, type ErrorBody } from './api.ts'

describe('a request without a valid API key', () => {
  const flipped = apiKey.slice(0, -1) + (apiKey.endsWith('0') ? '1' : '0')

  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['only the scheme', 'Bearer'],
    ['the scheme and a space', 'Bearer '],
    ['another scheme', `Basic ${apiKey}`],
    ['a key without a scheme', apiKey],
    ['a key with one character changed', `Bearer ${flipped}`],
    ['a key with one character less', `Bearer ${apiKey.slice(0, -1)}`],
    ['two keys', `Bearer ${apiKey} ${apiKey}`],
    ['a quoted key', `Bearer "${apiKey}"`],
    ['a key of the right form that was never issued', `Bearer ${formatApiKey('pet_test_', '0'.repeat(32))}`],
    ['a very long key', `Bearer ${'a'.repeat(5_000)}`],
    ['an AWS signature', 'AWS4-HMAC-SHA256 Credential=AKIA/20260101/eu-west-1/execute-api/aws4_request'],
  ])('gets 401: %s', async (_what, authorization) => {
    const response = await call('GET', '/pets', {
      key: null,
      headers: authorization === undefined ? {} : { Authorization: authorization },
    })
    expect(response.status).toBe(401)
    expect(response.json<ErrorBody>().code).toBe('unauthorized')
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer')
    expect(response.headers.get('X-RateLimit-Limit')).toBe('0')
    expect(response.headers.get('X-RateLimit-Remaining')).toBe('0')
    expect(response.headers.get('X-RateLimit-Reset')).toBe('0')
    expect(response.text).not.toContain(apiKey)
  })

  it('gets 401 whatever else is wrong with it', async () => {
    expect((await call('POST', '/pets', { key: null, body: '{' })).status).toBe(401)
    expect((await call('GET', '/pets?limit=0', { key: null })).status).toBe(401)
  })
})

describe('a request with a valid API key', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('is accepted with the scheme written %s', async (scheme) => {
    const response = await call('GET', '/pets', { key: null, headers: { Authorization: `${scheme} ${apiKey}` } })
    expect(response.status).toBe(200)
  })
})
