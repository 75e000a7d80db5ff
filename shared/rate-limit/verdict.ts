import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import { windowAt } from './windows.ts'

/**
 * Why a key's record did not count a request, and so what to do next. `windowExpired`: the request is the first of a
 * new window. `retry`: nothing blocks the request any more, because another one has just changed the record.
 */
export type Verdict = 'invalid' | 'banned' | 'exhausted' | 'windowExpired' | 'retry'

/** Judges a record at a time (milliseconds). What the caller must fix first comes first. */
export const judge = (record: ApiKeyRecord, now: number): Verdict => {
  if (record.state !== 'active' || (record.expiresAt !== undefined && record.expiresAt * 1_000 <= now)) return 'invalid'
  if (record.bannedUntil * 1_000 > now) return 'banned'
  const { minute, day } = expiredWindows(record, now)
  if (!day && record.dayCount >= record.dayLimit) return 'exhausted'
  if (!minute && record.minuteCount >= record.minuteLimit) return 'exhausted'
  return day || minute ? 'windowExpired' : 'retry'
}

/** Which of a record's windows have expired. A window ahead of this clock has not: another clock is a little ahead. */
export const expiredWindows = (record: ApiKeyRecord, now: number): Readonly<Record<'minute' | 'day', boolean>> => ({
  minute: record.minuteWindow < windowAt('minute', now),
  day: record.dayWindow < windowAt('day', now),
})
