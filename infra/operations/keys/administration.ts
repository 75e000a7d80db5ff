/** Commands of operators on API keys. */
import { type ApiKeyPrefix, hashApiKey } from '../../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  createGatewayKeyValue,
  createKeyReader,
  isUsable,
  nameKey,
  readApiKey,
  type StoredKey,
} from '../../../shared/api-keys/api-key-record.ts'
import { type KeyChange, KeyTable } from '../../../shared/api-keys/key-table.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { type ItemReading, type MalformedItem, separateMalformed } from '../../../shared/dynamodb/item-reader.ts'
import { processInBatches, runInterruptibly, waitForAll } from '../../command-line/long-work.ts'
import { describeError } from '../../command-line/run-command.ts'
import { ConflictError, UserError } from '../../command-line/user-error.ts'
import { environments, localStage } from '../../environments.ts'
import { type Audit, findOutcome } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { createKey, findKeyState, type IssuedKey, type KeyOrder } from './key.ts'
import { createChange, pickTerms } from './key-audit.ts'
import { describeMalformedKey, planMend } from './malformed-key.ts'

/** A key that another key replaces. */
export type ReplacedKey = Pick<ApiKeyRecord, 'keyId' | 'expiresAt' | 'overlapEndsAt'>

/**
 * Shows a new key to its operator.
 *
 * @param replaced the replaced key as it will be, if the new key replaces one
 */
export type ShowKey = (issued: IssuedKey, replaced?: ReplacedKey) => Promise<void>

export interface KeyAdministrationOptions {
  readonly clock?: Clock
  /** Audit of each change. */
  readonly audit: Audit
  /** Called before a key is written. If it fails, the key is not written. */
  readonly showKey?: ShowKey
}

interface RotationOptions {
  /** Time for which the replaced key still works. @default 24 hours */
  readonly overlapSeconds?: number
  /** Whether to rotate a key that has a successor already. @default false */
  readonly again?: boolean | undefined
}

/** The keys of an environment. */
export interface KeyList {
  readonly keys: readonly ApiKeyRecord[]
  readonly malformedKeys: readonly MalformedItem<StoredKey>[]
}

const defaultOverlapSeconds = 24 * 3_600

const revocation = { state: 'revoked' } as const

// Each command reads what it needs, so that it works on a key whose other attributes are malformed.
const readUsability = createKeyReader(['state', 'expiresAt', 'overlapEndsAt'], ['successor'])
const readTermsToInherit = createKeyReader([
  'keyId',
  'idempotencyScope',
  'owner',
  'contact',
  'plan',
  'scope',
  'expiresAt',
  'overlapEndsAt',
  'successor',
  'minuteLimit',
  'dayLimit',
])
const readGatewayKey = createKeyReader(['plan', 'gatewayKey', 'meteredFrom'])
const readBan = createKeyReader(['bannedUntil', 'banCount', 'refusalCount'])

/**
 * Administers the API keys of an environment.
 *
 * Each change is one conditional write of the table, or one transaction. The condition is that nobody has changed the
 * same attributes since they were read, so an interruption leaves nothing half done. API Gateway follows the table
 * (`functions/gateway-keys`).
 *
 * The parameter `idOrKey` is the id of a key, or the API key itself. A UserError says why a key is not changed. A
 * command writes its attributes also where they are malformed, and returns the item after the change.
 *
 * @example
 * using environment = await openEnvironment({ name: 'staging' })
 * const keys = new KeyAdministration(environment, { audit })
 * const { apiKey } = await keys.issue({ owner: 'Acme', plan: 'free', allowance: fixedPlans.free })
 */
export class KeyAdministration {
  readonly #table: KeyTable
  readonly #apiKeyPrefix: ApiKeyPrefix
  readonly #clock: Clock
  readonly #audit: Audit
  readonly #showKey: ShowKey

  constructor(
    { name, database, tables }: Pick<Environment, 'name' | 'database' | 'tables'>,
    { clock = systemClock, audit, showKey = async () => {} }: KeyAdministrationOptions,
  ) {
    const { apiKeyPrefix } = environments[name === 'local' ? localStage : name]
    this.#table = new KeyTable(database, tables.apiKeys)
    this.#apiKeyPrefix = apiKeyPrefix
    this.#clock = clock
    this.#audit = audit
    this.#showKey = showKey
  }

  /** Lists all keys in the order in which they were issued, and apart from them those that cannot be read. */
  async list(): Promise<KeyList> {
    const storedKeys = await this.#table.list()
    const { readItems, malformedItems } = separateMalformed(storedKeys.map(readApiKey))
    return { keys: readItems.map(({ value }) => value), malformedKeys: malformedItems }
  }

