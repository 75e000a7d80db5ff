/** Commands of operators on API keys. */
import { type ApiKeyPrefix, hashApiKey } from '../../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  createGatewayKeyValue,
  createKeyReader,
  isUsable,
  type KeyId,
  nameKey,
  readApiKey,
  type StoredKey,
} from '../../../shared/api-keys/api-key-record.ts'
import { hasChangedAttributes, type KeyChange, KeyTable } from '../../../shared/api-keys/key-table.ts'
import type { Limits, Plan } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import {
  type ItemReading,
  type MalformedItem,
  type ReadValue,
  separateMalformed,
} from '../../../shared/dynamodb/item-reader.ts'
import { processInBatches, runInterruptibly, waitForAll } from '../../command-line/long-work.ts'
import { describeError } from '../../command-line/run-command.ts'
import { ConflictError, UserError } from '../../command-line/user-error.ts'
import { environments, localStage } from '../../environments.ts'
import { type Audit, findOutcome } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { createKey, findKeyState, type IssuedKey, type KeyOrder, type KeyState } from './key.ts'
import { createChange, pickTerms } from './key-audit.ts'
import { describeMalformedKey, planMend } from './malformed-key.ts'

/** A key that another key replaces. */
export interface ReplacedKey extends Pick<ApiKeyRecord, 'keyId' | 'expiresAt' | 'overlapEndsAt'> {
  /** The key that replaced it before. */
  readonly earlierSuccessor?: Successor | undefined
}

interface Successor {
  readonly keyId: KeyId
  /** State of the key, in a word. */
  readonly state: string
}

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

/** The attributes that `edit` changes; `undefined` removes one. */
export type KeyEdit = Pick<KeyChange, 'owner' | 'contact' | 'scope' | 'expiresAt' | 'overlapEndsAt'>

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

