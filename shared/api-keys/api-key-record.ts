import type { Attributes } from '../dynamodb/conditional-write.ts'
import { generateRandomText } from './api-key.ts'
import { type Plan, planNames } from './plans.ts'

/** The key of the API keys table, for the stack that creates it. */
export const apiKeysTableSchema = { partitionKey: 'keyHash' } as const

declare const keyId: unique symbol
/** Names a key for operators, logs and metrics. The id reveals nothing about the key itself. */
export type KeyId = string & { readonly [keyId]: true }

declare const idempotencyScope: unique symbol
/**
 * The scope in which an Idempotency-Key names one request. The scope of a key and all its successors is the id of the
 * first of these keys.
 */
export type IdempotencyScope = string & { readonly [idempotencyScope]: true }

export const scopes = ['read', 'read-write'] as const

/** The operations that a key may call: `read` allows list and get, `read-write` also create. */
export type Scope = (typeof scopes)[number]

declare const gatewayKeyValue: unique symbol
/** The value of an API Gateway key. No value is used twice: once no record names a value, no record names it again. */
export type GatewayKeyValue = string & { readonly [gatewayKeyValue]: true }

/**
 * Creates a value for an API Gateway key: 20 to 128 letters and digits. The value is random, so no value is created
 * twice. It is no secret.
 */
export const createGatewayKeyValue = (): GatewayKeyValue => generateRandomText(24) as GatewayKeyValue

const isText = <Text extends string>(value: unknown): value is Text => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'
const isOneOf =
  <const Value>(values: readonly Value[]) =>
  (value: unknown): value is Value =>
    values.some((one) => one === value)

/**
 * The required attributes of a record. Each check defines the type of its attribute. Branded types such as KeyId are
 * checked as text only, because only this service writes them.
 */
const requiredAttributes = {
  keyId: isText<KeyId>,
  idempotencyScope: isText<IdempotencyScope>,
  owner: isText,
  plan: isOneOf<Plan>(planNames),
  scope: isOneOf(scopes),
  state: isOneOf(['active', 'revoked']),
  createdAt: isNumber,
  /** The value of the key's API Gateway key, in the usage plan of `plan`. A change of the plan names a new value. */
  gatewayKey: isText<GatewayKeyValue>,
  minuteLimit: isNumber,
  dayLimit: isNumber,
  /** The minute since the Unix epoch that `minuteCount` counts. */
  minuteWindow: isNumber,
  minuteCount: isNumber,
  /** The UTC day since the Unix epoch that `dayCount` counts. */
  dayWindow: isNumber,
  dayCount: isNumber,
  /** Requests refused since the last request that opened a new window. */
  refusalCount: isNumber,
  /** The number of bans of the key on this UTC day. */
  banCount: isNumber,
  /** The end of the latest ban; 0 without a ban. */
  bannedUntil: isNumber,
}

const optionalAttributes = {
  /** The way to reach the owner, such as an e-mail address. */
  contact: isText,
  /** The end of the key by contract; missing if it has none. The successors of the key have the same end. */
  expiresAt: isNumber,
  /** The key that this key replaces. */
  predecessor: isText<KeyId>,
  /** The key that replaces this key; the last one, if it was replaced more than once. */
  successor: isText<KeyId>,
  /** The end of the key because it was replaced; missing if it was not. */
  overlapEndsAt: isNumber,
  /** The time from which requests are metered on `gatewayKey`; missing until `functions/gateway-keys` created it. */
  meteredFrom: isNumber,
}

const checks = Object.entries({ ...requiredAttributes, ...optionalAttributes })

type CheckedType<Check> = Check extends (value: unknown) => value is infer Value ? Value : never

/** An item of the API keys table: the owner of a key, its limits and its counts. Times are Unix seconds. */
export type ApiKeyRecord = {
  readonly [Name in keyof typeof requiredAttributes]: CheckedType<(typeof requiredAttributes)[Name]>
} & {
  readonly [Name in keyof typeof optionalAttributes]?: CheckedType<(typeof optionalAttributes)[Name]> | undefined
}

/** Finds when a key ends, by contract or because it was replaced (Unix seconds); infinity if the key never ends. */
export const findKeyEnd = ({
  expiresAt = Number.POSITIVE_INFINITY,
  overlapEndsAt = Number.POSITIVE_INFINITY,
}: Pick<ApiKeyRecord, 'expiresAt' | 'overlapEndsAt'>): number => Math.min(expiresAt, overlapEndsAt)

/** Whether a key is active and has not ended at a time (Unix seconds). A ban is not considered. */
export const isUsable = (record: Pick<ApiKeyRecord, 'state' | 'expiresAt' | 'overlapEndsAt'>, now: number): boolean =>
  record.state === 'active' && findKeyEnd(record) > now

/**
 * Checks the attributes of an item and drops all others.
 *
 * @throws Error that names a missing or malformed attribute
 */
export const parseApiKeyRecord = (item: Attributes): ApiKeyRecord => {
  const attributes = checks.map(([name, isValid]) => {
    const isOmitted = name in optionalAttributes && item[name] === undefined
    if (!isOmitted && !isValid(item[name])) throw new Error(`An item of the API keys table has no valid ${name}.`)
    return [name, item[name]]
  })
  // The loop has checked every attribute of a record.
  return Object.fromEntries(attributes) as ApiKeyRecord
}
