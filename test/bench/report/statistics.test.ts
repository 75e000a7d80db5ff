import { describe, expect, it } from 'vitest'
import { compare, quantile, spread } from './statistics.ts'

describe('the spread of measurements', () => {
  it('is their median and quartiles, in whatever order they came', () => {
    expect(spread([5, 1, 4, 2, 3])).toEqual({ lowerQuartile: 2, median: 3, upperQuartile: 4 })
  })

  it('lies between two of them where there is no middle one', () => {
    expect(spread([10, 20])).toEqual({ lowerQuartile: 12.5, median: 15, upperQuartile: 17.5 })
  })

  it('is of one measurement that one', () => {
    expect(quantile([7], 0.25)).toBe(7)
  })

  it('is none of no measurements', () => {
    expect(() => spread([])).toThrow('no measurements')
  })
})

describe('a comparison', () => {
  it('has the median of the ratios of each round, not the ratio of the medians', () => {
    const { measured, floor, ratio } = compare([
      { measured: 2, floor: 1 },
      { measured: 3, floor: 2 },
      { measured: 30, floor: 30 },
    ])
    expect([measured.median, floor.median, ratio.median]).toEqual([3, 2, 1.5])
  })
})
