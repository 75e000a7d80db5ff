import { expect, it } from 'vitest'
import { banSeconds } from '../../../../shared/rate-limit/rate-limiter.ts'
import { quotaStatusOf, secondsUntil, windowAt } from '../../../../shared/rate-limit/windows.ts'
import { apiKeyRecord } from '../api-keys/records.ts'
import { endOfMinute, now } from './moments.ts'

// What remains of them: test/unit/shared/http/authorizer-context.test.ts.

it.each([
  ['minute', Date.UTC(2026, 10, 2, 9, 31)],
  ['day', Date.UTC(2026, 10, 3)],
] as const)('a %s lasts to the last millisecond before its end, which is the first of the next', (window, end) => {
  expect(windowAt(window, end)).toBe(windowAt(window, end - 1) + 1)
  expect(quotaStatusOf(apiKeyRecord(), end - 1)[window].resetAt * 1_000).toBe(end)
})

it.each([
  [now, 43],
  [endOfMinute * 1_000 - 1_001, 2],
  [endOfMinute * 1_000 - 1_000, 1],
  [endOfMinute * 1_000 - 1, 1],
  [endOfMinute * 1_000 + 5_000, 1],
])('the seconds to wait at %i are %i: whole, at least 1, never short of the moment', (time, seconds) => {
  expect(secondsUntil(endOfMinute, time)).toBe(seconds)
})

it('a key is banned twice as long each further time of a day, up to the maximum', () => {
  const policy = { refusalsBeforeBan: 100, firstBanSeconds: 60, longestBanSeconds: 3_600 }
  const lengths = [0, 1, 5, 6, 7, 5_000].map((earlier) => banSeconds(policy, earlier))
  expect(lengths).toEqual([60, 120, 1_920, 3_600, 3_600, 3_600])
})
