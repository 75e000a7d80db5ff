import { expect, it } from 'vitest'
import { hasMoreValues, MemberNameError, parseExactJson, stringifyExactJson } from '../../../shared/exact-json.ts'

it.each([
  { text: '0', integer: 0n },
  { text: '-0', integer: 0n },
  { text: '-0.0', integer: 0n },
  { text: '0e400', integer: 0n },
  { text: '1.0', integer: 1n },
  { text: '10e-1', integer: 1n },
  { text: `1.${'0'.repeat(500)}`, integer: 1n },
  { text: '9007199254740993', integer: 9_007_199_254_740_993n },
  { text: '-9223372036854775808', integer: -9_223_372_036_854_775_808n },
  { text: '1e3', integer: 1_000n },
  { text: '1E+3', integer: 1_000n },
  { text: '1.5e1', integer: 15n },
  { text: '-1200e-2', integer: -12n },
  { text: '9.223372036854775807e18', integer: 9_223_372_036_854_775_807n },
])('the JSON number $text is the exact integer $integer', ({ text, integer }) => {
  expect(parseExactJson(text)).toBe(integer)
})

it.each([
  { text: '1.5', number: 1.5 },
  { text: '1.50', number: 1.5 },
  { text: '1e-400', number: 0 },
  { text: '15e-2', number: 0.15 },
  { text: '1.0000000000000000001', number: 1 },
  { text: '9223372036854775807.5', number: 2 ** 63 },
  { text: '1e400', number: Number.POSITIVE_INFINITY },
  { text: '-1e400', number: Number.NEGATIVE_INFINITY },
  { text: '1e99999999999999999999', number: Number.POSITIVE_INFINITY },
  { text: '1e19', number: 1e19 },
  { text: '10000000000000000000', number: 1e19 },
])('the JSON number $text has a fraction or too many digits, and stays a number', ({ text, number }) => {
  expect(parseExactJson(text)).toBe(number)
})

const nestedText = '{"a":[1,{"b":9223372036854775807}],"c":"12","d":null,"e":true,"f":1.5,"g":-9223372036854775808}'
const nestedValue = {
  a: [1n, { b: 9_223_372_036_854_775_807n }],
  c: '12',
  d: null,
  e: true,
  f: 1.5,
  g: -9_223_372_036_854_775_808n,
}

it('integers are parsed exactly at every depth', () => {
  expect(parseExactJson(nestedText)).toEqual(nestedValue)
})

it('integers are written exactly at every depth', () => {
  expect(stringifyExactJson(nestedValue)).toBe(nestedText)
})

it('a text that is not JSON is a SyntaxError', () => {
  expect(() => parseExactJson('{name: 1}')).toThrow(SyntaxError)
})

it.each(['{"a":1,"a":2}', '{"a":[1],"b":{"c":1,"c":1}}'])('the object %s is refused: it has a name twice', (text) => {
  expect(() => parseExactJson(text)).toThrow(new MemberNameError('has a field twice. Write each field once'))
})

const escapedNames = ['{"\\u0073tatus":"sold"}', '{"a":[{"b\\n" : 1}]}', '{"\\\\u0073":1}']

it.each(escapedNames)('the object %s is refused: it has a name with an escape', (text) => {
  expect(() => parseExactJson(text)).toThrow(
    new MemberNameError('has a field with a backslash in its name. Write names without escapes'),
  )
})

it('a text that is refused changes no name that JSON.parse reads later', () => {
  // After JSON.parse has read this text, V8 reads `\u0073` as the name of `\u0073tatus` (nodejs/node issue 63785).
  expect(() => parseExactJson('{"lost":1,"\\\\u0073":1}')).toThrow(MemberNameError)

  expect(JSON.parse('{"lost":1,"\\u0073tatus":"sold"}')).toEqual({ lost: 1, status: 'sold' })
})

it('colons, quotes and backslashes inside strings are not taken for members', () => {
  expect(parseExactJson('{"a:b" :"c:d","e":"\\n:\\":g:","f":["\\\\"]}')).toEqual({
    'a:b': 'c:d',
    e: '\n:":g:',
    f: ['\\'],
  })
})

it.each([
  { text: '"[,{"', values: 1 },
  { text: '"\\",[\\\\"', values: 1 },
  { text: '[1,2]', values: 3 },
  { text: '["a\\nb,c",1]', values: 3 },
  { text: '"\\ ,"', values: 1 },
  { text: '{"a":[1,{"b":","}],"c":null}', values: 6 },
  { text: '[1,"without end,\\"', values: 3 },
  { text: '"ends with a backslash,\\', values: 1 },
])('the text $text has $values values', ({ text, values }) => {
  expect(hasMoreValues(text, values)).toBe(false)
  expect(hasMoreValues(text, values - 1)).toBe(true)
})
