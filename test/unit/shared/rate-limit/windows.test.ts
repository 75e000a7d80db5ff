import { describe, expect, it } from 'vitest'
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

describe('a window', () => {
  it('lasts to the last millisecond before its end, which is the first of the next', () => {
    const end = Date.UTC(2026, 10, 2, 9, 31)
    expect(windowAt('minute', end - 1)).toBe(windowAt('minute', end - 60_000))
    expect(windowAt('minute', end)).toBe(windowAt('minute', end - 1) + 1)
    expect(quotaStatusOf(apiKeyRecord(), end - 1).minute.resetAt * 1_000).toBe(end)
  })

  it('of a day is the UTC day', () => {
    const midnight = Date.UTC(2026, 10, 3)
    expect(windowAt('day', midnight)).toBe(windowAt('day', midnight - 1) + 1)
    expect(quotaStatusOf(apiKeyRecord(), midnight - 1).day.resetAt * 1_000).toBe(midnight)
  })
})

describe('the quota status of a key', () => {
  it('has the remaining requests and the end of both windows', () => {
    expect(status({ minuteCount: 19, dayCount: 588 })).toEqual({
      minute: { window: 'minute', limit: 60, remaining: 41, resetAt: endOfMinute },
      day: { window: 'day', limit: 1_000, remaining: 412, resetAt: endOfDay },
    })
  })

  it('treats an expired window as unused', () => {
    const { minute, day } = status({ minuteWindow: windowsOfNow.minuteWindow - 1, minuteCount: 60, dayCount: 60 })
    expect(minute).toMatchObject({ remaining: 60, resetAt: endOfMinute })
    expect(day).toMatchObject({ remaining: 940 })
  })

  it('uses a window that another instance with a clock ahead has opened', () => {
    const { minute } = status({ minuteWindow: windowsOfNow.minuteWindow + 1, minuteCount: 5 })
    expect(minute).toMatchObject({ remaining: 55, resetAt: endOfMinute + 60 })
  })

  it('never falls below zero, also where a limit was lowered below the count', () => {
    expect(status({ minuteLimit: 10, minuteCount: 40 }).minute.remaining).toBe(0)
  })
})

describe('the window that X-RateLimit-* shows', () => {
  it('is the one with the fewest requests remaining', () => {
    expect(bindingWindowOf(status({ minuteCount: 10, dayCount: 10 })).window).toBe('minute')
    expect(bindingWindowOf(status({ minuteCount: 0, dayCount: 990 })).window).toBe('day')
  })

  it('is the longer one where both have as many remaining', () => {
    expect(bindingWindowOf(status({ minuteCount: 60, dayCount: 1_000 })).window).toBe('day')
  })
})

describe('the seconds to wait', () => {
  it.each([
    [endOfMinute, now, 43],
    [endOfMinute, endOfMinute * 1_000 - 1_000, 1],
    [endOfMinute, endOfMinute * 1_000 - 1_001, 2],
    [endOfMinute, endOfMinute * 1_000 - 1, 1],
    [endOfMinute, endOfMinute * 1_000, 1],
    [endOfMinute, endOfMinute * 1_000 + 5_000, 1],
  ])('until %i at %i are %i: whole, at least 1, never short of it', (moment, time, seconds) => {
    expect(secondsUntil(moment, time)).toBe(seconds)
  })
})

describe('a blocked key', () => {
  it('has nothing left in either window until then', () => {
    const until = endOfMinute + 600
    expect(blockedUntil(until, status({ minuteCount: 60, dayCount: 60 }))).toEqual({
      minute: { window: 'minute', limit: 60, remaining: 0, resetAt: until },
      day: { window: 'day', limit: 1_000, remaining: 0, resetAt: until },
    })
  })

  it('never has a Retry-After before the end of an exhausted window', () => {
    const { minute, day } = blockedUntil(endOfMinute - 10, status({ minuteCount: 60, dayCount: 1_000 }))
    expect(minute.resetAt).toBe(endOfMinute)
    expect(day.resetAt).toBe(endOfDay)
  })

  it('is shown the window that limits it longest', () => {
    expect(bindingWindowOf(blockedUntil(endOfMinute + 1, status({ dayCount: 1_000 }))).window).toBe('day')
    expect(bindingWindowOf(blockedUntil(endOfMinute + 1, status({ minuteCount: 60 }))).window).toBe('minute')
  })
})
