import type { Attributes } from '../dynamodb/conditional-write.ts'
import { randomText } from './api-key.ts'
import { isPlan, type Plan } from './plans.ts'

declare const keyId: unique symbol
/** Names a key for operators, logs and metrics. It reveals nothing about the key itself. */
export type KeyId = string & { readonly [keyId]: true }

declare const idempotencyScope: unique symbol
/** The scope in which an Idempotency-Key names one request. A key and its successors share it: the id of the first key. */
export type IdempotencyScope = string & { readonly [idempotencyScope]: true }

/** The scope of a key that succeeds no other, and of its successors. */
export const scopeOf = (first: KeyId): IdempotencyScope => first as string as IdempotencyScope

export const scopes = ['read', 'read-write'] as const

/** What a key may do: `read` may list and get, and not create. */
export type Scope = (typeof scopes)[number]

declare const gatewayKeyValue: unique symbol
/** The value of an API Gateway key. No value is ever used again, so one that no record asks for has no use any more. */
export type GatewayKeyValue = string & { readonly [gatewayKeyValue]: true }

// A brand: API Gateway takes 20 to 128 letters and digits, each value once. It is no secret.
export const newGatewayKeyValue = (): GatewayKeyValue => randomText(24) as GatewayKeyValue

/** An item of the API keys table: the owner of the key, its limits and its counts. Times are Unix seconds. */
export interface ApiKeyRecord {
  readonly keyId: KeyId
  readonly idempotencyScope: IdempotencyScope
  readonly owner: string
  /** How to reach the owner. */
  readonly contact: string | undefined
  readonly plan: Plan
  readonly scope: Scope
  readonly state: 'active' | 'revoked'
  readonly createdAt: number
  /** When the key ends by contract; `undefined` for one that does not. Its successors have the same. */
  readonly expiresAt: number | undefined
  /** The key that this one was made to replace. */
  readonly predecessor: KeyId | undefined
  /** The last key that was made to replace this one. */
  readonly successor: KeyId | undefined
  /** When the key ends because it was replaced; `undefined` for one that was not. */
  readonly overlapEndsAt: number | undefined
  /** The API Gateway key that it is to have, in the usage plan of its plan. Another plan asks for another one. */
  readonly gatewayKey: GatewayKeyValue | undefined
  /** From when on requests are metered on that; `undefined` until `functions/gateway-keys` has put it in the usage plan. */
  readonly meteredFrom: number | undefined
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
export const newApiKeyRecord = (
  key: Pick<ApiKeyRecord, 'keyId' | 'idempotencyScope' | 'owner' | 'plan' | 'createdAt' | 'minuteLimit' | 'dayLimit'> &
    Partial<ApiKeyRecord>,
): ApiKeyRecord => ({
  contact: undefined,
  scope: 'read-write',
  state: 'active',
  expiresAt: undefined,
  predecessor: undefined,
  successor: undefined,
  overlapEndsAt: undefined,
  gatewayKey: undefined,
  meteredFrom: undefined,
  minuteWindow: 0,
  minuteCount: 0,
  dayWindow: 0,
  dayCount: 0,
  refusalCount: 0,
  banCount: 0,
  bannedUntil: 0,
  ...key,
})

/** When a key ends, by contract or because it was replaced; infinity for one that does not. */
export const endOf = ({
  expiresAt = Number.POSITIVE_INFINITY,
  overlapEndsAt = Number.POSITIVE_INFINITY,
}: Pick<ApiKeyRecord, 'expiresAt' | 'overlapEndsAt'>): number => Math.min(expiresAt, overlapEndsAt)

/** Whether a key may be used at a time (Unix seconds), if it is not banned. */
export const isUsable = (record: Pick<ApiKeyRecord, 'state' | 'expiresAt' | 'overlapEndsAt'>, now: number): boolean =>
  record.state === 'active' && endOf(record) > now

/** @throws Error that names the attribute, when the item is not one that this service wrote. */
export const parseApiKeyRecord = (item: Attributes): ApiKeyRecord => {
  const { plan, state } = item
  const scope = scopes.find((one) => one === item['scope'])
  if (typeof plan !== 'string' || !isPlan(plan)) throw malformed('plan')
  if (state !== 'active' && state !== 'revoked') throw malformed('state')
  if (scope === undefined) throw malformed('scope')
  return {
    // Only ids, scopes and values are stored in the attributes of these types.
    keyId: text(item, 'keyId') as KeyId,
    idempotencyScope: text(item, 'idempotencyScope') as IdempotencyScope,
    owner: text(item, 'owner'),
    contact: optional(text, item, 'contact'),
    plan,
    scope,
    state,
    createdAt: count(item, 'createdAt'),
    expiresAt: optional(count, item, 'expiresAt'),
    predecessor: optional(text, item, 'predecessor') as KeyId | undefined,
    successor: optional(text, item, 'successor') as KeyId | undefined,
    overlapEndsAt: optional(count, item, 'overlapEndsAt'),
    gatewayKey: optional(text, item, 'gatewayKey') as GatewayKeyValue | undefined,
    meteredFrom: optional(count, item, 'meteredFrom'),
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

const optional = <Value>(
  read: (item: Attributes, name: string) => Value,
  item: Attributes,
  name: string,
): Value | undefined => (item[name] === undefined ? undefined : read(item, name))

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
