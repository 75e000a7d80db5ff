import { randomInt } from 'node:crypto'
import {
  type ApiKeyPrefix,
  base62,
  formatApiKey,
  hashApiKey,
  type KeyHash,
  randomLength,
} from '../../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  type IdempotencyScope,
  type KeyId,
  newApiKeyRecord,
  scopeOf,
} from '../../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import type { Clock } from '../../../shared/clock.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { EdgeRegistry } from './edge-registry.ts'
import type { KeyTable } from './key-table.ts'

/**
 * How long a command may take to issue a key, in seconds. Until the command has shown the key, its record expires
 * after this time: a key that nobody has seen expires. An API Gateway key without a record is older than this
 * only if its command was interrupted.
 */
export const issueSeconds = 15 * 60

/** Whether a key is being issued at this moment, or its command was interrupted. */
export const isUnfinished = (key: { readonly createdAt: number; readonly expiresAt: number | undefined }): boolean =>
  key.expiresAt === key.createdAt + issueSeconds

/** A key that was just made: the only time that the key itself is seen. */
export interface IssuedKey {
  readonly apiKey: string
  readonly record: ApiKeyRecord
}

export interface KeyOrder {
  readonly owner: string
  readonly plan: Plan
  readonly allowance: Allowance
  /** The scope of the key that this one succeeds. Without it the key gets a scope of its own. */
  readonly idempotencyScope?: IdempotencyScope
}

/** Shows a key to its operator. If it fails, the key is not issued. */
export type ShowKey = (issued: IssuedKey) => Promise<void>

/**
 * Makes keys. The record is written last, so a key works only once it is whole, and expires after `issueSeconds` until
 * the key was shown, so a key that nobody has seen expires.
 */
export class KeyIssuing {
  readonly #table: KeyTable
  readonly #edge: EdgeRegistry
  readonly #prefix: ApiKeyPrefix
  readonly #clock: Clock

  constructor(table: KeyTable, edge: EdgeRegistry, prefix: ApiKeyPrefix, clock: Clock) {
    this.#table = table
    this.#edge = edge
    this.#prefix = prefix
    this.#clock = clock
  }

  async issue(order: KeyOrder, show?: ShowKey): Promise<IssuedKey> {
    const apiKey = formatApiKey(this.#prefix, randomText(randomLength))
    const keyHash = hashApiKey(apiKey)
    const record = this.#newRecord(order)
    const expiresAt = record.createdAt + issueSeconds
    if (!(await this.#make(keyHash, { ...record, expiresAt }))) {
      throw new Error('A random API key had been issued before.')
    }
    try {
      await show?.({ apiKey, record })
      await this.#finish(keyHash, record.keyId, expiresAt)
    } catch (error) {
      await this.#takeBack(keyHash, record.keyId)
      throw error
    }
    return { apiKey, record }
  }

  async issueKey(apiKey: string, order: KeyOrder): Promise<IssuedKey | undefined> {
    const record = this.#newRecord(order)
    return (await this.#make(hashApiKey(apiKey), record)) ? { apiKey, record } : undefined
  }

  #newRecord({ owner, plan, allowance, idempotencyScope }: KeyOrder): ApiKeyRecord {
    const keyId = newKeyId(this.#clock())
    return newApiKeyRecord({
      keyId,
      idempotencyScope: idempotencyScope ?? scopeOf(keyId),
      owner,
      plan,
      createdAt: this.#seconds(),
      minuteLimit: allowance.perMinute,
      dayLimit: allowance.perDay,
    })
  }

  /** @returns whether the key was made; one that was issued before stays as it is. */
  async #make(keyHash: KeyHash, record: ApiKeyRecord): Promise<boolean> {
    if ((await this.#table.read(keyHash)) !== undefined) return false
    try {
      await this.#edge.assign(keyHash, record.keyId, record.plan)
      if ((await this.#table.add(keyHash, record)) === 'added') return true
      // The SDK retries a call whose response was lost, and then finds what the first one wrote.
      return (await this.#table.read(keyHash))?.keyId === record.keyId
    } catch (error) {
      await this.#takeBack(keyHash, record.keyId)
      throw error
    }
  }

  async #finish(keyHash: KeyHash, keyId: KeyId, expiresAt: number): Promise<void> {
    if (this.#seconds() < expiresAt) {
      const expected = { state: 'active', expiresAt } as const
      if ((await this.#table.change(keyHash, { expiresAt: undefined }, expected)) !== undefined) return
      // Again a retry of the SDK.
      const record = await this.#table.read(keyHash)
      if (record?.state === 'active' && record.expiresAt === undefined) return
    }
    throw new UserError(
      `The API key ${keyId} was not issued: it took more than ${issueSeconds / 60} minutes, or another command changed the key meanwhile.`,
    )
  }

  /** If this fails too, the key expires, and `check` finds what is left of it. */
  async #takeBack(keyHash: KeyHash, keyId: KeyId): Promise<void> {
    try {
      await this.#table.change(keyHash, { state: 'revoked' }, { keyId })
      // Only now: a record without a key at API Gateway would be worse than a key without a record.
      await this.#edge.remove(keyHash, keyId)
    } catch {
      // The failure that led here is the one to report.
    }
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1_000)
  }
}

const randomText = (length: number): string =>
  Array.from({ length }, () => base62.charAt(randomInt(base62.length))).join('')

/** Key ids sort by the time at which they were issued. They are no secret. */
const newKeyId = (now: number): KeyId =>
  `key_${now.toString(36).padStart(9, '0')}${randomText(8).toLowerCase()}` as KeyId