  /** @throws UserError if the key cannot be read */
  async show(idOrKey: string): Promise<ApiKeyRecord> {
    return requireReadable(readApiKey(await this.find(idOrKey)))
  }

  /** Finds the item of a key, which may be malformed. */
  async find(idOrKey: string): Promise<StoredKey> {
    const storedKeys = await this.#table.list()
    const keyHash = hashApiKey(idOrKey)
    const stored = storedKeys.find((key) => nameKey(key) === idOrKey || key.keyHash === keyHash)
    if (stored !== undefined) return stored
    throw new UserError(`No API key has the id ${idOrKey}. "list" shows the ids of all.`)
  }

  async issue(order: KeyOrder): Promise<IssuedKey> {
    const issued = createKey(this.#apiKeyPrefix, this.#clock(), order)
    const change = createChange('issue', [issued.record.keyId], {}, pickTerms(issued.record))
    return this.#audit.recordThenMake({ ...change, old: null }, async () => {
      await explainFailedIssue(issued, async () => {
        await this.#showKey(issued)
        await this.#table.add(issued)
      })
      return issued
    })
  }

  /** Issues a key with a given text, such as a sample key. If the key was issued before, it stays as it is. */
  async issueKnown(apiKey: string, order: KeyOrder): Promise<void> {
    const keyHash = hashApiKey(apiKey)
    const storedKeys = await this.#table.list()
    if (storedKeys.some((key) => key.keyHash === keyHash)) return

    const { record } = createKey(this.#apiKeyPrefix, this.#clock(), order)
    const change = createChange('issue', [record.keyId], {}, pickTerms(record))
    await this.#audit.recordThenMake({ ...change, old: null }, () => this.#table.add({ keyHash, record }))
  }

  /**
   * Issues a successor with the same owner, plan, limits, scope and end by contract. The replaced key works until its
   * overlap ends. A key that is rotated again keeps the end of its first overlap.
   */
  async rotate(
    idOrKey: string,
    { overlapSeconds = defaultOverlapSeconds, again = false }: RotationOptions = {},
  ): Promise<IssuedKey> {
    const stored = await this.#findUsable(idOrKey)
    const record = requireReadable(readTermsToInherit(stored))
    if (record.successor !== undefined && !again) {
      const usability = requireReadable(readUsability(await this.find(record.successor)))
      const state = findKeyState(usability, this.#clock())
      throw new ConflictError(
        `The API key ${record.keyId} has the successor ${record.successor} (${state}). ` +
          'To make another one, add --again.',
      )
    }

    const { owner, contact, plan, scope, expiresAt } = record
    const allowance = { perMinute: record.minuteLimit, perDay: record.dayLimit }
    const order: KeyOrder = { owner, contact, plan, scope, expiresAt, allowance }
    const issued = createKey(this.#apiKeyPrefix, this.#clock(), order, record)
    const changes = {
      successor: issued.record.keyId,
      overlapEndsAt: record.overlapEndsAt ?? this.#nowInSeconds() + overlapSeconds,
    }
    const ids = [record.keyId, issued.record.keyId]
    const change = createChange('rotate', ids, stored, { ...pickTerms(issued.record), ...changes })

    return this.#audit.recordThenMake(change, async () => {
      const isReplaced = await explainFailedIssue(issued, async () => {
        await this.#showKey(issued, { ...record, ...changes })
        return this.#table.replace(stored, changes, issued)
      })
      if (isReplaced) return issued
      throw new ConflictError(`${describeConflict(stored)}. The new API key ${issued.record.keyId} was not issued.`)
    })
  }

  /**
   * Moves a key to a plan, or gives it the present limits of its plan. Another plan needs another API Gateway key.
   * Requests that the key has made in its current windows stay counted.
   */
  async move(idOrKey: string, plan: Plan, { perMinute, perDay }: Allowance): Promise<StoredKey> {
    const stored = await this.#findUsable(idOrKey)
    const changes = { plan, minuteLimit: perMinute, dayLimit: perDay }
    const gatewayKeyReading = readGatewayKey(stored)
    const keepsGatewayKey = gatewayKeyReading.kind === 'read' && gatewayKeyReading.value.plan === plan
    if (keepsGatewayKey) return this.#change('move', stored, changes)

    const gatewayKey = createGatewayKeyValue()
    return this.#change('move', stored, { ...changes, gatewayKey, meteredFrom: undefined })
  }

  /** Changes the owner, the contact or both. */
  async edit(idOrKey: string, changes: Pick<KeyChange, 'owner' | 'contact'>): Promise<StoredKey> {
    return this.#change('edit', await this.#findUsable(idOrKey), changes)
  }

  /** Ends a ban. Resets the counts of refusals and bans, which would make the next ban longer. */
  async unban(idOrKey: string): Promise<StoredKey> {
    const stored = await this.#findUsable(idOrKey)
    const ban = readBan(stored)
    const isBanned = ban.kind === 'malformed' || ban.value.bannedUntil > this.#nowInSeconds()
    if (!isBanned) throw new ConflictError(`The API key ${nameKey(stored)} is not banned.`)
    return this.#change('unban', stored, { bannedUntil: 0, banCount: 0, refusalCount: 0 })
  }

  /** Revokes a key: its next request is refused. A revoked key stays as it is. */
  async revoke(idOrKey: string): Promise<StoredKey> {
    const stored = await this.find(idOrKey)
    if (stored['state'] === 'revoked') return stored
    return this.#change('revoke', stored, revocation)
  }

  /**
   * Writes the malformed attributes of a key anew. The terms of its owner, such as the plan, stay as they are, because
   * nothing else shows what they were: other commands set them.
   */
  async mend(idOrKey: string): Promise<StoredKey> {
    const stored = await this.find(idOrKey)
    const reading = readApiKey(stored)
    if (reading.kind === 'read')
      throw new ConflictError(`The API key ${nameKey(stored)} can be read: there is nothing to mend.`)

    const changes = planMend(stored)
    const canBeMended = Object.keys(changes).length > 0
    if (!canBeMended) throw new UserError(describeMalformedKey(reading))
    return this.#change('mend', stored, changes)
  }

  /** Revokes all keys, unless it is interrupted. Returns how many it has revoked. */
  async revokeAll(): Promise<number> {
    const storedKeys = await this.#table.list()
    const activeKeys = storedKeys.filter(({ state }) => state !== 'revoked')
    let revokedCount = 0

    const revoke = async (stored: StoredKey): Promise<void> => {
      await this.#change('revoke --all', stored, revocation)
      revokedCount += 1
    }
    const howToGoOn = (): string =>
      `${revokedCount} of ${activeKeys.length} keys were revoked until then. Run the same command again.`

    await runInterruptibly(howToGoOn, (signal) =>
      processInBatches('keys', activeKeys, (batch) => waitForAll(batch.map(revoke)), { signal }),
    )
    return revokedCount
  }

  async #findUsable(idOrKey: string): Promise<StoredKey> {
    const stored = await this.find(idOrKey)
    const record = requireReadable(readUsability(stored))
    if (isUsable(record, this.#nowInSeconds())) return stored

    const advice = record.successor === undefined ? 'Issue a new one' : `Its successor is ${record.successor}`
    throw new ConflictError(`The API key ${nameKey(stored)} is ${findKeyState(record, this.#clock())}. ${advice}.`)
  }

  /** Changes a key, unless the same attributes have changed since it was read. */
  #change(command: string, stored: StoredKey, changes: KeyChange): Promise<StoredKey> {
    return this.#audit.recordThenMake(createChange(command, [nameKey(stored)], stored, changes), async () => {
      const changed = await this.#table.change(stored, changes)
      if (changed !== undefined) return changed
      throw new ConflictError(`${describeConflict(stored)}, and this one has not. "show" says what it is now.`)
    })
  }

  #nowInSeconds(): number {
    return Math.floor(this.#clock() / 1_000)
  }
}

