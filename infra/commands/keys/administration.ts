/** Commands of operators on API keys. */
import { type DynamoDBDocumentClient, PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { ApiKeyPrefix } from '../../../shared/api-keys/api-key.ts'
import {
  type ApiKeyRecord,
  isUsable,
  type KeyId,
  nameKey,
  type StoredKey,
} from '../../../shared/api-keys/api-key-record.ts'
import { formatKeyUpdate, type KeyChange } from '../../../shared/api-keys/key-table.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { type Attributes, awaitConditionalWrite } from '../../../shared/dynamodb/conditional-write.ts'
import { findUnmetItems } from '../../../shared/dynamodb/transaction.ts'
import { processInBatches } from '../../command-line/progress.ts'
import { ConflictError, UserError } from '../../command-line/user-error.ts'
import { environments, localStage } from '../../environments.ts'
import {
  type AuditRecord,
  type ChangeAudit,
  changeIdAttribute,
  formatPreviousCondition,
  readChangeId,
  type SettledChange,
  type Target,
} from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { createKey, type IssuedKey, type KeyOrder } from './key.ts'
import { KeyReader, requireReadable } from './key-reader.ts'
import { decideKeyChange, explainUnusable, type KeySettings } from './key-settings.ts'

export interface KeyAdministrationOptions {
  readonly audit: ChangeAudit
  readonly clock?: Clock
  /** Shows the id of a new key, before the key is written. */
  readonly announce?: (keyId: KeyId) => void
}

interface RotationOptions {
  /** Time for which the replaced key still works, if it was not replaced before. @default 24 hours */
  readonly overlapSeconds?: number | undefined
}

/** A new key, and the key that it replaces as it is now. */
export interface Rotation extends IssuedKey {
  readonly replaced: ApiKeyRecord
  /** The successor that the replaced key had before. */
  readonly earlierSuccessor: KeyId | undefined
}

const defaultOverlapSeconds = 24 * 3_600

/**
 * Administers the API keys of an environment.
 *
 * Each change is one conditional write, with its record in the audit before it; a rotation is one transaction. The
 * condition is that no other command has changed the key since it was read. Every command can be repeated. API Gateway
 * follows the table (`functions/gateway-keys`).
 *
 * The parameter `idOrKey` is the id of a key, or the API key itself. A UserError says why a key is not changed.
 *
 * @example
 * using environment = await openEnvironment({ name: 'staging' })
 * const keys = new KeyAdministration(environment, { audit })
 * const { apiKey } = await keys.issue({ owner: 'Acme', plan: 'free', limits: fixedPlans.free })
 */
export class KeyAdministration extends KeyReader {
  readonly #database: DynamoDBDocumentClient
  readonly #tableName: string
  readonly #apiKeyPrefix: ApiKeyPrefix
  readonly #audit: ChangeAudit
  readonly #clock: Clock
  readonly #announce: (keyId: KeyId) => void

  constructor(
    { name, database, tables }: Pick<Environment, 'name' | 'database' | 'tables'>,
    { audit, clock = systemClock, announce = () => undefined }: KeyAdministrationOptions,
  ) {
    super({ database, tables })
    this.#database = database
    this.#tableName = tables.apiKeys
    this.#apiKeyPrefix = environments[name === 'local' ? localStage : name].apiKeyPrefix
    this.#audit = audit
    this.#clock = clock
    this.#announce = announce
  }

  async issue(order: KeyOrder): Promise<IssuedKey> {
    const issued = createKey(this.#apiKeyPrefix, this.#clock(), order)
    const record = this.#draftIssue('keys issue', issued)
    this.#announce(issued.record.keyId)
    await this.#audit.record(record)
    await this.#audit.settle(record, () =>
      awaitConditionalWrite(this.#database.send(new PutCommand(this.#createPut(issued, record)))),
    )
    return issued
  }

  /**
   * Issues a successor with the same owner, plan, limits, scope and end by contract. The replaced key works until its
   * overlap ends. A key that is rotated again keeps the end of its first overlap.
   */
  async rotate(idOrKey: string, { overlapSeconds = defaultOverlapSeconds }: RotationOptions = {}): Promise<Rotation> {
    const stored = await this.find(idOrKey)
    const key = requireReadable(stored)
    const nowSeconds = this.#readSeconds()
    if (!isUsable(key, nowSeconds)) throw explainUnusable(key, nowSeconds)

    const { owner, contact, plan, scope, expiresAt } = key
    const limits = { perMinute: key.minuteLimit, perDay: key.dayLimit }
    const order: KeyOrder = { owner, contact, plan, scope, expiresAt, limits }
    const issued = createKey(this.#apiKeyPrefix, this.#clock(), order, key)
    const changes = {
      successor: issued.record.keyId,
      overlapEndsAt: key.overlapEndsAt ?? nowSeconds + overlapSeconds,
    }
    const issueRecord = this.#draftIssue('keys rotate', issued)
    const changeRecord = this.#draftChange('keys rotate', stored, changes)
    this.#announce(issued.record.keyId)

    const transaction = new TransactWriteCommand({
      TransactItems: [
        this.#audit.createPut(issueRecord),
        this.#audit.createPut(changeRecord),
        { Put: this.#createPut(issued, issueRecord) },
        { Update: this.#createUpdate(stored, changes, changeRecord) },
      ],
    })
    const settled = await this.#audit.settle(changeRecord, async () => {
      try {
        return { met: true, result: await this.#database.send(transaction) }
      } catch (error) {
        if (findUnmetItems(error) === undefined) throw error
        return { met: false, current: await this.#readAgain(stored) }
      }
    })
    if (!settled.made) throw createConflict(stored)
    return { ...issued, replaced: { ...key, ...changes }, earlierSuccessor: key.successor }
  }

  /** Changes the terms of a key. Requests that the key has made in its current windows stay counted. */
  async set(idOrKey: string, settings: KeySettings): Promise<StoredKey> {
    const stored = await this.find(idOrKey)
    const changes = decideKeyChange(requireReadable(stored), settings, this.#readSeconds())
    return this.#changeOnce('keys set', stored, changes)
  }

  /** Ends a ban. Resets the counts of refusals and bans, which would make the next ban longer. */
  async unban(idOrKey: string): Promise<StoredKey> {
    const stored = await this.find(idOrKey)
    const key = requireReadable(stored)
    const nowSeconds = this.#readSeconds()
    if (!isUsable(key, nowSeconds)) throw explainUnusable(key, nowSeconds)
    const isBanned = key.bannedUntil > nowSeconds
    return this.#changeOnce('keys unban', stored, isBanned ? { bannedUntil: 0, banCount: 0, refusalCount: 0 } : {})
  }

  /** Revokes a key: its next request is refused. A key that cannot be read can be revoked too. */
  async revoke(idOrKey: string): Promise<StoredKey> {
    return this.#revoke('keys revoke', await this.find(idOrKey))
  }

  /** Revokes all keys, also those that are issued meanwhile. Returns how many it has revoked. */
  async revokeAll(): Promise<number> {
    let revokedCount = 0
    let activeKeys = await this.#listUnrevoked()
    while (activeKeys.length > 0) {
      await processInBatches('keys', activeKeys, async (stored) => {
        await this.#revoke('keys revoke --all', stored)
        revokedCount += 1
      })
      activeKeys = await this.#listUnrevoked()
    }
    return revokedCount
  }

  async #listUnrevoked(): Promise<readonly StoredKey[]> {
    const storedKeys = await this.listStored()
    return storedKeys.filter(({ state }) => state !== 'revoked')
  }

  /**
   * Revokes a key as it is, whatever another command does meanwhile. A key that was revoked without the commands gets
   * the time at which it was revoked, so that the audit has it too.
   */
  async #revoke(action: string, found: StoredKey): Promise<StoredKey> {
    let stored = found
    while (stored['state'] !== 'revoked' || stored['revokedAt'] === undefined) {
      const settled = await this.#change(action, stored, { state: 'revoked', revokedAt: this.#readSeconds() })
      if (settled.made) return settled.key
      stored = settled.current
    }
    return stored
  }

  /** Changes a key, unless another command has changed it since it was read. Without a change nothing is written. */
  async #changeOnce(action: string, stored: StoredKey, changes: KeyChange): Promise<StoredKey> {
    if (Object.keys(changes).length === 0) return stored
    const settled = await this.#change(action, stored, changes)
    if (settled.made) return settled.key
    throw createConflict(stored)
  }

  async #change(action: string, stored: StoredKey, changes: KeyChange) {
    const record = this.#draftChange(action, stored, changes)
    await this.#audit.record(record)
    const update = new UpdateCommand({
      ...this.#createUpdate(stored, changes, record),
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    const settled = await this.#audit.settle(record, () => awaitConditionalWrite(this.#database.send(update)))
    return describeSettledKey(settled, stored, changes)
  }

  async #readAgain({ keyHash }: StoredKey): Promise<StoredKey | undefined> {
    const storedKeys = await this.listStored()
    return storedKeys.find((key) => key.keyHash === keyHash)
  }

  #draftIssue(action: string, { keyHash, record }: IssuedKey): AuditRecord {
    const target = nameTarget(record.keyId)
    return this.#audit.draft({
      target,
      itemKey: { keyHash },
      action,
      previous: undefined,
      old: null,
      new: pickTerms(record),
    })
  }

  #draftChange(action: string, stored: StoredKey, changes: KeyChange): AuditRecord {
    const names = Object.keys(changes)
    return this.#audit.draft({
      target: nameTarget(nameKey(stored)),
      itemKey: { keyHash: stored.keyHash },
      action,
      previous: readChangeId(stored),
      old: pickForAudit(stored, names),
      new: pickForAudit(changes, names),
    })
  }

  #createPut({ keyHash, record }: IssuedKey, { changeId }: AuditRecord) {
    return {
      TableName: this.#tableName,
      Item: { keyHash, ...record, [changeIdAttribute]: changeId },
      ConditionExpression: 'attribute_not_exists(keyHash)',
    }
  }

  #createUpdate({ keyHash }: StoredKey, changes: KeyChange, { changeId, previous }: AuditRecord) {
    const { condition, values } = formatPreviousCondition(previous)
    return {
      TableName: this.#tableName,
      Key: { keyHash },
      ...formatKeyUpdate({ ...changes, [changeIdAttribute]: changeId }, {}, values),
      // Without the first condition an update of a key that is not in the table would add an item.
      ConditionExpression: `attribute_exists(keyHash) AND ${condition}`,
    }
  }

  #readSeconds(): number {
    return Math.floor(this.#clock() / 1_000)
  }
}

