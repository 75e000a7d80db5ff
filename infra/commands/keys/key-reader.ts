import { hashApiKey } from '../../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, nameKey, readApiKey, type StoredKey } from '../../../shared/api-keys/api-key-record.ts'
import { KeyTable } from '../../../shared/api-keys/key-table.ts'
import { describeMalformedItem, type MalformedItem, separateMalformed } from '../../../shared/dynamodb/item-reader.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Environment } from '../environment/open-environment.ts'

/** The keys of an environment. */
export interface KeyList {
  readonly keys: readonly ApiKeyRecord[]
  readonly malformedKeys: readonly MalformedItem<StoredKey>[]
}

/**
 * Reads the API keys of an environment. The parameter `idOrKey` is the id of a key, or the API key itself.
 *
 * @example
 * using environment = await openEnvironment({ name: 'staging' })
 * const { keys } = await new KeyReader(environment).list()
 */
export class KeyReader {
  readonly #table: KeyTable

  constructor({ database, tables }: Pick<Environment, 'database' | 'tables'>) {
    this.#table = new KeyTable(database, tables.apiKeys)
  }

  /** Lists all keys in the order in which they were issued, and apart from them those that cannot be read. */
  async list(): Promise<KeyList> {
    const storedKeys = await this.listStored()
    const { readItems, malformedItems } = separateMalformed(storedKeys.map(readApiKey))
    return { keys: readItems.map(({ value }) => value), malformedKeys: malformedItems }
  }

  listStored(): Promise<readonly StoredKey[]> {
    return this.#table.list()
  }

  /** Finds the item of a key, which may be malformed. */
  async find(idOrKey: string): Promise<StoredKey> {
    const storedKeys = await this.listStored()
    const keyHash = hashApiKey(idOrKey)
    const stored = storedKeys.find((key) => nameKey(key) === idOrKey || key.keyHash === keyHash)
    if (stored !== undefined) return stored
    throw new UserError(`No API key has the id ${idOrKey}. "list" shows the ids of all.`)
  }

  /** @throws UserError if the key cannot be read */
  async show(idOrKey: string): Promise<ApiKeyRecord> {
    return requireReadable(await this.find(idOrKey))
  }
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
