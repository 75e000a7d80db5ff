import { expect, it } from 'vitest'
import { parseExactJson, stringifyExactJson } from '../../../shared/exact-json.ts'
import { parseInt64, parseNumberAttribute } from '../../../shared/int64.ts'

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

it.each([
  { text: '0', attribute: 0 },
  { text: '-1', attribute: -1 },
  { text: '9007199254740991', attribute: 9_007_199_254_740_991 },
  { text: '9007199254740993', attribute: 9_007_199_254_740_993n },
  { text: '9223372036854775807', attribute: 9_223_372_036_854_775_807n },
  { text: '-9223372036854775808', attribute: -9_223_372_036_854_775_808n },
])('the integer $text is exact, in a path and in an attribute', ({ text, attribute }) => {
  expect(parseInt64(text)).toBe(BigInt(attribute))
  expect(parseNumberAttribute(text)).toBe(attribute)
})

it.each(['9223372036854775808', '-9223372036854775809', '', ' 1', '1 ', '+1', '01', '1.0', '1e3', '１'])(
  'the text %j is no int64',
  (text) => {
    expect(parseInt64(text)).toBeUndefined()
  },
)

it.each([
  { text: '1.5', attribute: 1.5 },
  { text: '9007199254740993.5', attribute: 9_007_199_254_740_994 },
  { text: '1E+30', attribute: 1e30 },
])('the attribute $text, which is no integer in digits, is a number', ({ text, attribute }) => {
  expect(parseNumberAttribute(text)).toBe(attribute)
})
