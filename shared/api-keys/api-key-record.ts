import type { Attributes } from '../dynamodb/conditional-write.ts'
import { isPlan, type Plan } from './plans.ts'

declare const keyId: unique symbol
/** Names a key for operators, logs and metrics. It tells nothing about the key itself. */
export type KeyId = string & { readonly [keyId]: true }

/** How the requests of a key are counted on several items, each of which holds a share of both limits. */
export interface Sharding {
  /** How many items there are, the key's own among them. */
  readonly count: number
  /** The limits of the key as a whole. */
  readonly minuteLimit: number
  readonly dayLimit: number
}

/** An item of the API keys table: who the key belongs to, what it may do, and what it has done. Times are Unix seconds. */
export interface ApiKeyRecord {
  readonly keyId: KeyId
  readonly owner: string
  readonly plan: Plan
  readonly state: 'active' | 'revoked'
  readonly createdAt: number
  /** When a rotated key stops working; `undefined` for one that does not. */
  readonly expiresAt: number | undefined
  /** `undefined` where this item counts all requests of the key. */
  readonly sharding: Sharding | undefined
  /** What this item lets through in a minute: the limit of the key, or its share of it. */
  readonly minuteLimit: number
  readonly dayLimit: number
  /** The minute since the Unix epoch that `minuteCount` counts. */
  readonly minuteWindow: number
  readonly minuteCount: number
  /** The UTC day since the Unix epoch that `dayCount` counts. */
  readonly dayWindow: number
  readonly dayCount: number
  /** Requests refused since one was last let in as the first of a new window. */
  readonly refusalCount: number
  /** How many times the key was banned on this UTC day. */
  readonly banCount: number
  /** 0 when the key was never banned. */
  readonly bannedUntil: number
}

/**
 * The item with which a key begins: active, in windows long past, so that its first request rolls them over.
 */
export const newApiKeyRecord = (key: {
  readonly keyId: KeyId
  readonly owner: string
  readonly plan: Plan
  readonly createdAt: number
  readonly minuteLimit: number
  readonly dayLimit: number
}): ApiKeyRecord => ({
  ...key,
  state: 'active',
  expiresAt: undefined,
  sharding: undefined,
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
  return {
    // The table's own ids: what was stored as one is one.
    keyId: text(item, 'keyId') as KeyId,
    owner: text(item, 'owner'),
    plan,
    state,
    createdAt: count(item, 'createdAt'),
    expiresAt: item['expiresAt'] === undefined ? undefined : count(item, 'expiresAt'),
    sharding: item['sharding'] === undefined ? undefined : parseSharding(item['sharding']),
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

const parseSharding = (value: unknown): Sharding => {
  if (!isMap(value)) throw malformed('sharding')
  return {
    count: count(value, 'count'),
    minuteLimit: count(value, 'minuteLimit'),
    dayLimit: count(value, 'dayLimit'),
  }
}

const isMap = (value: unknown): value is Attributes =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

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
