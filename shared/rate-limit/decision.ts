import { isUsable } from '../api-keys/api-key-record.ts'
import type { CountedKey } from './counted-key.ts'
import {
  blockBothWindows,
  chooseBindingWindow,
  computeLimitStatus,
  findExpiredWindows,
  type LimitStatus,
  type WindowStatus,
} from './windows.ts'

/**
 * The limiter's decision about a request. Only an `admitted` request counts against the limits.
 *
 * - `invalid`: no key has this hash, or the key is revoked or has ended.
 * - `exhausted`: the key has no request remaining in a window.
 * - `banned`: the key is banned, because its requests continued after too many refusals.
 * - `uncounted`: the key is within its limits, and DynamoDB throttles the writes of its item. The request is refused,
 *   because no request is admitted uncounted.
 */
export type Decision = { readonly kind: 'invalid' } | DecisionOfKey

/** A decision about the request of a key: every decision but `invalid`. */
export interface DecisionOfKey {
  readonly kind: 'admitted' | 'exhausted' | 'banned' | 'uncounted'
  readonly record: CountedKey
  readonly status: LimitStatus
  /** The window that `X-RateLimit-*` shows. */
  readonly bindingWindow: WindowStatus
  /** The time of the decision, in Unix seconds. */
  readonly nowSeconds: number
}

/** Creates the decision about the request of a key, with the limits as its record has them. */
export const decideAs = (kind: DecisionOfKey['kind'], record: CountedKey, nowSeconds: number): DecisionOfKey => {
  const countedStatus = computeLimitStatus(record, nowSeconds)
  const status = kind === 'banned' ? blockBothWindows(countedStatus, record.bannedUntil) : countedStatus
  return { kind, record, status, bindingWindow: chooseBindingWindow(status), nowSeconds }
}

/**
 * The judgement of a key's record about a request.
 *
 * - `invalid`, `banned`, `exhausted`: the request is not admitted, as in `Decision`.
 * - `windowExpired`: the request is the first of a new minute, and perhaps of a new day.
 * - `countable`: the request counts in the minute and the day of the record.
 */
export type Verdict = 'invalid' | 'banned' | 'exhausted' | 'windowExpired' | 'countable'

/**
 * Judges a record. The first failed check is the verdict, in this order: validity of the key, ban, limit of the day,
 * limit of the minute.
 */
export const judgeRecord = (record: CountedKey, nowSeconds: number): Verdict => {
  if (!isUsable(record, nowSeconds)) return 'invalid'
  if (record.bannedUntil > nowSeconds) return 'banned'

  const expired = findExpiredWindows(record, nowSeconds)
  if (!expired.day && record.dayCount >= record.dayLimit) return 'exhausted'
  if (!expired.minute && record.minuteCount >= record.minuteLimit) return 'exhausted'
  // When the day has expired, its minute has too.
  return expired.minute ? 'windowExpired' : 'countable'
}
