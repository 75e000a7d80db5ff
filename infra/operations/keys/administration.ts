import { isDeepStrictEqual } from 'node:util'
import { type ApiKeyPrefix, hashApiKey } from '../../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, newGatewayKeyValue } from '../../../shared/api-keys/api-key-record.ts'
import type { Expected, KeyChange, KeyTable, StoredKey } from '../../../shared/api-keys/key-table.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import type { Clock } from '../../../shared/clock.ts'
import { sentenceOf } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Change, recording } from '../target/audit.ts'
import { audited, auditedKey, valuesOf } from './attributes.ts'
import { findKey, findUsableKey, stateOf } from './find-key.ts'
import { type IssuedKey, type KeyOrder, newKey } from './new-key.ts'
import { revocation, revokeAll } from './revoke-all.ts'

interface Surroundings {
  readonly table: KeyTable
  readonly prefix: ApiKeyPrefix
  readonly clock: Clock
  /** Records each change, and then makes it. @default it is made */
  readonly recorded?: ReturnType<typeof recording>
}

/** Shows a key to its operator, before it is issued. If that fails, it is not. */
type ShowKey = (issued: IssuedKey) => Promise<void>

/** How long a key works beside its successor, unless the operator says otherwise. */
const defaultOverlapSeconds = 24 * 3_600

/**
 * What operators do with API keys. Each change is one write of the table, on condition that nobody has changed the same
 * since it was read: there is nothing that an interruption could leave half done. API Gateway follows the table
 * (`functions/gateway-keys`).
 */
export class KeyAdministration {
  readonly #table: KeyTable
  readonly #prefix: ApiKeyPrefix
  readonly #clock: Clock
  readonly #recorded: ReturnType<typeof recording>

  constructor({ table, prefix, clock, recorded = (_change, make) => make() }: Surroundings) {
    this.#table = table
    this.#prefix = prefix
    this.#clock = clock
    this.#recorded = recorded
  }

