import { expect, it } from 'vitest'
import { readNumber } from '../../../../shared/dynamodb/numbers.ts'

it.each([
  ['0', 0],
  ['-12', -12],
  ['1795257600', 1_795_257_600],
  ['1.5', 1.5],
  ['9007199254740991', 9_007_199_254_740_991],
  ['9007199254740992', 9_007_199_254_740_992n],
  ['9223372036854775807', 9_223_372_036_854_775_807n],
  ['-9223372036854775808', -9_223_372_036_854_775_808n],
])('reads the number attribute %s without losing a digit', (digits, value) => {
  expect(readNumber(digits)).toBe(value)
})
