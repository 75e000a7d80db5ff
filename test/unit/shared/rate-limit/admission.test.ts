import { describe, expect, it } from 'vitest'
import type { ApiKeyRecord } from '../../../../shared/api-keys/api-key-record.ts'
import { judge } from '../../../../shared/rate-limit/admission.ts'
import { expiredWindows } from '../../../../shared/rate-limit/windows.ts'
import { apiKeyRecord } from '../api-keys/records.ts'
import { now, windowsOfNow } from './moments.ts'

const { minuteWindow, dayWindow } = windowsOfNow
const second = Math.floor(now / 1_000)

const verdict = (change: Partial<ApiKeyRecord>) => judge(apiKeyRecord({ ...windowsOfNow, ...change }), now)

describe('the verdict on a record', () => {
  it('is usable where nothing blocks the request', () => {
    expect(verdict({ minuteCount: 59, dayCount: 999 })).toBe('usable')
  })

  it('is invalid for a revoked key, even if it is also banned and exhausted', () => {
    expect(verdict({ state: 'revoked', bannedUntil: second + 60, dayCount: 1_000 })).toBe('invalid')
  })

  it('is invalid from the millisecond at which the key expires', () => {
    const expiring = apiKeyRecord({ ...windowsOfNow, expiresAt: second + 1 })
    expect(judge(expiring, (second + 1) * 1_000)).toBe('invalid')
    expect(judge(expiring, (second + 1) * 1_000 - 1)).toBe('usable')
  })

  it('is banned until the end of the ban, also where windows have expired or are used up', () => {
    expect(verdict({ bannedUntil: second + 60, minuteWindow: 0, dayWindow: 0 })).toBe('banned')
    expect(verdict({ bannedUntil: second + 60, dayCount: 1_000 })).toBe('banned')
    expect(verdict({ bannedUntil: second })).toBe('usable')
    expect(judge(apiKeyRecord({ ...windowsOfNow, bannedUntil: second + 1 }), (second + 1) * 1_000)).toBe('usable')
  })

  it.each([
    ['the minute', { minuteCount: 60, dayCount: 60 }],
    ['the day', { minuteCount: 5, dayCount: 1_000 }],
    ['the day, though the minute has expired', { minuteWindow: minuteWindow - 1, dayCount: 1_000 }],
    ['the minute, though the day has expired', { dayWindow: dayWindow - 1, minuteCount: 60 }],
    ['a minute ahead of this clock', { minuteWindow: minuteWindow + 1, minuteCount: 60 }],
    ['a day ahead of this clock', { dayWindow: dayWindow + 1, dayCount: 1_000 }],
  ])('is exhausted where a current window is used up: %s', (_which, change) => {
    expect(verdict(change)).toBe('exhausted')
  })

  it.each([
    ['the minute', { minuteWindow: minuteWindow - 1, minuteCount: 60 }, { minute: true, day: false }],
    ['the day', { dayWindow: dayWindow - 1, dayCount: 1_000 }, { minute: false, day: true }],
    [
      'both',
      { minuteWindow: minuteWindow - 1, dayWindow: dayWindow - 1, dayCount: 1_000 },
      { minute: true, day: true },
    ],
  ])('is that a window has expired: %s', (_which, change, expired) => {
    expect(verdict(change)).toBe('windowExpired')
    expect(expiredWindows(apiKeyRecord({ ...windowsOfNow, ...change }), now)).toEqual(expired)
  })

  it('treats a window ahead of this clock as the current one', () => {
    expect(verdict({ minuteWindow: minuteWindow + 1, dayWindow: dayWindow + 1 })).toBe('usable')
  })
})
