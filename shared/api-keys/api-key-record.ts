import type { Attributes } from '../dynamodb/conditional-write.ts'
import { generateRandomText } from './api-key.ts'
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
export const createGatewayKeyValue = (): GatewayKeyValue => generateRandomText(24) as GatewayKeyValue

const isText = <Text extends string>(value: unknown): value is Text => typeof value === 'string'
const isCount = (value: unknown): value is number => typeof value === 'number'
const isOneOf =
  <const Value>(values: readonly Value[]) =>
  (value: unknown): value is Value =>
    values.some((one) => one === value)

/** How each attribute of a record is read, and so its type. Only ids, scopes and values are stored in those of such types. */
const required = {
  keyId: isText<KeyId>,
  idempotencyScope: isText<IdempotencyScope>,
  owner: isText,
  plan: isOneOf<Plan>(planNames),
  scope: isOneOf(scopes),
  state: isOneOf(['active', 'revoked']),
  createdAt: isCount,
  /** The API Gateway key that it is to have, in the usage plan of its plan. Another plan asks for another one. */
  gatewayKey: isText<GatewayKeyValue>,
  minuteLimit: isCount,
  dayLimit: isCount,
  /** The minute since the Unix epoch that `minuteCount` counts. */
  minuteWindow: isCount,
  minuteCount: isCount,
  /** The UTC day since the Unix epoch that `dayCount` counts. */
  dayWindow: isCount,
  dayCount: isCount,
  /** Requests refused since the last one that opened a new window. */
  refusalCount: isCount,
  /** How many times the key was banned on this UTC day. */
  banCount: isCount,
  /** 0 when the key was never banned. */
  bannedUntil: isCount,
}

const optional = {
  /** How to reach the owner. */
  contact: isText,
  /** When the key ends by contract; missing where it does not. Its successors have the same. */
  expiresAt: isCount,
  /** The key that this one was made to replace. */
  predecessor: isText<KeyId>,
  /** The last key that was made to replace this one. */
  successor: isText<KeyId>,
  /** When the key ends because it was replaced; missing where it was not. */
  overlapEndsAt: isCount,
  /** From when on requests are metered on its API Gateway key; missing until `functions/gateway-keys` has made that. */
  meteredFrom: isCount,
}

const attributes = Object.entries({ ...required, ...optional })

type Read<Check> = Check extends (value: unknown) => value is infer Value ? Value : never

/** An item of the API keys table: the owner of the key, its limits and its counts. Times are Unix seconds. */
export type ApiKeyRecord = { readonly [Name in keyof typeof required]: Read<(typeof required)[Name]> } & {
  readonly [Name in keyof typeof optional]?: Read<(typeof optional)[Name]> | undefined
}

/** When a key ends, by contract or because it was replaced; infinity for one that does not. */
export const findKeyEnd = ({
  expiresAt = Number.POSITIVE_INFINITY,
  overlapEndsAt = Number.POSITIVE_INFINITY,
}: Pick<ApiKeyRecord, 'expiresAt' | 'overlapEndsAt'>): number => Math.min(expiresAt, overlapEndsAt)

/** Whether a key may be used at a time (Unix seconds), if it is not banned. */
export const isUsable = (record: Pick<ApiKeyRecord, 'state' | 'expiresAt' | 'overlapEndsAt'>, now: number): boolean =>
  record.state === 'active' && findKeyEnd(record) > now

/** @throws Error that names the attribute, when the item is not one that this service wrote. */
export const parseApiKeyRecord = (item: Attributes): ApiKeyRecord => {
  const read = attributes.map(([name, isValid]) => {
    const isMissing = name in optional && item[name] === undefined
    if (!isMissing && !isValid(item[name])) throw new Error(`An item of the API keys table has no valid ${name}.`)
    return [name, item[name]]
  })
  // These are all attributes of a record, each of its type.
  return Object.fromEntries(read) as ApiKeyRecord
}
