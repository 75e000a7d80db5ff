import { expect, it } from 'vitest'
import { hasMoreValues, parseExactJson, RepeatedNameError, stringifyExactJson } from '../../../shared/exact-json.ts'

it.each<[text: string, value: bigint]>([
  ...['0', '-0', '-0.0', '0e400'].map((text): [string, bigint] => [text, 0n]),
  ...['1.0', '10e-1', `1.${'0'.repeat(500)}`].map((text): [string, bigint] => [text, 1n]),
  ...['9007199254740993', '-9223372036854775808'].map((text): [string, bigint] => [text, BigInt(text)]),
  ['1e3', 1_000n],
  ['1E+3', 1_000n],
  ['1.5e1', 15n],
  ['-1200e-2', -12n],
  ['9.223372036854775807e18', 2n ** 63n - 1n],
])('a JSON number is the exact integer that its text denotes: %s', (text, value) => {
  expect(parseExactJson(text)).toBe(value)
})

it.each([
  ...['1.5', '1.50', '1e-400', '15e-2', '1.0000000000000000001', '9223372036854775807.5', '1e400', '-1e400'],
  ...['1e99999999999999999999', '1e19', '10000000000000000000'],
])('a JSON number stays one, and so no int64, where it is no integer or too long: %s', (text) => {
  expect(parseExactJson(text)).toBe(Number(text))
})

it('integers are exact wherever they stand, read and written', () => {
  const text = '{"a":[1,{"b":9223372036854775807}],"c":"12","d":null,"e":true,"f":1.5,"g":-9223372036854775808}'
  const value = { a: [1n, { b: 2n ** 63n - 1n }], c: '12', d: null, e: true, f: 1.5, g: -(2n ** 63n) }
  expect(parseExactJson(text)).toEqual(value)
  expect(stringifyExactJson(value)).toBe(text)
})

it('what is not JSON is refused, and an object with a name twice', () => {
  expect(() => parseExactJson('{name: 1}')).toThrow(SyntaxError)
  for (const text of ['{"a":1,"a":2}', '{"a":[1],"b":{"c":1,"\\u0063":1}}']) {
    expect(() => parseExactJson(text)).toThrow(RepeatedNameError)
  }
  expect(parseExactJson('{"a:b":"c:d","e\\":f":"\\n:g:"}')).toEqual({ 'a:b': 'c:d', 'e":f': '\n:g:' })
})

it.each([
  ['"[,{"', 1],
  ['"\\",[\\\\"', 1],
  ['[1,2]', 3],
  ['["a\\nb,c",1]', 3],
  ['"\\ ,"', 1],
  ['{"a":[1,{"b":","}],"c":null}', 6],
  ['[1,"without end,\\"', 3],
  ['"ends with a backslash,\\', 1],
])('the number of values of a text is known without parsing it: %s', (text, values) => {
  expect(hasMoreValues(text, values)).toBe(false)
  expect(hasMoreValues(text, values - 1)).toBe(true)
})
