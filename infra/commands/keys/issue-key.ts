import { isUsable, type KeyId } from '../../../shared/api-keys/api-key-record.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { changeKeyOrFail, type KeyContext, storeNewKey } from './change-key.ts'
import { findKey, findKeyPrefix, requireReadable } from './find-key.ts'
import { createKey, explainUnusable, type IssuedKey, type KeyOrder } from './key.ts'

/** Issues a key. */
export const issueKey = async (context: KeyContext, order: KeyOrder): Promise<IssuedKey> => {
  const issued = createKey(findKeyPrefix(context.environment), context.clock(), order)
  await storeNewKey(context, 'keys issue', issued)
  return issued
}

/** A new key, and what has become of the key that it replaces. */
export interface Rotation extends IssuedKey {
  readonly replacedId: KeyId
  /** Unix seconds at which the replaced key ends. */
  readonly replacedEndsAt: number
  /** The successor that the replaced key had before. */
  readonly earlierSuccessor: KeyId | undefined
}

const defaultOverlapSeconds = 24 * 3_600

/**
 * Issues a successor with the same owner, plan, limits, scope and end by contract. The replaced key works until its
 * overlap ends. A key that is rotated again keeps the end of its first overlap.
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
  const nowSeconds = Math.floor(context.clock() / 1_000)
  if (!isUsable(key, nowSeconds)) throw explainUnusable(key, nowSeconds)

  const { owner, contact, plan, scope, expiresAt } = key
  const limits = { perMinute: key.minuteLimit, perDay: key.dayLimit }
  const order: KeyOrder = { owner, contact, plan, scope, expiresAt, limits }
  const issued = createKey(findKeyPrefix(context.environment), context.clock(), order, key)
  const overlapEndsAt = key.overlapEndsAt ?? nowSeconds + overlapSeconds
  await storeNewKey(context, 'keys rotate', issued)
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
  const exitCode = cause instanceof UserError ? { exitCode: cause.exitCode } : {}
  return new UserError(`${describeError(cause)} ${advice}`, { cause, ...exitCode })
}
