import { setTimeout } from 'node:timers/promises'
import { type ApiKeyPrefix, hashApiKey, isApiKeyPrefix, type KeyHash } from '../../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import type { KeyTable, StoredKey } from '../../../shared/api-keys/key-table.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import type { Clock } from '../../../shared/clock.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { EdgeRegistry } from './edge-registry.ts'
import { type IssuedKey, issue, issueKnown, type KeyOrder, type ShowKey } from './issuing.ts'
import { checkKeys, type KeyCheck } from './key-check.ts'
import { type KeyStores, newGatewayKey, revocation, secondsOf, settle } from './settling.ts'

/**
 * What operators do with API keys, wherever the keys live. The record decides what a key may do. A command first writes
 * into the record what it is about to do, in one write that takes effect at once, and then makes API Gateway follow it
 * (`settle`). So a command that is interrupted leaves keys that work as their records say, and records that tell what is
 * unfinished.
 */
export class KeyAdministration {
  readonly #stores: KeyStores
  readonly #prefix: ApiKeyPrefix

  constructor(
    table: KeyTable,
    edge: EdgeRegistry,
    prefix: ApiKeyPrefix,
    clock: Clock,
    pause: KeyStores['pause'] = (milliseconds) => setTimeout(milliseconds),
  ) {
    this.#stores = { table, edge, clock, pause }
    this.#prefix = prefix
  }

