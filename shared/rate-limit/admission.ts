import { type ApiKeyRecord, isUsable } from '../api-keys/api-key-record.ts'
import {
  blockBothWindows,
  chooseBindingWindow,
  computeQuotaStatus,
  findExpiredWindows,
  type QuotaStatus,
  type WindowStatus,
} from './windows.ts'

/** What the limiter decides about a request. Only `admitted` counts against the limits. */
export type Admission =
  /** No key has this hash, or the key is revoked or has ended. */
  | { readonly kind: 'invalid' }
  /** `throttled`: DynamoDB takes no more writes to the key's item at the moment. */
  | ({ readonly kind: 'admitted' | 'exhausted' | 'banned' | 'throttled' } & LimitSnapshot)

/** The limits of a key at the time of a decision. */
export interface LimitSnapshot {
  readonly record: ApiKeyRecord
  readonly status: QuotaStatus
  /** The window that `X-RateLimit-*` shows. */
  readonly bindingWindow: WindowStatus
  /** When the request was decided, in milliseconds. */
  readonly now: number
}

export const takeLimitSnapshot = (
  record: ApiKeyRecord,
  now: number,
  status: QuotaStatus = computeQuotaStatus(record, now),
): LimitSnapshot => ({ record, status, bindingWindow: chooseBindingWindow(status), now })

/** The refusal of a key that is blocked until a moment (Unix seconds), whatever its windows have left. */
export const blockUntil = (
  kind: 'banned' | 'throttled',
  record: ApiKeyRecord,
  moment: number,
  now: number,
): Admission => ({
  kind,
  ...takeLimitSnapshot(record, now, blockBothWindows(moment, computeQuotaStatus(record, now))),
})

/**
 * What a key's record says of a request. `windowExpired`: the request is the first of a new minute. `usable`: nothing
 * blocks the request.
 */
export type Verdict = 'invalid' | 'banned' | 'exhausted' | 'windowExpired' | 'usable'

/** Judges a record at a time (milliseconds). What the caller must fix first comes first. */
export const judgeRecord = (record: ApiKeyRecord, now: number): Verdict => {
  if (!isUsable(record, now / 1_000)) return 'invalid'
  if (record.bannedUntil * 1_000 > now) return 'banned'
  const { minute, day } = findExpiredWindows(record, now)
  if (!day && record.dayCount >= record.dayLimit) return 'exhausted'
  if (!minute && record.minuteCount >= record.minuteLimit) return 'exhausted'
  return minute ? 'windowExpired' : 'usable'
}
