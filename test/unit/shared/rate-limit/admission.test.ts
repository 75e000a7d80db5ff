import { describe, expect, it } from 'vitest'
import type { ApiKeyRecord } from '../../../../shared/api-keys/api-key-record.ts'
import { judge } from '../../../../shared/rate-limit/admission.ts'
import { apiKeyRecord } from '../api-keys/records.ts'
import { now, windowsOfNow } from './moments.ts'

const { minuteWindow, dayWindow } = windowsOfNow
const second = Math.ceil(now / 1_000)

describe('the verdict on a record', () => {
  it.each<[verdict: string, why: string, change: Partial<ApiKeyRecord>]>([
    ['usable', 'one request is left in both windows', { minuteCount: 59, dayCount: 999 }],
    ['usable', 'windows are ahead of this clock', { minuteWindow: minuteWindow + 1, dayWindow: dayWindow + 1 }],
    ['invalid', 'it is revoked, banned and used up', { state: 'revoked', bannedUntil: second + 60, dayCount: 1_000 }],
    ['banned', 'the windows have expired', { bannedUntil: second + 60, minuteWindow: 0, dayWindow: 0 }],
    ['banned', 'the day is used up', { bannedUntil: second + 60, dayCount: 1_000 }],
    ['exhausted', 'the minute is used up', { minuteCount: 60, dayCount: 60 }],
    ['exhausted', 'the day is used up', { minuteCount: 5, dayCount: 1_000 }],
    ['exhausted', 'the day is, though the minute has expired', { minuteWindow: minuteWindow - 1, dayCount: 1_000 }],
    ['exhausted', 'a minute ahead of this clock is', { minuteWindow: minuteWindow + 1, minuteCount: 60 }],
    ['exhausted', 'a day ahead of this clock is', { dayWindow: dayWindow + 1, dayCount: 1_000 }],
    ['windowExpired', 'the minute has ended', { minuteWindow: minuteWindow - 1, minuteCount: 60 }],
    [
      'windowExpired',
      'both have ended',
      { minuteWindow: minuteWindow - 1, minuteCount: 60, dayWindow: dayWindow - 1, dayCount: 1_000 },
    ],
  ])('is %s where %s', (verdict, _why, change) => {
    expect(judge(apiKeyRecord({ ...windowsOfNow, ...change }), now)).toBe(verdict)
  })

  it.each<[verdict: string, end: keyof ApiKeyRecord, next: string]>([
    ['usable', 'expiresAt', 'invalid'],
    ['usable', 'overlapEndsAt', 'invalid'],
    ['banned', 'bannedUntil', 'usable'],
  ])('is %s to the last millisecond before %s, and then %s', (verdict, end, next) => {
    const record = apiKeyRecord({ ...windowsOfNow, [end]: second })
    expect([judge(record, second * 1_000 - 1), judge(record, second * 1_000)]).toEqual([verdict, next])
  })
})
