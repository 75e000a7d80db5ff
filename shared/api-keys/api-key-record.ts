import type { Attributes } from '../dynamodb/conditional-write.ts'
import { randomText } from './api-key.ts'
import { type Plan, planNames } from './plans.ts'

/** The key of the API keys table, for the stack that creates it. */
export const apiKeysTableSchema = { partitionKey: 'keyHash' } as const

declare const keyId: unique symbol
/** Names a key for operators, logs and metrics. It reveals nothing about the key itself. */
export type KeyId = string & { readonly [keyId]: true }

declare const idempotencyScope: unique symbol
/** The scope in which an Idempotency-Key names one request. A key and its successors share it: the id of the first key. */
export type IdempotencyScope = string & { readonly [idempotencyScope]: true }

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
  readonly contact?: string | undefined
  readonly plan: Plan
  readonly scope: Scope
  readonly state: 'active' | 'revoked'
  readonly createdAt: number
  /** When the key ends by contract; `undefined` for one that does not. Its successors have the same. */
  readonly expiresAt?: number | undefined
  /** The key that this one was made to replace. */
  readonly predecessor?: KeyId | undefined
  /** The last key that was made to replace this one. */
  readonly successor?: KeyId | undefined
  /** When the key ends because it was replaced; `undefined` for one that was not. */
  readonly overlapEndsAt?: number | undefined
  /** The API Gateway key that it is to have, in the usage plan of its plan. Another plan asks for another one. */
  readonly gatewayKey: GatewayKeyValue
  /** From when on requests are metered on that; `undefined` until `functions/gateway-keys` has put it in the usage plan. */
  readonly meteredFrom?: number | undefined
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

/** When a key ends, by contract or because it was replaced; infinity for one that does not. */
export const endOf = ({
  expiresAt = Number.POSITIVE_INFINITY,
  overlapEndsAt = Number.POSITIVE_INFINITY,
}: Pick<ApiKeyRecord, 'expiresAt' | 'overlapEndsAt'>): number => Math.min(expiresAt, overlapEndsAt)

/** Whether a key may be used at a time (Unix seconds), if it is not banned. */
export const isUsable = (record: Pick<ApiKeyRecord, 'state' | 'expiresAt' | 'overlapEndsAt'>, now: number): boolean =>
  record.state === 'active' && endOf(record) > now

const isText = <Text extends string>(value: unknown): value is Text => typeof value === 'string'
const isCount = (value: unknown): value is number => typeof value === 'number'
const isOneOf =
  <const Value>(values: readonly Value[]) =>
  (value: unknown): value is Value =>
    values.some((one) => one === value)
const isOptional =
  <Value>(isValid: (value: unknown) => value is Value) =>
  (value: unknown): value is Value | undefined =>
    value === undefined || isValid(value)

/** Only ids, scopes and values are stored in the attributes of those types. */
const attributes: { readonly [Name in keyof ApiKeyRecord]-?: (value: unknown) => value is ApiKeyRecord[Name] } = {
  keyId: isText,
  idempotencyScope: isText,
  owner: isText,
  contact: isOptional(isText),
  plan: isOneOf(planNames),
  scope: isOneOf(scopes),
  state: isOneOf(['active', 'revoked']),
  createdAt: isCount,
  expiresAt: isOptional(isCount),
  predecessor: isOptional(isText<KeyId>),
  successor: isOptional(isText<KeyId>),
  overlapEndsAt: isOptional(isCount),
  gatewayKey: isText,
  meteredFrom: isOptional(isCount),
  minuteLimit: isCount,
  dayLimit: isCount,
  minuteWindow: isCount,
  minuteCount: isCount,
  dayWindow: isCount,
  dayCount: isCount,
  refusalCount: isCount,
  banCount: isCount,
  bannedUntil: isCount,
}

/** @throws Error that names the attribute, when the item is not one that this service wrote. */
export const parseApiKeyRecord = (item: Attributes): ApiKeyRecord => {
  const read = Object.entries(attributes).map(([name, isValid]) => {
    if (!isValid(item[name])) throw new Error(`An item of the API keys table has no valid ${name}.`)
    return [name, item[name]]
  })
  // These are all attributes of a record, each of its type.
  return Object.fromEntries(read) as ApiKeyRecord
}
