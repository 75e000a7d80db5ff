/** Finding keys, and messages about keys that are missing, unreadable or ended. */
import { type ApiKeyPrefix, hashApiKey, isWellFormed } from '../../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  isUsable,
  nameKey,
  readApiKey,
  type StoredKey,
} from '../../../shared/api-keys/api-key-record.ts'
import { KeyTable } from '../../../shared/api-keys/key-table.ts'
import { describeMalformedItem, type MalformedItem, separateMalformed } from '../../../shared/dynamodb/item-reader.ts'
import { ConflictError, UserError } from '../../command-line/user-error.ts'
import { environments, localStage } from '../../environments.ts'
import type { NamedTableAccess, TableAccess } from '../environment/open-environment.ts'

export interface KeyList {
  readonly keys: readonly ApiKeyRecord[]
  readonly malformedKeys: readonly MalformedItem<StoredKey>[]
}

/** Lists the items of all keys in the order in which the keys were issued. */
export const listStoredKeys = ({ database, tables }: TableAccess): Promise<readonly StoredKey[]> =>
  new KeyTable(database, tables.apiKeys).list()

/** Lists all keys in the order in which they were issued. Keys that cannot be read are listed separately. */
export const listKeys = async (environment: TableAccess): Promise<KeyList> => {
  const storedKeys = await listStoredKeys(environment)
  const { readItems, malformedItems } = separateMalformed(storedKeys.map(readApiKey))
  return { keys: readItems.map(({ value }) => value), malformedKeys: malformedItems }
}

/**
 * Finds the item of a key, which may be malformed.
 *
 * @param idOrKey the id of the key, or the API key itself
 * @throws UserError if there is none
 */
export const findKey = async (environment: NamedTableAccess, idOrKey: string): Promise<StoredKey> => {
  const storedKeys = await listStoredKeys(environment)
  const keyHash = hashApiKey(idOrKey)
  const stored = storedKeys.find((key) => nameKey(key) === idOrKey || key.keyHash === keyHash)
  if (stored !== undefined) return stored
  throw new UserError(explainMissingKey(environment.name, idOrKey))
}

export const findKeyPrefix = (name: NamedTableAccess['name']): ApiKeyPrefix =>
  environments[name === 'local' ? localStage : name].apiKeyPrefix

/** Explains why no key is found. Quotes the text only if it is an id: any other text may be a part of a key. */
const explainMissingKey = (name: NamedTableAccess['name'], idOrKey: string): string => {
  const prefix = findKeyPrefix(name)
  const advice = `"list" shows the ids of all keys of ${name}.`
  if (/^key_\w+$/.test(idOrKey)) return `No API key of ${name} has the id ${idOrKey}. ${advice}`
  if (isWellFormed(idOrKey, prefix)) return `The table of ${name} does not have this API key. ${advice}`
  if (idOrKey.startsWith(prefix))
    return 'This API key is mistyped or cut off: its last characters do not fit the others.'
  if (idOrKey.startsWith('pet_')) return `This is a key of another environment: those of ${name} begin with ${prefix}.`
  return `This is neither an API key, which would begin with ${prefix}, nor the id of one. ${advice}`
}

/** @throws UserError if the key cannot be read */
export const requireReadable = (stored: StoredKey): ApiKeyRecord => {
  const reading = readApiKey(stored)
  if (reading.kind === 'read') return reading.value
  throw new UserError(describeMalformedKey(reading))
}

/** Describes a key that cannot be read, and says what the operator can do. */
export const describeMalformedKey = (key: MalformedItem<StoredKey>): string =>
  `${describeMalformedItem(key)} "revoke ${nameKey(key.item)}" ends it; no other command works on it.`

export const keyStates = ['active', 'expired', 'revoked'] as const

/** Finds the state of a key for operators. The record itself does not say that a key has expired. */
export const findKeyState = (
  record: Pick<ApiKeyRecord, 'state' | 'expiresAt' | 'overlapEndsAt'>,
  nowSeconds: number,
): (typeof keyStates)[number] => (record.state === 'active' && !isUsable(record, nowSeconds) ? 'expired' : record.state)

/** Explains that a key cannot be used any more, and what an operator can do. */
export const explainUnusable = (key: ApiKeyRecord, nowSeconds: number): ConflictError => {
  const state = findKeyState(key, nowSeconds)
  const renewal = state === 'expired' ? 'To renew it, "set" its --valid-until.' : 'Issue a new one.'
  const advice = key.successor === undefined ? renewal : `Its successor is ${key.successor}.`
  return new ConflictError(`The API key ${key.keyId} is ${state}. ${advice}`)
}
