/** Issuing API keys: new ones, and successors of keys that are replaced. */
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
import { describeError } from '../../command-line/run-command.ts'
import { exitCodes, UserError } from '../../command-line/user-error.ts'
import { changeKeyOrFail, type KeyContext, readNowSeconds, storeNewKey } from './change-key.ts'
import { explainUnusable, findKey, findKeyPrefix, requireReadable } from './find-key.ts'

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

export const issueKey = async (context: KeyContext, order: KeyOrder): Promise<IssuedKey> => {
  const issued = createKey(findKeyPrefix(context.environment.name), context.clock(), order)
  await storeNewKey(context, 'keys issue', issued.keyHash, issued.record)
  return issued
}

/** Creates a key id. Ids sort by the time at which they were created. An id is no secret. */
const createKeyId = (nowMilliseconds: number): KeyId => {
  // Nine digits in base 36 are enough until the year 5188.
  const time = nowMilliseconds.toString(36).padStart(9, '0')
  // Casts to KeyId stand here alone.
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
  // A key without a predecessor has its own id as its idempotency scope. Its successors share this scope.
  const ownScope = keyId as string as IdempotencyScope
  const record: ApiKeyRecord = {
    keyId,
    owner,
    // Empty text is no contact.
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

/** An issued successor, and the end of the key that it replaces. */
export interface Rotation extends IssuedKey {
  readonly replacedId: KeyId
  /** Unix seconds at which the replaced key ends. */
  readonly replacedEndsAt: number
  /** The successor that the replaced key had before. */
  readonly earlierSuccessor: KeyId | undefined
}

const defaultOverlapSeconds = 24 * 3_600

/**
 * Issues a successor with the same owner, contact, plan, limits, scope and `expiresAt`. The replaced key works until
 * its overlap ends. If it was replaced before, the end of its overlap stays.
 *
 * The successor is stored first: a rotation that is cut off then leaves a successor that nobody has seen, rather than a
 * key that ends without a successor.
 *
 * @param idOrKey the id of the key, or the API key itself
 * @param overlapSeconds time for which the replaced key still works, if it was not replaced before
 */
export const rotateKey = async (
  context: KeyContext,
  idOrKey: string,
  overlapSeconds: number = defaultOverlapSeconds,
): Promise<Rotation> => {
  const stored = await findKey(context.environment, idOrKey)
  const key = requireReadable(stored)
  const nowSeconds = readNowSeconds(context)
  if (!isUsable(key, nowSeconds)) throw explainUnusable(key, nowSeconds)

  const { owner, contact, plan, scope, expiresAt } = key
  const limits = { perMinute: key.minuteLimit, perDay: key.dayLimit }
  const order: KeyOrder = { owner, contact, plan, scope, expiresAt, limits }
  const issued = createKey(findKeyPrefix(context.environment.name), context.clock(), order, key)
  const overlapEndsAt = key.overlapEndsAt ?? nowSeconds + overlapSeconds
  await storeNewKey(context, 'keys rotate', issued.keyHash, issued.record)
  try {
    await changeKeyOrFail(context, 'keys rotate', stored, { successor: issued.record.keyId, overlapEndsAt })
  } catch (cause) {
    throw explainUnseenKey(cause, issued)
  }
  return {
    ...issued,
    replacedId: key.keyId,
    replacedEndsAt: Math.min(overlapEndsAt, expiresAt ?? Number.POSITIVE_INFINITY),
    earlierSuccessor: key.successor,
  }
}

/** Explains that a command has failed after it has issued a key, which it cannot show. */
export const explainUnseenKey = (cause: unknown, { record: { keyId } }: IssuedKey): UserError => {
  const advice = `The API key ${keyId} was issued, and nobody has seen it: "revoke ${keyId}".`
  const exitCode = cause instanceof UserError ? cause.exitCode : exitCodes.failure
  return new UserError(`${describeError(cause)} ${advice}`, { cause, exitCode })
}
