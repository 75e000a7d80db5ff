import { expect, it } from 'vitest'
import { isInt64, parseInt64, parseNumberAttribute } from '../../../shared/int64.ts'

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

it('the range of int64 includes both ends and nothing beyond', () => {
  expect(isInt64(9_223_372_036_854_775_807n)).toBe(true)
  expect(isInt64(9_223_372_036_854_775_808n)).toBe(false)
  expect(isInt64(-9_223_372_036_854_775_808n)).toBe(true)
  expect(isInt64(-9_223_372_036_854_775_809n)).toBe(false)
})
