import { type ApiKeyPrefix, formatApiKey, randomLength, randomText } from '../../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  type KeyId,
  newApiKeyRecord,
  newGatewayKeyValue,
  type Scope,
  scopeOf,
} from '../../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'

/** A key that was just made: the only time that the key itself is seen. */
export interface IssuedKey {
  readonly apiKey: string
  readonly record: ApiKeyRecord
}

export interface KeyOrder {
  readonly owner: string
  readonly contact?: string | undefined
  readonly plan: Plan
  readonly allowance: Allowance
  readonly scope?: Scope
  /** Unix seconds. */
  readonly expiresAt?: number | undefined
}

/** What a successor has of the key that it replaces. */
type Succession = Pick<ApiKeyRecord, 'predecessor' | 'idempotencyScope'>

/** @param now in milliseconds */
export const newKey = (prefix: ApiKeyPrefix, now: number, order: KeyOrder, succession?: Succession): IssuedKey => {
  const { owner, contact, plan, allowance, scope, expiresAt } = order
  // Ids sort by the time at which they were issued. They are no secret.
  const keyId = `key_${now.toString(36).padStart(9, '0')}${randomText(8).toLowerCase()}` as KeyId
  const record = newApiKeyRecord({
    ...{ keyId, idempotencyScope: scopeOf(keyId), owner, contact, plan, expiresAt },
    ...(scope !== undefined && { scope }),
    createdAt: Math.floor(now / 1_000),
    minuteLimit: allowance.perMinute,
    dayLimit: allowance.perDay,
    gatewayKey: newGatewayKeyValue(),
    ...succession,
  })
  return { apiKey: formatApiKey(prefix, randomText(randomLength)), record }
}
