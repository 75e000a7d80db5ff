import type { Attributes } from '../dynamodb/conditional-write.ts'
import {
  type AttributeReader,
  createItemReader,
  createNumberReader,
  createWordReader,
  type ItemReading,
  ifReadable,
  optional,
  type ReadValues,
  readTextAttribute,
} from '../dynamodb/item-reader.ts'
import { generateRandomText, type KeyHash } from './api-key.ts'
import { type Plan, planNames } from './plans.ts'

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

/** The last time that a `Date` can have, in Unix seconds. Reports write times as dates. */
const lastTime = 8_640_000_000_000

const readTime = createNumberReader(lastTime)
const readCount = createNumberReader(Number.MAX_SAFE_INTEGER)
const readLimit = createNumberReader(Number.MAX_SAFE_INTEGER, 1)

/** The required attributes of a record, each with the function that reads it. */
const requiredAttributes = {
  keyId: readTextAttribute<KeyId>,
  idempotencyScope: readTextAttribute<IdempotencyScope>,
  owner: readTextAttribute,
  plan: createWordReader<Plan>(planNames),
  scope: createWordReader(scopes),
  state: createWordReader(['active', 'revoked']),
  createdAt: readTime,
  /** The value of the key's API Gateway key, in the usage plan of `plan`. A change of the plan names a new value. */
  gatewayKey: readTextAttribute<GatewayKeyValue>,
  minuteLimit: readLimit,
  dayLimit: readLimit,
  /** The minute since the Unix epoch that `minuteCount` counts. */
  minuteWindow: createNumberReader(lastTime / 60),
  minuteCount: readCount,
  /** The UTC day since the Unix epoch that `dayCount` counts. */
  dayWindow: createNumberReader(lastTime / 86_400),
  dayCount: readCount,
  /** Requests refused since the last request that opened a new window. */
  refusalCount: readCount,
  /** The number of bans of the key on this UTC day. */
  banCount: readCount,
  /** The end of the latest ban; 0 without a ban. */
  bannedUntil: readTime,
}

const optionalAttributes = {
  /** The way to reach the owner, such as an e-mail address. */
  contact: optional(readTextAttribute),
  /** The end of the key by contract; missing if it has none. The successors of the key have the same end. */
  expiresAt: optional(readTime),
  /** The key that this key replaces. */
  predecessor: optional(readTextAttribute<KeyId>),
  /** The key that replaces this key; the last one, if it was replaced more than once. */
  successor: optional(readTextAttribute<KeyId>),
  /** The end of the key because it was replaced; missing if it was not. */
  overlapEndsAt: optional(readTime),
  /** The time of the latest counted refusal; missing if there was none. Refusals of a banned key are not counted. */
  refusedAt: optional(readTime),
  /** The time at which an operator revoked the key; missing if a key was revoked without the commands. */
  revokedAt: optional(readTime),
  /**
   * The time from which API Gateway counts requests on `gatewayKey` (`functions/authorizer/metering.ts`); missing while
   * API Gateway has no such key.
   */
  meteredFrom: optional(readTime),
}

const attributes = { ...requiredAttributes, ...optionalAttributes }

type AttributeName = keyof typeof attributes

// Object.keys returns the names in the order in which they are written above.
const attributeNames = Object.keys(attributes) as readonly AttributeName[]

/** A key: its owner, its limits and its counts. Times are Unix seconds. */
export type ApiKeyRecord = ReadValues<typeof requiredAttributes> & {
  // A new record and a change may have undefined in place of an attribute.
  readonly [Name in keyof typeof optionalAttributes]?: ReadValues<typeof optionalAttributes>[Name] | undefined
}

/** An item of the API keys table, as it is stored. Its attributes may be malformed. */
export type StoredKey = Attributes & { readonly keyHash: KeyHash }

/** Finds when a key ends, by contract or because it was replaced (Unix seconds); infinity if the key never ends. */
export const findKeyEnd = ({
  expiresAt = Number.POSITIVE_INFINITY,
  overlapEndsAt = Number.POSITIVE_INFINITY,
}: Pick<ApiKeyRecord, 'expiresAt' | 'overlapEndsAt'>): number => Math.min(expiresAt, overlapEndsAt)

/** Whether a key is active and has not ended. A ban is not considered. */
export const isUsable = (
  record: Pick<ApiKeyRecord, 'state' | 'expiresAt' | 'overlapEndsAt'>,
  nowSeconds: number,
): boolean => record.state === 'active' && findKeyEnd(record) > nowSeconds

/** Names a key for operators: by its id, or by its hash if it has no id. */
export const nameKey = (stored: StoredKey): string =>
  typeof stored['keyId'] === 'string' ? stored['keyId'] : stored.keyHash

/**
 * Creates a function that reads some attributes of a key, and ignores all others.
 *
 * @example const readLimits = createKeyReader({ needed: ['minuteLimit', 'dayLimit'], wanted: ['plan'] })
 */
export const createKeyReader = <const Needed extends AttributeName, const Wanted extends AttributeName = never>({
  needed,
  wanted = [],
}: {
  /** Attributes without which the key cannot be read. */
  readonly needed: readonly Needed[]
  /** Attributes that are left out if they are malformed. */
  readonly wanted?: readonly Wanted[]
}) => {
  const readers: Record<string, AttributeReader<unknown>> = {}
  for (const name of needed) readers[name] = attributes[name]
  for (const name of wanted) readers[name] = ifReadable<unknown>(attributes[name])

  const readItem = createItemReader(readers, (stored: StoredKey) => `API key ${nameKey(stored)}`)
  // The readers are those of the named attributes.
  return readItem as (
    stored: StoredKey,
  ) => ItemReading<Pick<ApiKeyRecord, Needed> & Partial<Pick<ApiKeyRecord, Wanted>>, StoredKey>
}

/** Reads a whole key, for operators. */
export const readApiKey = createKeyReader({ needed: attributeNames })
