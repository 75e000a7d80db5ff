import { describe, expect, it } from 'vitest'
import { bearerToken } from '../../../../shared/http/request-headers.ts'

const token = (...values: string[]) => bearerToken({ Authorization: values })

describe('the bearer token', () => {
  it.each(['Bearer abc', 'bearer abc', 'bEaReR   abc', 'Bearer abc  '])('is read from %j', (value) => {
    expect(token(value)).toBe('abc')
  })

  it.each([
    ...['', 'Bearer', 'Bearer ', 'abc', 'Basic abc', 'Bearerabc', 'Bearer\tabc', ' Bearer abc', 'Bearer abc def'],
    'Bearer a, Bearer b',
  ])('is not in %j', (value) => {
    expect(token(value)).toBeUndefined()
  })

  it('is read whatever the case of the header', () => {
    expect(bearerToken({ Accept: ['*/*'], AUTHORIZATION: ['Bearer abc'] })).toBe('abc')
  })

  it.each([
    ['no headers', null],
    ['no such header', { Accept: ['*/*'], Authorisation: ['Bearer abc'] }],
    ['two values', { Authorization: ['Bearer abc', 'Bearer abc'] }],
    ['two headers of different case', { Authorization: ['Bearer abc'], authorization: ['Bearer abc'] }],
  ])('is undefined with %s', (_what, headers) => {
    expect(bearerToken(headers)).toBeUndefined()
  })

  it('is parsed within a second even from a megabyte of white space', () => {
    const start = process.threadCpuUsage()
    expect(token(`Bearer ${' '.repeat(1_000_000)}`)).toBeUndefined()
    expect(process.threadCpuUsage(start).user).toBeLessThan(1_000_000)
  })
})
