import { describe, expect, it } from 'vitest'
import { bearerToken } from '../../../../shared/http/request-headers.ts'

const token = (...values: string[]) => bearerToken({ Authorization: values })

describe('the bearer token', () => {
  it.each(['Bearer abc', 'bearer abc', 'BEARER abc', 'bEaReR   abc', 'Bearer abc  '])('is read from %j', (value) => {
    expect(token(value)).toBe('abc')
  })

  it.each(['authorization', 'AUTHORIZATION'])('is read from the header %s', (name) => {
    expect(bearerToken({ Accept: ['*/*'], [name]: ['Bearer abc'] })).toBe('abc')
  })

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'abc',
    'Basic abc',
    'Bearerabc',
    'Bearer\tabc',
    ' Bearer abc',
    'Bearer abc def',
    'Bearer a, Bearer b',
  ])('is not in %j', (value) => {
    expect(token(value)).toBeUndefined()
  })

  it('is undefined without headers', () => {
    expect(bearerToken(null)).toBeUndefined()
    expect(bearerToken({ Accept: ['*/*'] })).toBeUndefined()
  })

  it('is undefined where there are several, in one header or in headers of different case', () => {
    expect(token('Bearer abc', 'Bearer abc')).toBeUndefined()
    expect(bearerToken({ Authorization: ['Bearer abc'], authorization: ['Bearer abc'] })).toBeUndefined()
  })

  it('is parsed within a second even from a megabyte of white space', () => {
    const start = process.threadCpuUsage()
    expect(token(`Bearer ${' '.repeat(1_000_000)}`)).toBeUndefined()
    expect(process.threadCpuUsage(start).user).toBeLessThan(1_000_000)
  })
})
