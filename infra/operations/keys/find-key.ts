import { hashApiKey, isApiKeyPrefix } from '../../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, isUsable, type KeyId } from '../../../shared/api-keys/api-key-record.ts'
import type { KeyTable, StoredKey } from '../../../shared/api-keys/key-table.ts'
import { UserError } from '../../command-line/user-error.ts'

const prefixLength = 'pet_live_'.length

/**
 * @param name the id of a key, or the key itself
 * @throws UserError when there is no such key
 */
export const findKey = async (table: KeyTable, name: string): Promise<StoredKey> => {
  if (!isApiKeyPrefix(name.slice(0, prefixLength))) {
    const stored = (await table.list()).find(({ record }) => record.keyId === name)
    if (stored === undefined) throw new UserError(`No API key has the id ${name}. "list" shows the ids of all.`)
    return stored
  }
  const keyHash = hashApiKey(name)
  const record = await table.read(keyHash)
  if (record === undefined) throw new UserError('This environment has no such API key. "list" shows the ids of all.')
  return { keyHash, record }
}

/** What operators call the state of a key at a time (milliseconds). */
export const stateOf = (record: ApiKeyRecord, now: number): 'active' | 'expired' | 'revoked' =>
  record.state === 'active' && !isUsable(record, now / 1_000) ? 'expired' : record.state

/** @throws UserError when there is no such key, or it does not work at a time (Unix seconds) */
export const findUsableKey = async (table: KeyTable, name: string, now: number): Promise<StoredKey> => {
  const stored = await findKey(table, name)
  if (isUsable(stored.record, now)) return stored
  const successor = await usableSuccessor(table, stored.record, now)
  const advice = successor === undefined ? 'Issue a new one' : `Use its successor, ${successor}`
  throw new UserError(`The API key ${stored.record.keyId} is ${stateOf(stored.record, now * 1_000)}. ${advice}.`)
}

/** The last of the keys that were made to replace one another, if it works. */
const usableSuccessor = async (table: KeyTable, record: ApiKeyRecord, now: number): Promise<KeyId | undefined> => {
  if (record.successor === undefined) return undefined
  const records = new Map((await table.list()).map(({ record }) => [record.keyId, record]))
  let last = records.get(record.successor)
  while (last?.successor !== undefined) last = records.get(last.successor)
  return last !== undefined && isUsable(last, now) ? last.keyId : undefined
}