const describeConflict = (stored: StoredKey): string =>
  `Another command has changed the API key ${nameKey(stored)} meanwhile`

/**
 * Returns the attributes that a command needs.
 *
 * @throws UserError that names the malformed attribute, and the command that sets it
 */
const requireReadable = <Record>(reading: ItemReading<Record, StoredKey>): Record => {
  if (reading.kind === 'malformed') throw new UserError(describeMalformedKey(reading))
  return reading.value
}

/** Shows and writes a key. If that fails, the error says that the key, which the operator may see, was not issued. */
const explainFailedIssue = async <Result>({ record }: IssuedKey, issue: () => Promise<Result>): Promise<Result> => {
  try {
    return await issue()
  } catch (cause) {
    const doubt = findOutcome(cause) === 'unknown' ? `, unless "show ${record.keyId}" finds it` : ''
    throw new UserError(`${describeError(cause)} The new API key ${record.keyId} was not issued${doubt}.`, { cause })
  }
}

/** Opens the keys of an environment for commands that change none. */
export const readKeys = (
  environment: Pick<Environment, 'name' | 'database' | 'tables'>,
  clock?: Clock,
): Pick<KeyAdministration, 'list' | 'show' | 'find'> =>
  new KeyAdministration(environment, clock === undefined ? { audit: noAudit } : { audit: noAudit, clock })

const refuseChange = (): Promise<never> => Promise.reject(new Error('The keys were opened for reading.'))

/** Accepts no change. */
const noAudit: Audit = { recordThenMake: refuseChange, recordThenMakeAll: refuseChange }
