import { describe, expect, it } from 'vitest'
import type { ApiKeyRecord } from '../../../../shared/api-keys/api-key-record.ts'
import { judge } from '../../../../shared/rate-limit/verdict.ts'
import { apiKeyRecord } from '../api-keys/records.ts'
import { now, windowsOfNow } from './moments.ts'

const { minuteWindow, dayWindow } = windowsOfNow
const second = Math.floor(now / 1_000)

const verdict = (change: Partial<ApiKeyRecord>) => judge(apiKeyRecord({ ...windowsOfNow, ...change }), now)

describe('the verdict on a record', () => {
  it('is open where nothing stands in the way', () => {
    expect(verdict({ minuteCount: 59, dayCount: 999 })).toEqual({ kind: 'open' })
  })

  it('is invalid for a revoked key, whatever else is true of it', () => {
    expect(verdict({ state: 'revoked', bannedUntil: second + 60, dayCount: 1_000 })).toEqual({ kind: 'invalid' })
  })

  it('is invalid from the very moment at which the key expires', () => {
    expect(judge(apiKeyRecord({ ...windowsOfNow, expiresAt: second + 1 }), (second + 1) * 1_000)).toEqual({
      kind: 'invalid',
    })
    expect(judge(apiKeyRecord({ ...windowsOfNow, expiresAt: second + 1 }), (second + 1) * 1_000 - 1)).toEqual({
      kind: 'open',
    })
  })

  it('is banned until the end of the ban, also where windows have passed', () => {
    expect(verdict({ bannedUntil: second + 60, minuteWindow: 0, dayWindow: 0 })).toEqual({
      kind: 'banned',
      until: second + 60,
    })
  })

  it('forgets a ban that has ended', () => {
    expect(verdict({ bannedUntil: second })).toEqual({ kind: 'open' })
  })

  it('names the window that is used up', () => {
    expect(verdict({ minuteCount: 60, dayCount: 60 })).toEqual({ kind: 'exhausted' })
    expect(verdict({ minuteCount: 5, dayCount: 1_000 })).toEqual({ kind: 'exhausted' })
  })

  it('names the day where both are used up, for it takes longer', () => {
    expect(verdict({ minuteCount: 60, dayCount: 1_000 })).toEqual({ kind: 'exhausted' })
  })

  it('is exhausted where the day is used up and only the minute has passed', () => {
    expect(verdict({ minuteWindow: minuteWindow - 1, minuteCount: 60, dayCount: 1_000 })).toEqual({ kind: 'exhausted' })
  })

  it.each([
    ['the minute', { minuteWindow: minuteWindow - 1, minuteCount: 60 }, ['minute']],
    ['the day', { dayWindow: dayWindow - 1, dayCount: 1_000 }, ['day']],
    ['both', { minuteWindow: minuteWindow - 1, dayWindow: dayWindow - 1, dayCount: 1_000 }, ['minute', 'day']],
  ])('names the windows that have passed: %s', (_which, change, windows) => {
    expect(verdict(change)).toEqual({ kind: 'passed', windows })
  })

  it('takes a window ahead of this clock for the current one', () => {
    expect(verdict({ minuteWindow: minuteWindow + 1, dayWindow: dayWindow + 1 })).toEqual({ kind: 'open' })
    expect(verdict({ minuteWindow: minuteWindow + 1, minuteCount: 60 })).toEqual({ kind: 'exhausted' })
  })
})