  issue(order: KeyOrder, show: ShowKey = unshown): Promise<IssuedKey> {
    return issue(this.#stores, this.#prefix, order, show)
  }

  /** Issues a key whose text is known beforehand; `undefined` if it was issued before. */
  issueKey(apiKey: string, order: KeyOrder): Promise<IssuedKey | undefined> {
    return issueKnown(this.#stores, apiKey, order)
  }

  /** All keys, in the order in which they were issued. */
  async list(): Promise<ApiKeyRecord[]> {
    return (await this.#stores.table.list()).map(({ record }) => record)
  }

  /** The keys with which a command is unfinished, because it was interrupted, or is being carried out. */
  async unfinished(): Promise<ApiKeyRecord[]> {
    return (await this.list()).filter(({ unfinished }) => unfinished !== undefined)
  }

  /**
   * @param name the id of a key, or the key itself
   * @throws UserError when there is no such key, as every call below
   */
  async show(name: string): Promise<ApiKeyRecord> {
    return (await this.#find(name)).record
  }

  /** The key stops working at its next request. */
  async revoke(name: string): Promise<ApiKeyRecord> {
    const { keyHash } = await this.#find(name)
    await this.#stores.table.change(keyHash, revocation, { state: 'active' })
    return settle(this.#stores, keyHash)
  }

  /**
   * Revokes all keys: first each record, so that all stop at once, then at the pace of API Gateway, which deletes five
   * keys a second ("Amazon API Gateway quotas").
   *
   * @param report called with how many keys have stopped, and how many are left at API Gateway
   * @returns how many keys were revoked
   */
  async revokeAll(report: (stopped: number, left: number) => void, signal?: AbortSignal): Promise<number> {
    const { table } = this.#stores
    const active = (await table.list()).filter(({ record }) => record.state === 'active')
    for (const { keyHash } of active) await table.change(keyHash, revocation, { state: 'active' })
    const left = (await table.list()).filter(({ record }) => record.unfinished === 'removing')
    for (const [index, { keyHash }] of left.entries()) {
      if (signal?.aborted) break
      report(active.length, left.length - index)
      await settle(this.#stores, keyHash)
    }
    return active.length
  }

  /**
   * Issues a successor with the same owner, plan, limits, scopes and end. The key works for `overlapSeconds` more.
   *
   * @param again also where the key has a successor
   */
  async rotate(name: string, overlapSeconds: number, show: ShowKey = unshown, again = false): Promise<IssuedKey> {
    const { record } = await this.#findUsable(name)
    const { keyId, successor, minuteLimit, dayLimit, idempotencyScope } = record
    if (successor !== undefined && !again) {
      throw new UserError(
        `The API key ${keyId} is being rotated: its successor is ${successor}. To make another one, add --again.`,
      )
    }
    // A key that is being rotated ends with the overlap; its successor has the end that it had.
    const { expiresAt } = successor === undefined ? record : await this.show(successor)
    const order = { ...record, allowance: { perMinute: minuteLimit, perDay: dayLimit }, expiresAt }
    const succession = { predecessor: keyId, overlapSeconds, idempotencyScope }
    return issue(this.#stores, this.#prefix, order, show, succession)
  }

  /** Ends a ban, and forgets the refusals and the bans that would make the next one longer. */
  async unban(name: string): Promise<ApiKeyRecord> {
    const { keyHash, record } = await this.#findUsable(name)
    if (record.bannedUntil <= this.#seconds()) throw new UserError(`The API key ${record.keyId} is not banned.`)
    return this.#change(keyHash, { bannedUntil: 0, banCount: 0, refusalCount: 0 })
  }

  /** Moves a key to another plan. What it has used of its windows stays used. */
  async move(name: string, plan: Plan, allowance: Allowance): Promise<ApiKeyRecord> {
    const { keyHash, record } = await this.#findUsable(name)
    const limits = { minuteLimit: allowance.perMinute, dayLimit: allowance.perDay }
    if (record.plan === plan && record.minuteLimit === limits.minuteLimit && record.dayLimit === limits.dayLimit) {
      throw new UserError(`The API key ${record.keyId} has this plan and these limits already.`)
    }
    await this.#change(keyHash, { plan, ...limits, ...newGatewayKey(record, this.#seconds()) })
    return settle(this.#stores, keyHash)
  }

  /** Changes the owner or the contact. The tags of an API Gateway key name its owner, so another owner gets another one. */
  async edit(name: string, changes: { readonly owner?: string; readonly contact?: string }): Promise<ApiKeyRecord> {
    const { keyHash, record } = await this.#findUsable(name)
    const isOther = changes.owner !== undefined && changes.owner !== record.owner
    await this.#change(keyHash, { ...changes, ...(isOther && newGatewayKey(record, this.#seconds())) })
    return settle(this.#stores, keyHash)
  }

  /** Compares the records with what API Gateway has, and with `repair` ends what interrupted commands have begun. */
  check(repair: boolean): Promise<KeyCheck> {
    return checkKeys(this.#stores, repair)
  }

  /** Changes a key that is still active. */
  async #change(keyHash: KeyHash, changes: Partial<ApiKeyRecord>): Promise<ApiKeyRecord> {
    const changed = await this.#stores.table.change(keyHash, changes, { state: 'active' })
    if (changed === undefined) throw new UserError('The API key was revoked meanwhile. Issue a new one.')
    return changed
  }

  async #find(name: string): Promise<StoredKey> {
    const { table } = this.#stores
    if (!isApiKeyPrefix(name.slice(0, prefixLength))) {
      const stored = await table.find(name)
      if (stored === undefined) throw new UserError(`No API key has the id ${name}. "list" shows the ids of all.`)
      return stored
    }
    const keyHash = hashApiKey(name)
    const record = await table.read(keyHash)
    if (record === undefined) throw new UserError('This environment has no such API key. "list" shows the ids of all.')
    return { keyHash, record }
  }

  async #findUsable(name: string): Promise<StoredKey> {
    const stored = await this.#find(name)
    const { keyId, state, expiresAt = Number.POSITIVE_INFINITY, successor, unfinished } = stored.record
    if (state === 'revoked') throw new UserError(`The API key ${keyId} is revoked. Issue a new one.`)
    if (expiresAt <= this.#seconds()) {
      const other = successor === undefined ? 'Issue a new one' : `Use its successor, ${successor}`
      throw new UserError(`The API key ${keyId} is expired. ${other}.`)
    }
    if (unfinished === 'showing') {
      throw new UserError(`The API key ${keyId} is not issued yet, or its issue was interrupted: "check" says more.`)
    }
    return stored
  }

  #seconds(): number {
    return secondsOf(this.#stores.clock)
  }
}

/** For a key that only the process uses that makes it. */
const unshown: ShowKey = async () => undefined

const prefixLength = 'pet_live_'.length
