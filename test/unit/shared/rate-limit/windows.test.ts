import { describe, expect, it } from 'vitest'
import { banSeconds } from '../../../../shared/rate-limit/rate-limiter.ts'
import {
  bindingWindowOf,
  blockedUntil,
  quotaStatusOf,
  secondsUntil,
  windowAt,
} from '../../../../shared/rate-limit/windows.ts'
import { apiKeyRecord } from '../api-keys/records.ts'
import { endOfDay, endOfMinute, now, windowsOfNow } from './moments.ts'

const status = (change: Parameters<typeof apiKeyRecord>[0] = {}) =>
  quotaStatusOf(apiKeyRecord({ ...windowsOfNow, ...change }), now)

it.each([
  ['minute', Date.UTC(2026, 10, 2, 9, 31)],
  ['day', Date.UTC(2026, 10, 3)],
] as const)('a %s lasts to the last millisecond before its end, which is the first of the next', (window, end) => {
  expect(windowAt(window, end)).toBe(windowAt(window, end - 1) + 1)
  expect(quotaStatusOf(apiKeyRecord(), end - 1)[window].resetAt * 1_000).toBe(end)
})

describe('the quota status of a key', () => {
  const { minuteWindow } = windowsOfNow
  it.each([
    ['has what remains of both', { minuteCount: 19, dayCount: 588 }, { remaining: 41 }, { remaining: 412 }],
    ['has expired windows as unused', { minuteWindow: minuteWindow - 1, minuteCount: 60 }, { remaining: 60 }, {}],
    [
      'uses a window that an instance with a clock ahead has opened',
      { minuteWindow: minuteWindow + 1, minuteCount: 5 },
      { remaining: 55, resetAt: endOfMinute + 60 },
      {},
    ],
    ['never falls below zero', { minuteLimit: 10, minuteCount: 40 }, { limit: 10, remaining: 0 }, {}],
  ])('%s', (_what, change, minute, day) => {
    expect(status(change)).toEqual({
      minute: { window: 'minute', limit: 60, resetAt: endOfMinute, ...minute },
      day: { window: 'day', limit: 1_000, remaining: 1_000, resetAt: endOfDay, ...day },
    })
  })
})

it.each([
  ['minute', 'fewer remain in it', status({ minuteCount: 10, dayCount: 10 })],
  ['day', 'fewer remain in it', status({ minuteCount: 0, dayCount: 990 })],
  ['day', 'as many remain and it ends later', status({ minuteCount: 60, dayCount: 1_000 })],
  ['day', 'it blocks a banned key longer', blockedUntil(endOfMinute + 1, status({ dayCount: 1_000 }))],
  ['minute', 'the key is banned beyond it alone', blockedUntil(endOfMinute + 1, status({ minuteCount: 60 }))],
] as const)('X-RateLimit-* shows the %s where %s', (window, _why, shown) => {
  expect(bindingWindowOf(shown).window).toBe(window)
})

it.each([
  [endOfMinute, now, 43],
  [endOfMinute, endOfMinute * 1_000 - 1_001, 2],
  [endOfMinute, endOfMinute * 1_000 - 1_000, 1],
  [endOfMinute, endOfMinute * 1_000 - 1, 1],
  [endOfMinute, endOfMinute * 1_000 + 5_000, 1],
])('the seconds to wait until %i at %i are %i: whole, at least 1, never short of it', (moment, time, seconds) => {
  expect(secondsUntil(moment, time)).toBe(seconds)
})

describe('a blocked key', () => {
  it.each([
    ['has nothing left in either window until then', endOfMinute + 600, endOfMinute + 600],
    ['is not told a time before the end of a window that is used up', endOfMinute - 10, endOfMinute],
  ])('%s', (_what, moment, resetAt) => {
    expect(blockedUntil(moment, status({ minuteCount: 60, dayCount: 60 }))).toEqual({
      minute: { window: 'minute', limit: 60, remaining: 0, resetAt },
      day: { window: 'day', limit: 1_000, remaining: 0, resetAt: moment },
    })
  })

  it('is banned twice as long each further time of a day, up to the maximum', () => {
    const policy = { refusalsBeforeBan: 100, firstBanSeconds: 60, longestBanSeconds: 3_600 }
    const lengths = [0, 1, 5, 6, 7, 5_000].map((earlier) => banSeconds(policy, earlier))
    expect(lengths).toEqual([60, 120, 1_920, 3_600, 3_600, 3_600])
  })
})
