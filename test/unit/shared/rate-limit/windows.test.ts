import { describe, expect, it } from 'vitest'
import { windowAt, windowEnd } from '../../../../shared/rate-limit/windows.ts'

describe('a window', () => {
  it('lasts to the last millisecond before its end, which is the first of the next', () => {
    const end = Date.UTC(2026, 10, 2, 9, 31)
    expect(windowAt('minute', end - 1)).toBe(windowAt('minute', end - 60_000))
    expect(windowAt('minute', end)).toBe(windowAt('minute', end - 1) + 1)
    expect(windowEnd('minute', windowAt('minute', end - 1)) * 1_000).toBe(end)
  })

  it('of a day is the UTC day', () => {
    const midnight = Date.UTC(2026, 10, 3)
    expect(windowAt('day', midnight)).toBe(windowAt('day', midnight - 1) + 1)
    expect(windowEnd('day', windowAt('day', midnight - 1)) * 1_000).toBe(midnight)
  })
})
