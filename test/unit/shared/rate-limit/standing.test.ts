import { describe, expect, it } from 'vitest'
import { bindingWindow, heldUntil, secondsUntil, standingOf } from '../../../../shared/rate-limit/standing.ts'
import { apiKeyRecord } from '../api-keys/records.ts'
import { endOfDay, endOfMinute, now, windowsOfNow } from './moments.ts'

const standing = (change: Parameters<typeof apiKeyRecord>[0] = {}) =>
  standingOf(apiKeyRecord({ ...windowsOfNow, ...change }), now)

describe('where a key stands', () => {
  it('is what is left of both windows and when they end', () => {
    expect(standing({ minuteCount: 19, dayCount: 588 })).toEqual({
      minute: { window: 'minute', limit: 60, remaining: 41, resetAt: endOfMinute },
      day: { window: 'day', limit: 1_000, remaining: 412, resetAt: endOfDay },
    })
  })

  it('counts nothing of a window that has passed', () => {
    const { minute, day } = standing({ minuteWindow: windowsOfNow.minuteWindow - 1, minuteCount: 60, dayCount: 60 })
    expect(minute).toMatchObject({ remaining: 60, resetAt: endOfMinute })
    expect(day).toMatchObject({ remaining: 940 })
  })

  it('is told by the window that another instance, whose clock is ahead, has opened', () => {
    const { minute } = standing({ minuteWindow: windowsOfNow.minuteWindow + 1, minuteCount: 5 })
    expect(minute).toMatchObject({ remaining: 55, resetAt: endOfMinute + 60 })
  })

  it('never falls below zero, also where a limit was lowered below the count', () => {
    expect(standing({ minuteLimit: 10, minuteCount: 40 }).minute.remaining).toBe(0)
  })
})

describe('the window that X-RateLimit-* shows', () => {
  it('is the one with the fewest requests remaining', () => {
    expect(bindingWindow(standing({ minuteCount: 10, dayCount: 10 })).window).toBe('minute')
    expect(bindingWindow(standing({ minuteCount: 0, dayCount: 990 })).window).toBe('day')
  })

  it('is the longer one where both have as many remaining', () => {
    expect(bindingWindow(standing({ minuteCount: 60, dayCount: 1_000 })).window).toBe('day')
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

describe('a key that is held back', () => {
  it('has nothing left in either window until then', () => {
    const until = endOfMinute + 600
    expect(heldUntil(until, standing({ minuteCount: 60, dayCount: 60 }))).toEqual({
      minute: { window: 'minute', limit: 60, remaining: 0, resetAt: until },
      day: { window: 'day', limit: 1_000, remaining: 0, resetAt: until },
    })
  })

  it('is not told to come back before a window that is used up ends', () => {
    const { minute, day } = heldUntil(endOfMinute - 10, standing({ minuteCount: 60, dayCount: 1_000 }))
    expect(minute.resetAt).toBe(endOfMinute)
    expect(day.resetAt).toBe(endOfDay)
  })

  it('is shown the window that limits it longest', () => {
    expect(bindingWindow(heldUntil(endOfMinute + 1, standing({ dayCount: 1_000 }))).window).toBe('day')
    expect(bindingWindow(heldUntil(endOfMinute + 1, standing({ minuteCount: 60 }))).window).toBe('minute')
  })
})
