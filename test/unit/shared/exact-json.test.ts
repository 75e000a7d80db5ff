import { describe, expect, it } from 'vitest'
import { hasMoreValues, parseExactJson, stringifyExactJson } from '../../../shared/exact-json.ts'

describe('a JSON number', () => {
  it.each([
    ...['0', '-0', '-0.0', '0e400'].map((text) => [text, 0n] as const),
    ...['9007199254740993', '9223372036854775807', '-9223372036854775808', '9223372036854775808'].map(
      (text) => [text, BigInt(text)] as const,
    ),
    ...['1.0', '10e-1', `1.${'0'.repeat(500)}`].map((text) => [text, 1n] as const),
    ['1e3', 1_000n],
    ['1E+3', 1_000n],
    ['1.5e1', 15n],
    ['-1200e-2', -12n],
    ['9.223372036854775807e18', 2n ** 63n - 1n],
  ] as const)('is the exact integer that its text denotes: %s', (text, value) => {
    expect(parseExactJson(text)).toBe(value)
  })

  it.each([
    ...['1.5', '1e-400', '15e-2', '1.0000000000000000001', '9223372036854775807.5', '1e400', '-1e400'],
    ...['1e99999999999999999999', '1e19', '10000000000000000000'],
  ])('stays a number, and so no int64, where it is no integer or too long: %s', (text) => {
    expect(parseExactJson(text)).toBe(Number(text))
  })

  it('is read wherever it stands', () => {
    expect(parseExactJson('{"a":[1,{"b":9223372036854775807}],"c":"12","d":null,"e":true,"f":1.5}')).toEqual({
      a: [1n, { b: 9_223_372_036_854_775_807n }],
      c: '12',
      d: null,
      e: true,
      f: 1.5,
    })
  })

  it('is read quickly even with a million digits', () => {
    const text = '9'.repeat(1_000_000)
    const start = process.threadCpuUsage()
    expect(parseExactJson(`[${text}]`)).toEqual([Number.POSITIVE_INFINITY])
    expect(process.threadCpuUsage(start).user).toBeLessThan(1_000_000)
  })
})

describe('a bigint', () => {
  it('is written as the JSON integer that it is', () => {
    expect(stringifyExactJson({ id: 2n ** 63n - 1n, list: [-(2n ** 63n), 0n], name: '12' })).toBe(
      '{"id":9223372036854775807,"list":[-9223372036854775808,0],"name":"12"}',
    )
  })
})

it('refuses what is not JSON', () => {
  expect(() => parseExactJson('{name: 1}')).toThrow(SyntaxError)
})

describe('the number of values of a text', () => {
  it.each([
    ['"[,{"', 1],
    ['"\\",[\\\\"', 1],
    ['[1,2]', 3],
    ['{"a":[1,{"b":","}],"c":null}', 6],
    ['[1,"without end,\\"', 3],
    ['"ends with a backslash,\\', 1],
  ])('is known without parsing it: %s', (text, values) => {
    expect(hasMoreValues(text, values)).toBe(false)
    expect(hasMoreValues(text, values - 1)).toBe(true)
  })

  it('is known quickly even in a string of escapes without end', () => {
    const start = process.threadCpuUsage()
    expect(hasMoreValues(`"${'\\"'.repeat(100_000)}`, 1)).toBe(false)
    expect(process.threadCpuUsage(start).user).toBeLessThan(1_000_000)
  })
})
