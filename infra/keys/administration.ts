import { randomInt } from 'node:crypto'
import {
  type ApiKeyPrefix,
  base62,
  formatApiKey,
  hashApiKey,
  type KeyHash,
  randomLength,
} from '../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  type IdempotencyScope,
  type KeyId,
  newApiKeyRecord,
  scopeOf,
} from '../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../shared/api-keys/plans.ts'
import type { Clock } from '../../shared/clock.ts'
import { ClearError } from '../command-line/clear-error.ts'
import type { EdgeRegistry } from './edge-registry.ts'
import type { KeyTable, ListedKey, StoredKey } from './key-table.ts'

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

/**
 * What operators do with API keys, wherever the keys live. A failure half-way never leaves a usable half: a key works
 * only once its record is there, which is written last.
 */
export class KeyAdministration {
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

  async issue(order: KeyOrder): Promise<IssuedKey> {
    const issued = await this.issueKey(formatApiKey(this.#prefix, randomText(randomLength)), order)
    if (issued === undefined) throw new Error('A random API key had been issued before.')
    return issued
  }

  /** Issues a key whose text is known beforehand; `undefined` if it was issued before. */
  async issueKey(apiKey: string, order: KeyOrder): Promise<IssuedKey | undefined> {
    const keyHash = hashApiKey(apiKey)
    const keyId = newKeyId(this.#clock())
    const { owner, plan, allowance, idempotencyScope = scopeOf(keyId) } = order
    const record = newApiKeyRecord({
      keyId,
      idempotencyScope,
      owner,
      plan,
      createdAt: this.#seconds(),
      minuteLimit: allowance.perMinute,
      dayLimit: allowance.perDay,
    })
    if ((await this.#table.read(keyHash)) !== undefined) return undefined
    try {
      await this.#edge.assign(keyHash, record.keyId, plan)
      return (await this.#add(keyHash, record)) ? { apiKey, record } : undefined
    } catch (error) {
      // Nobody will see this key. Should it stay at the edge, it does not work, but takes up room there.
      await this.#edge.remove(keyHash, record.keyId).catch(() => undefined)
      throw error
    }
  }

  list(): Promise<ListedKey[]> {
    return this.#table.list()
  }

  /** @throws ClearError when no key has this id, as every call below. */
  async show(keyId: string): Promise<ApiKeyRecord> {
    return (await this.#find(keyId)).record
  }

  /** The key stops working at its next request. */
  async revoke(keyId: string): Promise<ApiKeyRecord> {
    const { keyHash, record } = await this.#find(keyId)
    return this.#stop(keyHash, record)
  }

  /** Issues a successor of the same owner, plan, limits and idempotency scope. The key works for `overlapSeconds` more. */
  async rotate(keyId: string, overlapSeconds: number): Promise<IssuedKey> {
    const { keyHash, record } = await this.#findActive(keyId)
    const { owner, plan, minuteLimit, dayLimit, idempotencyScope } = record
    const allowance = { perMinute: minuteLimit, perDay: dayLimit }
    const issued = await this.issue({ owner, plan, allowance, idempotencyScope })
    const expiresAt = Math.min(record.expiresAt ?? Number.POSITIVE_INFINITY, this.#seconds() + overlapSeconds)
    try {
      await this.#change(keyHash, { expiresAt })
    } catch (error) {
      // Nobody will see the successor, and the key itself works on as before.
      await Promise.allSettled([
        this.#stop(hashApiKey(issued.apiKey), issued.record),
        this.#change(keyHash, { expiresAt: record.expiresAt }),
      ])
      throw error
    }
    return issued
  }

  /** Ends a ban, and forgets the refusals and the bans that would make the next one longer. */
  async unban(keyId: string): Promise<ApiKeyRecord> {
    const { keyHash } = await this.#find(keyId)
    return this.#change(keyHash, { bannedUntil: 0, banCount: 0, refusalCount: 0 })
  }

  /** Moves a key to another plan. What it has used of its windows stays used. */
  async move(keyId: string, plan: Plan, allowance: Allowance): Promise<ApiKeyRecord> {
    const { keyHash, record } = await this.#findActive(keyId)
    await this.#edge.assign(keyHash, record.keyId, plan)
    return this.#change(keyHash, { plan, minuteLimit: allowance.perMinute, dayLimit: allowance.perDay })
  }

  /** @returns whether the record is the key's; one that is there before it stays. */
  async #add(keyHash: KeyHash, record: ApiKeyRecord): Promise<boolean> {
    if ((await this.#table.add(keyHash, record)) === 'added') return true
    // The SDK repeats a call whose answer was lost, and then finds what the first one wrote.
    return (await this.#table.read(keyHash))?.keyId === record.keyId
  }

  async #stop(keyHash: KeyHash, record: ApiKeyRecord): Promise<ApiKeyRecord> {
    const stopped = await this.#change(keyHash, { state: 'revoked' })
    await this.#edge.remove(keyHash, record.keyId)
    return stopped
  }

  async #change(keyHash: KeyHash, changes: Partial<ApiKeyRecord>): Promise<ApiKeyRecord> {
    const changed = await this.#table.change(keyHash, changes)
    if (changed === undefined) throw new Error('The record of an API key is gone.')
    return changed
  }

  async #find(keyId: string): Promise<StoredKey> {
    const stored = await this.#table.find(keyId)
    if (stored === undefined) throw new ClearError(`No API key has the id ${keyId}. "list" shows the ids of all.`)
    return stored
  }

  async #findActive(keyId: string): Promise<StoredKey> {
    const stored = await this.#find(keyId)
    const { state, expiresAt = Number.POSITIVE_INFINITY } = stored.record
    if (state === 'revoked') throw new ClearError(`The API key ${keyId} is revoked. Issue a new one.`)
    if (expiresAt <= this.#seconds()) {
      throw new ClearError(`The API key ${keyId} is expired: it was rotated. Use its successor, or issue a new one.`)
    }
    return stored
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
