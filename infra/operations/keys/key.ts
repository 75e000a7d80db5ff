import {
  type ApiKeyPrefix,
  formatApiKey,
  generateRandomText,
  hashApiKey,
  minimumRandomLength,
} from '../../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  createGatewayKeyValue,
  type IdempotencyScope,
  isUsable,
  type KeyId,
  type Scope,
} from '../../../shared/api-keys/api-key-record.ts'
import type { StoredKey } from '../../../shared/api-keys/key-table.ts'
import type { Allowance } from '../../../shared/api-keys/plans.ts'

/** The owner of the keys that `npm run smoke` issues, and revokes later. `npm run keys` issues none to this owner. */
export const smokeOwner = 'smoke test'

export const keyStates = ['active', 'expired', 'revoked'] as const

/** What operators call the state of a key at a time (milliseconds). */
export const findKeyState = (record: ApiKeyRecord, now: number): (typeof keyStates)[number] =>
  record.state === 'active' && !isUsable(record, now / 1_000) ? 'expired' : record.state

/** A key that was just made: the only time that the key itself is seen. */
export interface IssuedKey extends StoredKey {
  readonly apiKey: string
}

export interface KeyOrder extends Pick<ApiKeyRecord, 'owner' | 'contact' | 'plan' | 'expiresAt'> {
  readonly allowance: Allowance
  readonly scope?: Scope
}

/** @param now in milliseconds */
export const createKey = (prefix: ApiKeyPrefix, now: number, order: KeyOrder, replaced?: ApiKeyRecord): IssuedKey => {
  const { owner, plan, allowance, scope = 'read-write', expiresAt } = order
  // Ids sort by the time at which they were issued. They are no secret.
  const keyId = `key_${now.toString(36).padStart(9, '0')}${generateRandomText(8).toLowerCase()}` as KeyId
  const record: ApiKeyRecord = {
    ...{ keyId, owner, contact: order.contact || undefined, plan, scope, expiresAt, state: 'active' },
    createdAt: Math.floor(now / 1_000),
    // The scope of a key that succeeds no other, and of its successors, has the name of that key.
    idempotencyScope: replaced?.idempotencyScope ?? (keyId as string as IdempotencyScope),
    predecessor: replaced?.keyId,
    gatewayKey: createGatewayKeyValue(),
    ...{ minuteLimit: allowance.perMinute, dayLimit: allowance.perDay },
    // Windows that have passed, so that the first request opens new ones.
    ...{ minuteWindow: 0, minuteCount: 0, dayWindow: 0, dayCount: 0, refusalCount: 0, banCount: 0, bannedUntil: 0 },
  }
  const apiKey = formatApiKey(prefix, generateRandomText(minimumRandomLength))
  return { apiKey, keyHash: hashApiKey(apiKey), record }
}
