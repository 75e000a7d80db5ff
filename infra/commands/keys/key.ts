/** API keys as operators see them. */
import {
  type ApiKeyPrefix,
  formatApiKey,
  generateRandomText,
  hashApiKey,
  type KeyHash,
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
import type { Limits } from '../../../shared/api-keys/plans.ts'
import { ConflictError } from '../../command-line/user-error.ts'

export const keyStates = ['active', 'expired', 'revoked'] as const

type KeyState = (typeof keyStates)[number]

/** The attributes of a key that tell whether it may be used. */
type UsabilityRecord = Pick<ApiKeyRecord, 'state' | 'expiresAt' | 'overlapEndsAt'>

/** Finds the state of a key for operators. The record itself does not say that a key has expired. */
export const findKeyState = (record: UsabilityRecord, nowSeconds: number): KeyState =>
  record.state === 'active' && !isUsable(record, nowSeconds) ? 'expired' : record.state

/** A key that was just issued. Only this object has the API key itself: the table keeps its hash. */
export interface IssuedKey {
  readonly keyHash: KeyHash
  readonly record: ApiKeyRecord
  readonly apiKey: string
}

/** Properties of a key to issue. */
export interface KeyOrder {
  readonly owner: string
  /** The way to reach the owner, such as an e-mail address. Empty text counts as no contact. */
  readonly contact?: string | undefined
  readonly plan: ApiKeyRecord['plan']
  readonly limits: Limits
  readonly scope: Scope
  /** Unix seconds at which the key ends; by default never. */
  readonly expiresAt?: number | undefined
}

/** Creates a key id. Ids sort by the time at which they were created. They are no secret. */
const createKeyId = (nowMilliseconds: number): KeyId => {
  const time = nowMilliseconds.toString(36).padStart(9, '0')
  // Only this function creates a KeyId, hence the cast.
  return `key_${time}${generateRandomText(8).toLowerCase()}` as KeyId
}

/**
 * Creates a key with its record, and stores nothing.
 *
 * @param replaced record of the key that the new one succeeds, if any
 */
export const createKey = (
  prefix: ApiKeyPrefix,
  nowMilliseconds: number,
  { owner, contact, plan, limits, scope, expiresAt }: KeyOrder,
  replaced?: Pick<ApiKeyRecord, 'keyId' | 'idempotencyScope'>,
): IssuedKey => {
  const keyId = createKeyId(nowMilliseconds)
  // The scope of a key without a predecessor is its own id, in another type. Its successors share the scope.
  const ownScope = keyId as string as IdempotencyScope
  const record: ApiKeyRecord = {
    keyId,
    owner,
    contact: contact || undefined,
    plan,
    scope,
    state: 'active',
    createdAt: Math.floor(nowMilliseconds / 1_000),
    expiresAt,
    idempotencyScope: replaced?.idempotencyScope ?? ownScope,
    predecessor: replaced?.keyId,
    gatewayKey: createGatewayKeyValue(),
    minuteLimit: limits.perMinute,
    dayLimit: limits.perDay,
    // Window 0 has passed, so the first request opens the current ones.
    minuteWindow: 0,
    minuteCount: 0,
    dayWindow: 0,
    dayCount: 0,
    refusalCount: 0,
    banCount: 0,
    bannedUntil: 0,
  }
  const apiKey = formatApiKey(prefix, generateRandomText(minimumRandomLength))
  return { apiKey, keyHash: hashApiKey(apiKey), record }
}

/** Explains that a key cannot be used any more, and what an operator can do. */
export const explainUnusable = (key: ApiKeyRecord, nowSeconds: number): ConflictError => {
  const state = findKeyState(key, nowSeconds)
  const renewal = state === 'expired' ? 'To renew it, "set" its --valid-until.' : 'Issue a new one.'
  const advice = key.successor === undefined ? renewal : `Its successor is ${key.successor}.`
  return new ConflictError(`The API key ${key.keyId} is ${state}. ${advice}`)
}
