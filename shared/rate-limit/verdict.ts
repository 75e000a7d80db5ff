import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import { type WindowName, windowAt } from './windows.ts'

/** Why a key's record did not take a request the usual way, and so what is to be done. */
export type Verdict =
  | { readonly kind: 'invalid' }
  | { readonly kind: 'banned'; readonly until: number }
  | { readonly kind: 'exhausted' }
  /** A window has passed: the request is the first of a new one. */
  | { readonly kind: 'passed'; readonly windows: readonly WindowName[] }
  /** Nothing stands in the way any more: another request has just changed the record. */
  | { readonly kind: 'open' }

/** Judges a record at a time (milliseconds). The order is that of what a caller must mend first. */
export const judge = (record: ApiKeyRecord, now: number): Verdict => {
  if (record.state !== 'active' || (record.expiresAt !== undefined && record.expiresAt * 1_000 <= now)) {
    return { kind: 'invalid' }
  }
  if (record.bannedUntil * 1_000 > now) return { kind: 'banned', until: record.bannedUntil }
  const dayPassed = record.dayWindow < windowAt('day', now)
  const minutePassed = record.minuteWindow < windowAt('minute', now)
  if (!dayPassed && record.dayCount >= record.dayLimit) return { kind: 'exhausted' }
  if (!minutePassed && record.minuteCount >= record.minuteLimit) return { kind: 'exhausted' }
  if (dayPassed && minutePassed) return { kind: 'passed', windows: ['minute', 'day'] }
  if (dayPassed) return { kind: 'passed', windows: ['day'] }
  if (minutePassed) return { kind: 'passed', windows: ['minute'] }
  return { kind: 'open' }
}
