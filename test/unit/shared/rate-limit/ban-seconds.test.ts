import { expect, it } from 'vitest'
import { banSeconds } from '../../../../shared/rate-limit/rate-limiter.ts'

const policy = { refusalsBeforeBan: 100, firstBanSeconds: 60, longestBanSeconds: 3_600 }

it('doubles the length of each further ban of a day, up to the maximum', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7].map((earlier) => banSeconds(policy, earlier))).toEqual([
    60, 120, 240, 480, 960, 1_920, 3_600, 3_600,
  ])
})

it('stays at the maximum after many bans', () => {
  expect(banSeconds(policy, 5_000)).toBe(3_600)
})