// Each command reads what it needs, so that it works on a key whose other attributes are malformed.
const readUsability = createKeyReader(['state', 'expiresAt', 'overlapEndsAt'], ['successor'])
type UsabilityRecord = ReadValue<ReturnType<typeof readUsability>>
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
 * const { apiKey } = await keys.issue({ owner: 'Acme', plan: 'free', limits: fixedPlans.free })
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
    const earlierSuccessor = record.successor && (await this.#describeSuccessor(record.successor))
    if (earlierSuccessor !== undefined && !again) {
      throw new ConflictError(
        `The API key ${record.keyId} has the successor ${earlierSuccessor.keyId} (${earlierSuccessor.state}). ` +
          'To make another one, add --again.',
      )
    }

    const { owner, contact, plan, scope, expiresAt } = record
    const limits = { perMinute: record.minuteLimit, perDay: record.dayLimit }
    const order: KeyOrder = { owner, contact, plan, scope, expiresAt, limits }
    const issued = createKey(this.#apiKeyPrefix, this.#clock(), order, record)
    const changes = {
      successor: issued.record.keyId,
      overlapEndsAt: record.overlapEndsAt ?? this.#nowInSeconds() + overlapSeconds,
    }
    const ids = [record.keyId, issued.record.keyId]
    const change = createChange('rotate', ids, stored, { ...pickTerms(issued.record), ...changes })

    return this.#audit.recordThenMake(change, async () => {
      const isReplaced = await explainFailedIssue(issued, async () => {
        await this.#showKey(issued, { ...record, ...changes, earlierSuccessor })
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
  async move(idOrKey: string, plan: Plan, { perMinute, perDay }: Limits): Promise<StoredKey> {
    const stored = await this.#findUsable(idOrKey)
    const changes = { plan, minuteLimit: perMinute, dayLimit: perDay }
    const gatewayKeyReading = readGatewayKey(stored)
    const keepsGatewayKey = gatewayKeyReading.kind === 'read' && gatewayKeyReading.value.plan === plan
    if (keepsGatewayKey) return this.#change('move', stored, changes)

    const gatewayKey = createGatewayKeyValue()
    return this.#change('move', stored, { ...changes, gatewayKey, meteredFrom: undefined })
  }

  /**
   * Changes some terms of a key. Its end can be changed also after it: the key then works again.
   *
   * A key whose end is changed gets another API Gateway key, because the one of an ended key may be deleted at any time
   * (`functions/gateway-keys`).
   */
  async edit(idOrKey: string, changes: KeyEdit): Promise<StoredKey> {
    const stored = await this.find(idOrKey)
    const changesOverlap = 'overlapEndsAt' in changes
    const changesEnd = changesOverlap || 'expiresAt' in changes
    const record = requireReadable(readUsability({ ...stored, ...changes }))
    const isEditable = record.state === 'active' && (changesEnd || isUsable(record, this.#nowInSeconds()))
    if (!isEditable) throw this.#explainUnusable(stored, record)

    const isReplaced = stored['successor'] !== undefined || stored['overlapEndsAt'] !== undefined
    if (changesOverlap && !isReplaced) {
      throw new ConflictError(
        `The API key ${nameKey(stored)} has no successor, and so no overlap. "edit" its --expires.`,
      )
    }
    if (!changesEnd) return this.#change('edit', stored, changes)
    return this.#change('edit', stored, { ...changes, gatewayKey: createGatewayKeyValue(), meteredFrom: undefined })
  }

  /** Ends a ban. Resets the counts of refusals and bans, which would make the next ban longer. */
  async unban(idOrKey: string): Promise<StoredKey> {
    const stored = await this.#findUsable(idOrKey)
    const ban = readBan(stored)
    const isBanned = ban.kind === 'malformed' || ban.value.bannedUntil > this.#nowInSeconds()
    if (!isBanned) throw new ConflictError(`The API key ${nameKey(stored)} is not banned.`)
    return this.#change('unban', stored, { bannedUntil: 0, banCount: 0, refusalCount: 0 })
  }

  /**
   * Revokes a key: its next request is refused. A key that was revoked before stays as it is. If that was done without
   * the commands, the key gets the time at which it was revoked, so that the audit has it too.
   */
  async revoke(idOrKey: string): Promise<StoredKey> {
    return this.#revoke('revoke', await this.find(idOrKey))
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

  /**
   * Revokes all keys, also those that are issued meanwhile, unless it is interrupted. Returns how many it has revoked.
   *
   * @param confirm gets the number of keys before any is revoked. If it throws, none is.
   */
  async revokeAll(confirm: (count: number) => Promise<void> = async () => {}): Promise<number> {
    let activeKeys = await this.#listUnrevoked()
    await confirm(activeKeys.length)
    let foundCount = activeKeys.length
    let revokedCount = 0

    const revoke = async (stored: StoredKey): Promise<void> => {
      await this.#revoke('revoke --all', stored)
      revokedCount += 1
    }
    const howToGoOn = (): string =>
      `${revokedCount} of ${foundCount} keys were revoked until then. Run the same command again.`

    await runInterruptibly(howToGoOn, async (signal) => {
      while (activeKeys.length > 0) {
        await processInBatches('keys', activeKeys, (batch) => waitForAll(batch.map(revoke)), { signal })
        // Another command may have issued a key since the last list, such as a successor.
        activeKeys = await this.#listUnrevoked()
        foundCount += activeKeys.length
      }
    })
    return revokedCount
  }

  /** Lists the keys that are not revoked. They may have ended, or be malformed. */
  async #listUnrevoked(): Promise<readonly StoredKey[]> {
    const storedKeys = await this.#table.list()
    return storedKeys.filter(({ state }) => state !== 'revoked')
  }

  async #findUsable(idOrKey: string): Promise<StoredKey> {
    const stored = await this.find(idOrKey)
    const record = requireReadable(readUsability(stored))
    if (isUsable(record, this.#nowInSeconds())) return stored
    throw this.#explainUnusable(stored, record)
  }

  #explainUnusable(stored: StoredKey, record: UsabilityRecord): ConflictError {
    const state = findKeyState(record, this.#clock())
    return new ConflictError(`The API key ${nameKey(stored)} is ${state}. ${adviseOnUnusable(record, state)}`)
  }

  /** Describes the successor of a key by its state, which may not be readable. Its item may be lost. */
  async #describeSuccessor(keyId: KeyId): Promise<Successor> {
    const storedKeys = await this.#table.list()
    const stored = storedKeys.find((key) => nameKey(key) === keyId)
    if (stored === undefined) return { keyId, state: 'lost' }

    const reading = readUsability(stored)
    const state = reading.kind === 'read' ? findKeyState(reading.value, this.#clock()) : 'damaged'
    return { keyId, state }
  }

  async #revoke(command: string, stored: StoredKey): Promise<StoredKey> {
    const isRecorded = stored['state'] === 'revoked' && stored['revokedAt'] !== undefined
    if (isRecorded) return stored

    const changes = { state: 'revoked', revokedAt: this.#nowInSeconds() } as const
    return this.#change(command, stored, changes, ({ state }) => state === 'revoked')
  }

  /**
   * Changes a key, unless the same attributes have changed since it was read. If another command has made the same
   * change first, the result is the key as it is, and the audit has this change as failed.
   *
   * @param isAlreadyDone whether a command that has changed the key meanwhile has done the same
   */
  async #change(
    command: string,
    stored: StoredKey,
    changes: KeyChange,
    isAlreadyDone: (current: Attributes) => boolean = (current) => hasChangedAttributes(current, changes),
  ): Promise<StoredKey> {
    const change = createChange(command, [nameKey(stored)], stored, changes)
    const make = async (): Promise<StoredKey> => {
      const outcome = await this.#table.change(stored, changes)
      if (outcome.met) return outcome.result

      const { current, error } = outcome
      if (current !== undefined && isAlreadyDone(current)) {
        throw new MadeByAnotherError({ ...current, keyHash: stored.keyHash }, error)
      }
      const doubt =
        findOutcome(error) === 'unknown'
          ? 'Whether this one has changed it before is not known, because a response was lost.'
          : 'This one has not.'
      throw new ConflictError(`${describeConflict(stored)}. ${doubt} "show" says what it is now.`, { cause: error })
    }
    try {
      return await this.#audit.recordThenMake(change, make)
    } catch (error) {
      if (error instanceof MadeByAnotherError) return error.current
      throw error
    }
  }

  #nowInSeconds(): number {
    return Math.floor(this.#clock() / 1_000)
  }
}

/** Another command has made a change first, so the key is as it should be, and this change was not made. */
class MadeByAnotherError extends UserError {
  /** The key as the other command has left it. */
  readonly current: StoredKey

  constructor(current: StoredKey, cause: unknown) {
    super('Another command has made the same change first.', { cause })
    this.current = current
  }
}

/** Says what an operator can do about a key that cannot be used any more. */
const adviseOnUnusable = ({ successor }: UsabilityRecord, state: KeyState): string => {
  if (successor !== undefined) return `Its successor is ${successor}.`
  return state === 'expired' ? 'To renew it, "edit" its --expires.' : 'Issue a new one.'
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