const nameTarget = (keyId: string): Target => `key#${keyId}`

/** Picks the attributes of a new key that the audit shows. */
const pickTerms = (record: ApiKeyRecord): Attributes =>
  pickForAudit(record, ['owner', 'contact', 'plan', 'scope', 'minuteLimit', 'dayLimit', 'expiresAt', 'predecessor'])

/** Picks attributes by their names. `null` stands for one that is not present. */
const pickForAudit = (attributes: Attributes, names: readonly string[]): Attributes =>
  Object.fromEntries(names.map((name) => [name, attributes[name] ?? null]))

type SettledKey =
  | { readonly made: true; readonly key: StoredKey }
  | { readonly made: false; readonly current: StoredKey }

/** @throws UserError if somebody has deleted the item of the key */
const describeSettledKey = (
  settled: SettledChange<{ readonly Attributes?: Attributes | undefined }>,
  stored: StoredKey,
  changes: KeyChange,
): SettledKey => {
  const { keyHash } = stored
  if (settled.made)
    return { made: true, key: { ...(settled.result?.Attributes ?? { ...stored, ...changes }), keyHash } }
  if (settled.current !== undefined) return { made: false, current: { ...settled.current, keyHash } }
  throw new UserError(`The API key ${nameKey(stored)} is not in the table any more.`)
}

const createConflict = (stored: StoredKey): ConflictError =>
  new ConflictError(
    `Another command has changed the API key ${nameKey(stored)} meanwhile, and this one has not. ` +
      '"show" says what it is now.',
  )
