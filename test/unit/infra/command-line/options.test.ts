import { describe, expect, it } from 'vitest'
import { decimalNumber, wholeNumber } from '../../../../infra/command-line/options.ts'

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
