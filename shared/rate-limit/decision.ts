import { isUsable } from '../api-keys/api-key-record.ts'
import type { CountedKey } from './counted-key.ts'
import {
  blockBothWindows,
  chooseBindingWindow,
  computeQuotaStatus,
  findExpiredWindows,
  type QuotaStatus,
  type WindowStatus,
} from './windows.ts'

/**
 * The limiter's decision about a request. Only an `admitted` request counts against the limits.
 *
 * - `invalid`: no key has this hash, or the key is revoked or has ended.
 * - `exhausted`: the key has no request remaining in a window.
 * - `banned`: the key is banned, because its requests continued after too many refusals.
 * - `throttled`: DynamoDB accepts no more writes to the key's item at the moment.
 */
export type Decision =
  | { readonly kind: 'invalid' }
  | ({ readonly kind: 'admitted' | 'exhausted' | 'banned' | 'throttled' } & LimitSnapshot)

/** A decision about the request of a key: every decision but `invalid`. */
export type DecisionOfKey = Exclude<Decision, { readonly kind: 'invalid' }>

/** The limits of a key at the time of a decision. */
export interface LimitSnapshot {
  readonly record: CountedKey
  readonly status: QuotaStatus
  /** The window that `X-RateLimit-*` shows. */
  readonly bindingWindow: WindowStatus
  /** The time of the decision, in milliseconds. */
  readonly now: number
}

export const takeLimitSnapshot = (
  record: CountedKey,
  now: number,
  status: QuotaStatus = computeQuotaStatus(record, now),
): LimitSnapshot => ({
  record,
  status,
  bindingWindow: chooseBindingWindow(status),
  now,
})

/** Creates the decision for a key that is blocked until a moment (Unix seconds), even if its windows have room. */
export const blockUntil = (kind: 'banned' | 'throttled', record: CountedKey, moment: number, now: number): Decision => {
  const status = blockBothWindows(moment, computeQuotaStatus(record, now))
  return { kind, ...takeLimitSnapshot(record, now, status) }
}

/**
 * The judgement of a key's record about a request.
 *
 * - `invalid`, `banned`, `exhausted`: the request is not admitted, as in `Decision`.
 * - `windowExpired`: the request is the first of a new minute, and perhaps of a new day.
 * - `windowOpen`: the request counts in the open minute and day.
 */
export type Verdict = 'invalid' | 'banned' | 'exhausted' | 'windowExpired' | 'windowOpen'

/**
 * Judges a record at a time (milliseconds). The first failed check is the verdict, in this order: validity of the key,
 * ban, limit of the day, limit of the minute.
 */
export const judgeRecord = (record: CountedKey, now: number): Verdict => {
  if (!isUsable(record, now / 1_000)) return 'invalid'
  if (record.bannedUntil * 1_000 > now) return 'banned'

  const expired = findExpiredWindows(record, now)
  if (!expired.day && record.dayCount >= record.dayLimit) return 'exhausted'
  if (!expired.minute && record.minuteCount >= record.minuteLimit) return 'exhausted'
  // When the day has expired, its minute has too.
  return expired.minute ? 'windowExpired' : 'windowOpen'
}
