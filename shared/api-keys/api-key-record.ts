import type { Attributes } from '../dynamodb/conditional-write.ts'
import { isPlan, type Plan } from './plans.ts'

declare const keyId: unique symbol
/** Names a key for operators, logs and metrics. It reveals nothing about the key itself. */
export type KeyId = string & { readonly [keyId]: true }

declare const idempotencyScope: unique symbol
/** The scope in which an Idempotency-Key names one request. A key and its successors share it: the id of the first key. */
export type IdempotencyScope = string & { readonly [idempotencyScope]: true }

/** The scope of a key that succeeds no other, and of its successors. */
export const scopeOf = (first: KeyId): IdempotencyScope => first as string as IdempotencyScope

/** An item of the API keys table: the owner of the key, its limits and its counts. Times are Unix seconds. */
export interface ApiKeyRecord {
  readonly keyId: KeyId
  readonly idempotencyScope: IdempotencyScope
  readonly owner: string
  readonly plan: Plan
  readonly state: 'active' | 'revoked'
  readonly createdAt: number
  /** When a rotated key stops working; `undefined` for one that does not. */
  readonly expiresAt: number | undefined
  readonly minuteLimit: number
  readonly dayLimit: number
  /** The minute since the Unix epoch that `minuteCount` counts. */
  readonly minuteWindow: number
  readonly minuteCount: number
  /** The UTC day since the Unix epoch that `dayCount` counts. */
  readonly dayWindow: number
  readonly dayCount: number
  /** Requests refused since the last one that opened a new window. */
  readonly refusalCount: number
  /** How many times the key was banned on this UTC day. */
  readonly banCount: number
  /** 0 when the key was never banned. */
  readonly bannedUntil: number
}

/**
 * The first item of a key: active, with expired windows, so that the first request opens new ones.
 */
export const newApiKeyRecord = (key: {
  readonly keyId: KeyId
  readonly idempotencyScope: IdempotencyScope
  readonly owner: string
  readonly plan: Plan
  readonly createdAt: number
  readonly minuteLimit: number
  readonly dayLimit: number
}): ApiKeyRecord => ({
  ...key,
  state: 'active',
  expiresAt: undefined,
  minuteWindow: 0,
  minuteCount: 0,
  dayWindow: 0,
  dayCount: 0,
  refusalCount: 0,
  banCount: 0,
  bannedUntil: 0,
})

/** @throws Error that names the attribute, when the item is not one that this service wrote. */
export const parseApiKeyRecord = (item: Attributes): ApiKeyRecord => {
  const { plan, state } = item
  if (typeof plan !== 'string' || !isPlan(plan)) throw malformed('plan')
  if (state !== 'active' && state !== 'revoked') throw malformed('state')
  // Only ids are stored in this attribute.
  const keyId = text(item, 'keyId') as KeyId
  return {
    keyId,
    idempotencyScope:
      item['idempotencyScope'] === undefined ? scopeOf(keyId) : (text(item, 'idempotencyScope') as IdempotencyScope),
    owner: text(item, 'owner'),
    plan,
    state,
    createdAt: count(item, 'createdAt'),
    expiresAt: item['expiresAt'] === undefined ? undefined : count(item, 'expiresAt'),
    minuteLimit: count(item, 'minuteLimit'),
    dayLimit: count(item, 'dayLimit'),
    minuteWindow: count(item, 'minuteWindow'),
    minuteCount: count(item, 'minuteCount'),
    dayWindow: count(item, 'dayWindow'),
    dayCount: count(item, 'dayCount'),
    refusalCount: count(item, 'refusalCount'),
    banCount: count(item, 'banCount'),
    bannedUntil: count(item, 'bannedUntil'),
  }
}

const text = (item: Attributes, name: string): string => {
  const value = item[name]
  if (typeof value !== 'string') throw malformed(name)
  return value
}

const count = (item: Attributes, name: string): number => {
  const value = item[name]
  if (typeof value !== 'number') throw malformed(name)
  return value
}

const malformed = (name: string): Error => new Error(`An item of the API keys table has no valid ${name}.`)
