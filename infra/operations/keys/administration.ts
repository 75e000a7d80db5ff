import type { ApiKeyPrefix, KeyHash } from '../../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import type { Clock } from '../../../shared/clock.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type EdgeRegistry, followRecord } from './edge-registry.ts'
import { type IssuedKey, KeyIssuing, type KeyOrder, type ShowKey } from './issuing.ts'
import { checkKeys, type KeyCheck } from './key-check.ts'
import type { KeyTable, ListedKey, StoredKey } from './key-table.ts'

/**
 * What operators do with API keys, wherever the keys live. The record decides what a key may do. API Gateway has a key
 * before the record is there, and loses it after the record is revoked, so wherever a command is interrupted, a key
 * works only as its record says. `check` finds what is left in API Gateway.
 */
export class KeyAdministration {
  readonly #table: KeyTable
  readonly #edge: EdgeRegistry
  readonly #issuing: KeyIssuing
  readonly #clock: Clock

  constructor(table: KeyTable, edge: EdgeRegistry, prefix: ApiKeyPrefix, clock: Clock) {
    this.#table = table
    this.#edge = edge
    this.#issuing = new KeyIssuing(table, edge, prefix, clock)
    this.#clock = clock
  }

  /** A key that was not shown, because its command was interrupted, expires after `issueSeconds`. */
  issue(order: KeyOrder, show?: ShowKey): Promise<IssuedKey> {
    return this.#issuing.issue(order, show)
  }

  /** Issues a key whose text is known beforehand; `undefined` if it was issued before. */
  issueKey(apiKey: string, order: KeyOrder): Promise<IssuedKey | undefined> {
    return this.#issuing.issueKey(apiKey, order)
  }

  list(): Promise<ListedKey[]> {
    return this.#table.list()
  }

  /** @throws UserError when no key has this id, as every call below. */
  async show(keyId: string): Promise<ApiKeyRecord> {
    return (await this.#find(keyId)).record
  }

  /** The key stops working at its next request. */
  async revoke(keyId: string): Promise<ApiKeyRecord> {
    const { keyHash, record } = await this.#find(keyId)
    const revoked = await this.#change(keyHash, { state: 'revoked' })
    await this.#edge.remove(keyHash, record.keyId)
    return revoked
  }

  /** Issues a successor of the same owner, plan, limits and idempotency scope. The key works for `overlapSeconds` more. */
  async rotate(keyId: string, overlapSeconds: number, show?: ShowKey): Promise<IssuedKey> {
    const { keyHash, record } = await this.#findActive(keyId)
    const { owner, plan, minuteLimit, dayLimit, idempotencyScope } = record
    const order = { owner, plan, allowance: { perMinute: minuteLimit, perDay: dayLimit }, idempotencyScope }
    const expiresAt = this.#seconds() + overlapSeconds
    let restore: Undo = async () => undefined
    try {
      // The successor is unfinished until the key has an expiry, so an interrupted rotation is repeated as a whole.
      return await this.issue(order, async (successor) => {
        await show?.(successor)
        restore = await this.#expire(keyHash, expiresAt)
      })
    } catch (error) {
      await restore().catch(() => undefined)
      throw error
    }
  }

  /** Ends a ban, and forgets the refusals and the bans that would make the next one longer. */
  async unban(keyId: string): Promise<ApiKeyRecord> {
    const { keyHash } = await this.#find(keyId)
    return this.#change(keyHash, { bannedUntil: 0, banCount: 0, refusalCount: 0 })
  }

  /** Moves a key to another plan. What it has used of its windows stays used. */
  async move(keyId: string, plan: Plan, allowance: Allowance): Promise<ApiKeyRecord> {
    const { keyHash, record } = await this.#findActive(keyId)
    const changes = { plan, minuteLimit: allowance.perMinute, dayLimit: allowance.perDay }
    const moved = await this.#table.change(keyHash, changes, { state: 'active' })
    if (moved === undefined) throw isRevoked(keyId)
    await followRecord(this.#table, this.#edge, { keyHash, keyId: record.keyId }, async (current) => {
      if (await this.#edge.move(keyHash, record.keyId, current)) return
      if ((await this.#table.read(keyHash))?.state === 'revoked') return
      throw new UserError(`API Gateway has no key for ${keyId}. "check --repair" creates it.`)
    })
    return moved
  }

  /** Compares the records with what API Gateway has, and with `repair` makes API Gateway follow the records. */
  check(repair: boolean): Promise<KeyCheck> {
    return checkKeys({ table: this.#table, edge: this.#edge, now: this.#seconds() }, repair)
  }

  /** Lets a key expire at a time, or earlier if that was decided before. */
  async #expire(keyHash: KeyHash, expiresAt: number): Promise<Undo> {
    while (true) {
      const record = await this.#table.read(keyHash)
      if (record === undefined) throw isMissing()
      this.#refuseUnusable(record)
      const { expiresAt: before } = record
      if (before !== undefined && before <= expiresAt) return async () => undefined
      const restore = () => this.#table.change(keyHash, { expiresAt: before }, { state: 'active', expiresAt })
      try {
        const changed = await this.#table.change(keyHash, { expiresAt }, { state: 'active', expiresAt: before })
        if (changed !== undefined) return restore
      } catch (error) {
        await restore().catch(() => undefined)
        throw error
      }
    }
  }

  async #change(keyHash: KeyHash, changes: Partial<ApiKeyRecord>): Promise<ApiKeyRecord> {
    const changed = await this.#table.change(keyHash, changes)
    if (changed === undefined) throw isMissing()
    return changed
  }

  async #find(keyId: string): Promise<StoredKey> {
    const stored = await this.#table.find(keyId)
    if (stored === undefined) throw new UserError(`No API key has the id ${keyId}. "list" shows the ids of all.`)
    return stored
  }

  async #findActive(keyId: string): Promise<StoredKey> {
    const stored = await this.#find(keyId)
    this.#refuseUnusable(stored.record)
    return stored
  }

  #refuseUnusable({ keyId, state, expiresAt = Number.POSITIVE_INFINITY }: ApiKeyRecord): void {
    if (state === 'revoked') throw isRevoked(keyId)
    if (expiresAt <= this.#seconds()) {
      throw new UserError(`The API key ${keyId} is expired: it was rotated. Use its successor, or issue a new one.`)
    }
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1_000)
  }
}

/** Undoes what a command did, unless another one has changed it since. */
type Undo = () => Promise<unknown>

const isMissing = (): Error => new Error('The record of an API key is missing.')

const isRevoked = (keyId: string): UserError => new UserError(`The API key ${keyId} is revoked. Issue a new one.`)
