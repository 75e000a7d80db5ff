import { expect, it } from 'vitest'
import { isInt64, parseInt64, parseNumberAttribute } from '../../../shared/int64.ts'

it.each([
  ['0', 0],
  ['-1', -1],
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740993', 9_007_199_254_740_993n],
  ['9223372036854775807', 9_223_372_036_854_775_807n],
  ['-9223372036854775808', -9_223_372_036_854_775_808n],
])('reads %s exactly, in a path and in an attribute', (text, value) => {
  expect([parseInt64(text), parseNumberAttribute(text)]).toEqual([BigInt(value), value])
})

it.each(['9223372036854775808', '-9223372036854775809', '', ' 1', '1 ', '+1', '01', '1.0', '1e3', '１'])(
  'reads no int64 in %j',
  (text) => {
    expect(parseInt64(text)).toBeUndefined()
  },
)

it('accepts both ends of the range, and nothing beyond; an attribute may have a fraction', () => {
  expect(parseNumberAttribute('1.5')).toBe(1.5)
  expect([2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n].map(isInt64)).toEqual([true, false, true, false])
})