  /** All keys, in the order in which they were issued. */
  async list(): Promise<ApiKeyRecord[]> {
    return (await this.#table.list()).map(({ record }) => record)
  }

  /**
   * @param name the id of a key, or the key itself
   * @throws UserError when there is no such key, as every call below
   */
  async show(name: string): Promise<ApiKeyRecord> {
    return (await findKey(this.#table, name)).record
  }

  async issue(order: KeyOrder, show: ShowKey = unshown): Promise<IssuedKey> {
    const issued = newKey(this.#prefix, this.#clock(), order)
    const line = { action: 'keys issue', ids: [issued.record.keyId], old: null, new: auditedKey(issued.record) }
    return this.#showAndWrite(issued, line, show, (stored) => this.#table.add(stored))
  }

  /** Issues a key whose text is known beforehand, unless it was issued before. */
  async issueKnown(apiKey: string, order: KeyOrder): Promise<void> {
    const { record } = newKey(this.#prefix, this.#clock(), order)
    await this.#table.add({ keyHash: hashApiKey(apiKey), record })
  }

  /**
   * Issues a successor with the same owner, plan, limits, scope and end by contract.
   *
   * @param overlapSeconds how long the key still works; one that was rotated before keeps the end that was said then
   * @param again also where the key has a successor
   * @param show gets the key that is replaced too, as it is afterwards
   */
  async rotate(
    name: string,
    { overlapSeconds, again = false }: { readonly overlapSeconds?: number | undefined; readonly again?: boolean } = {},
    show: (issued: IssuedKey, old: ApiKeyRecord) => Promise<void> = unshown,
  ): Promise<IssuedKey> {
    const { keyHash, record } = await findUsableKey(this.#table, name, this.#seconds())
    const { keyId, successor, idempotencyScope } = record
    if (successor !== undefined && !again) {
      const state = stateOf(await this.show(successor), this.#clock())
      throw new UserError(
        `The API key ${keyId} is being rotated: its successor is ${successor} (${state}). To make another one, add --again.`,
      )
    }
    if (record.overlapEndsAt !== undefined && overlapSeconds !== undefined) {
      throw new UserError(
        `The API key ${keyId} has an end since it was first rotated, which stays: leave out --overlap-hours.`,
      )
    }
    const allowance = { perMinute: record.minuteLimit, perDay: record.dayLimit }
    const succession = { predecessor: keyId, idempotencyScope }
    const issued = newKey(this.#prefix, this.#clock(), { ...record, allowance }, succession)
    const overlapEndsAt = record.overlapEndsAt ?? this.#seconds() + (overlapSeconds ?? defaultOverlapSeconds)
    const change = { successor: issued.record.keyId, overlapEndsAt }
    const before = valuesOf(record, change)
    const line = {
      ...{ action: 'keys rotate', ids: [keyId, issued.record.keyId] },
      ...{ old: audited(before), new: { ...audited(change), ...auditedKey(issued.record) } },
    }
    const showBoth = () => show(issued, { ...record, ...change })
    return this.#showAndWrite(issued, line, showBoth, (stored) =>
      this.#table.replace(keyHash, change, { state: 'active', ...before }, stored),
    )
  }

  /** Moves a key to another plan, and so to another API Gateway key. What it has used of its windows stays used. */
  async move(name: string, plan: Plan, { perMinute, perDay }: Allowance): Promise<ApiKeyRecord> {
    const stored = await findUsableKey(this.#table, name, this.#seconds())
    const change = { plan, minuteLimit: perMinute, dayLimit: perDay }
    const before = valuesOf(stored.record, change)
    if (isDeepStrictEqual(before, change)) {
      throw new UserError(`The API key ${stored.record.keyId} has this plan and these limits already.`)
    }
    const anotherKey = stored.record.plan !== plan && { gatewayKey: newGatewayKeyValue(), meteredFrom: undefined }
    return this.#change('move', stored, { ...change, ...anotherKey }, before)
  }

  async edit(name: string, change: Pick<KeyChange, 'owner' | 'contact'>): Promise<ApiKeyRecord> {
    const stored = await findUsableKey(this.#table, name, this.#seconds())
    return this.#change('edit', stored, change, valuesOf(stored.record, change))
  }

  /** Ends a ban, and forgets the refusals and the bans that would make the next one longer. */
  async unban(name: string): Promise<ApiKeyRecord> {
    const stored = await findUsableKey(this.#table, name, this.#seconds())
    const { keyId, bannedUntil } = stored.record
    if (bannedUntil <= this.#seconds()) throw new UserError(`The API key ${keyId} is not banned.`)
    return this.#change('unban', stored, { bannedUntil: 0, banCount: 0, refusalCount: 0 }, { bannedUntil })
  }

  /** The key stops working at its next request. */
  async revoke(name: string): Promise<ApiKeyRecord> {
    const stored = await findKey(this.#table, name)
    return stored.record.state === 'revoked' ? stored.record : this.#change('revoke', stored, revocation)
  }

  /** @see revokeAll */
  revokeAll(signal: AbortSignal, tell: (revoked: number) => void): Promise<number> {
    return revokeAll(this.#table, { recorded: this.#recorded, signal, tell })
  }

  /** Changes a key on condition that it is active and as expected. */
  #change(action: string, stored: StoredKey, change: KeyChange, expected: Expected = {}): Promise<ApiKeyRecord> {
    const { keyHash, record } = stored
    const { keyId } = record
    const old = audited(valuesOf(record, change))
    return this.#recorded({ action: `keys ${action}`, ids: [keyId], old, new: audited(change) }, async () => {
      const changed = await this.#table.change(keyHash, change, { state: 'active', ...expected })
      if (changed !== undefined) return changed
      const latest = await this.#table.read(keyHash)
      // A response was lost, and the SDK has found what its first call wrote. Or somebody else has done the same.
      if (latest !== undefined && isDeepStrictEqual(valuesOf(latest, change), change)) return latest
      throw new UserError(
        `Another command has changed the API key ${keyId} meanwhile, and this one has not. "show" says what it is now.`,
      )
    })
  }

  /** Shows a key before it is written: one that nobody has seen never works. */
  #showAndWrite(
    issued: IssuedKey,
    line: Change,
    show: ShowKey,
    write: (stored: StoredKey) => Promise<boolean>,
  ): Promise<IssuedKey> {
    const { apiKey, record } = issued
    return this.#recorded(line, async () => {
      await show(issued)
      const isWritten = await write({ keyHash: hashApiKey(apiKey), record }).catch((cause: unknown) => {
        const outcome = isRefusal(cause)
          ? 'The API key above was not issued.'
          : `"show ${record.keyId}" tells whether the API key above was issued.`
        throw new UserError(`${sentenceOf(cause)} ${outcome}`, { cause })
      })
      if (isWritten) return issued
      throw new UserError(
        `Another command has changed the API key ${record.predecessor} meanwhile. The API key above was not issued.`,
      )
    })
  }

  #seconds(): number {
    return Math.floor(this.#clock() / 1_000)
  }
}

/** For a key that only the process uses that makes it. */
const unshown = async (): Promise<void> => undefined

/** Whether AWS has refused a call. Of one without a response nobody knows whether it was carried out. */
const isRefusal = (error: unknown): boolean => error instanceof Error && '$fault' in error && error.$fault === 'client'
