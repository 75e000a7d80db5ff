import { describe, expect, it } from 'vitest'
import { suggestNearest } from '../../../../infra/command-line/nearest.ts'
import { decimalNumber, readBaseUrl, wholeNumber } from '../../../../infra/command-line/options.ts'

describe('the base URL to which a command sends an API key', () => {
  it.each([
    ['https://pets.example.com/v1/', 'https://pets.example.com/v1'],
    ['http://127.0.0.1:3000/v1', 'http://127.0.0.1:3000/v1'],
    ['http://127.1:3000/v1', 'http://127.0.0.1:3000/v1'],
    ['http://localhost:3000/v1', 'http://localhost:3000/v1'],
    ['http://[::1]:3000/v1', 'http://[::1]:3000/v1'],
  ])('may be %s', (text, url) => {
    expect(readBaseUrl(text)).toBe(url)
  })

  it.each([
    'http://pets.example.com/v1',
    'http://127.0.0.1.example.com/v1',
    'http://localhost.example.com/v1',
    'http://127.0.0.1@pets.example.com/v1',
    'http://10.0.0.1/v1',
    'HTTP://pets.example.com/v1',
  ])('must be https: %s', (text) => {
    expect(() => readBaseUrl(text)).toThrow('must begin with https://')
  })

  it.each(['pets.example.com', 'file:///v1', ''])('is no other text: %s', (text) => {
    expect(() => readBaseUrl(text)).toThrow('such as https://api.example.com/v1')
  })
})

describe('a number', () => {
  it('is written in decimal or with an exponent', () => {
    expect(['0', '42', '1e3'].map(wholeNumber(0, 1_000))).toEqual([0, 42, 1_000])
    expect(['0', '0.25', '1'].map(decimalNumber(0, 1))).toEqual([0, 0.25, 1])
  })

  it.each(['', ' 1', '-1', '1.5', '0x10', '1e-3', 'many', 'NaN', 'Infinity', '1001'])('is not %j', (text) => {
    expect(() => wholeNumber(0, 1_000)(text)).toThrow('It must be a whole number from 0 to 1000.')
  })

  it.each(['', '-0.1', '1.01', '.5', 'half'])('from 0 to 1 is not %j', (text) => {
    expect(() => decimalNumber(0, 1)(text)).toThrow('It must be a number from 0 to 1.')
  })
})

it('the suggestion for a mistyped name is the one that resembles it most, if any does', () => {
  const names = ['local', 'staging', 'production']
  const suggested = ['stagin', 'prodcution', 'Local', 'lcoal', '', 'moon', 'test'].map((typed) =>
    suggestNearest(typed, names),
  )
  const expected = ['staging', 'production', 'local', 'local'].map((name) => `Did you mean ${name}?`)
  expect(suggested).toEqual([...expected, '', '', ''])
})
