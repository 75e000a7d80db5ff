import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import { bindingWindowOf, blockedUntil, type QuotaStatus, quotaStatusOf, type WindowStatus } from './quota-status.ts'

/** What the limiter decides about a request. Only `admitted` counts against the limits. */
export type Admission =
  /** No key has this hash, or the key is revoked or expired. */
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

export const snapshotOf = (
  record: ApiKeyRecord,
  now: number,
  status: QuotaStatus = quotaStatusOf(record, now),
): LimitSnapshot => ({ record, status, bindingWindow: bindingWindowOf(status), now })

/** The snapshot of a key that lets nothing through before `moment` (Unix seconds), whatever its windows have left. */
export const blockedSnapshot = (record: ApiKeyRecord, moment: number, now: number): LimitSnapshot =>
  snapshotOf(record, now, blockedUntil(moment, quotaStatusOf(record, now)))
