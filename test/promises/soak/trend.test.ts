import { describe, expect, test } from 'vitest'
import { trendOf } from './trend.ts'

const every10Seconds = (values: readonly number[]) => values.map((value, index) => ({ at: index * 10, value }))
const wave = (index: number): number => [0, 7, -5, 3, -8, 6][index % 6] ?? 0

describe('The trend of a figure', () => {
  test('is its growth after the warm-up, whatever it did before', () => {
    const samples = every10Seconds(Array.from({ length: 61 }, (_, index) => (index < 20 ? index * 50 : 1_000 + index)))
    expect(trendOf(samples).growth).toBeCloseTo(40)
  })

  test('is none for a figure that goes up and down', () => {
    const samples = every10Seconds(Array.from({ length: 61 }, (_, index) => 500 + wave(index)))
    expect(Math.abs(trendOf(samples).growth)).toBeLessThan(1)
  })

  test('shows a slow leak below the ups and downs', () => {
    const samples = every10Seconds(Array.from({ length: 61 }, (_, index) => 500 + 10 * wave(index) + index))
    expect(trendOf(samples).growth).toBeGreaterThan(30)
  })

  test('is not turned by a few wild samples', () => {
    const samples = every10Seconds(Array.from({ length: 61 }, (_, index) => (index % 5 === 0 ? 9_000 : 500)))
    expect(trendOf(samples)).toMatchObject({ median: 500, growth: 0, highest: 9_000 })
  })
})
