import type { StoredKey } from '../../../shared/api-keys/api-key-record.ts'
import { startProgress } from '../../command-line/progress.ts'
import { changeKey, type KeyContext } from './change-key.ts'
import { findKey, listStoredKeys } from './find-key.ts'

/**
 * Revokes a key: its next request is refused. A key that cannot be read can be revoked too.
 *
 * @param idOrKey the id of the key, or the API key itself
 */
export const revokeKey = async (context: KeyContext, idOrKey: string): Promise<StoredKey> =>
  revokeStoredKey(context, 'keys revoke', await findKey(context.environment, idOrKey))

/** Revokes all keys, including those that are issued meanwhile. Returns the number of revoked keys. */
export const revokeAllKeys = async (context: KeyContext): Promise<number> => {
  let revokedCount = 0
  let activeKeys = await listActiveKeys(context)
  while (activeKeys.length > 0) {
    const progress = startProgress('keys', activeKeys.length)
    for (const stored of activeKeys) {
      await revokeStoredKey(context, 'keys revoke --all', stored)
      progress.count(1)
    }
    revokedCount += activeKeys.length
    activeKeys = await listActiveKeys(context)
  }
  return revokedCount
}

const listActiveKeys = async ({ environment }: KeyContext): Promise<readonly StoredKey[]> => {
  const storedKeys = await listStoredKeys(environment)
  return storedKeys.filter(({ state }) => state !== 'revoked')
}

/**
 * Revokes a key, and tries again if another command has changed it meanwhile. A key that was revoked by hand gets the
 * time of this change as `revokedAt`, so that the audit has the revocation too.
 */
const revokeStoredKey = async (context: KeyContext, action: string, stored: StoredKey): Promise<StoredKey> => {
  if (stored['state'] === 'revoked' && stored['revokedAt'] !== undefined) return stored
  const changes = { state: 'revoked', revokedAt: Math.floor(context.clock() / 1_000) } as const
  const { isChanged, key } = await changeKey(context, action, stored, changes)
  return isChanged ? key : revokeStoredKey(context, action, key)
}
