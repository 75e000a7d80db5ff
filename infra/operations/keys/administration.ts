/** Commands of operators on API keys. */
import { type ApiKeyPrefix, hashApiKey } from '../../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, createGatewayKeyValue, isUsable } from '../../../shared/api-keys/api-key-record.ts'
import { type KeyChange, KeyTable, type StoredKey } from '../../../shared/api-keys/key-table.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { processInBatches, runInterruptibly, waitForAll } from '../../command-line/long-work.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { environments, localStage } from '../../environments.ts'
import type { Audit, Change } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { createKey, findKeyState, type IssuedKey, type KeyOrder } from './key.ts'

/**
 * Shows a new key to its operator.
 *
 * @param replaced record that the replaced key will have, if the new key replaces one
 */
export type ShowKey = (issued: IssuedKey, replaced?: ApiKeyRecord) => Promise<void>

export interface KeyAdministrationOptions {
  readonly clock?: Clock
  /** Audit of each change. By default changes are made without a record. */
  readonly audit?: Pick<Audit, 'recordThenMake'>
  /** Called before a key is written. If it fails, the key is not written. */
  readonly showKey?: ShowKey
}

interface RotationOptions {
  /** Time for which the replaced key still works. @default 24 hours */
  readonly overlapSeconds?: number
  /** Whether to rotate a key that has a successor already. @default false */
  readonly again?: boolean | undefined
}

const noAudit: Pick<Audit, 'recordThenMake'> = { recordThenMake: (_change, make) => make() }

const defaultOverlapSeconds = 24 * 3_600

const revocation = { state: 'revoked' } as const

/**
 * Administers the API keys of an environment.
 *
 * Each change is one conditional write of the table, or one transaction. The condition is that nobody has changed the
 * same attributes since they were read, so an interruption leaves nothing half done. API Gateway follows the table
 * (`functions/gateway-keys`).
 *
 * The parameter `idOrKey` is the id of a key, or the API key itself. A UserError says why a key is not changed.
 *
 * @example
 * using environment = await openEnvironment({ name: 'staging' })
 * const keys = new KeyAdministration(environment)
 * const { apiKey } = await keys.issue({ owner: 'Acme', plan: 'free', allowance: fixedPlans.free })
 */
export class KeyAdministration {
  readonly #table: KeyTable
  readonly #apiKeyPrefix: ApiKeyPrefix
  readonly #clock: Clock
  readonly #audit: Pick<Audit, 'recordThenMake'>
  readonly #showKey: ShowKey

  constructor(
    { name, database, tables }: Pick<Environment, 'name' | 'database' | 'tables'>,
    { clock = systemClock, audit = noAudit, showKey = async () => {} }: KeyAdministrationOptions = {},
  ) {
    const { apiKeyPrefix } = environments[name === 'local' ? localStage : name]
    this.#table = new KeyTable(database, tables.apiKeys)
    this.#apiKeyPrefix = apiKeyPrefix
    this.#clock = clock
    this.#audit = audit
    this.#showKey = showKey
  }

  /** Lists all keys in the order in which they were issued. */
  async list(): Promise<ApiKeyRecord[]> {
    const storedKeys = await this.#table.list()
    return storedKeys.map(({ record }) => record)
  }

  async show(idOrKey: string): Promise<ApiKeyRecord> {
    const { record } = await this.#find(idOrKey)
    return record
  }

  async issue(order: KeyOrder): Promise<IssuedKey> {
    const issued = createKey(this.#apiKeyPrefix, this.#clock(), order)
    const change = createChange('issue', [issued.record], pickTerms(issued.record))
    return this.#audit.recordThenMake({ ...change, old: null }, async () => {
      await this.#showKey(issued)
      await explainFailedIssue(issued, this.#table.add(issued))
      return issued
    })
  }

  /** Issues a key with a given text, such as a sample key. If the key was issued before, it stays as it is. */
  async issueKnown(apiKey: string, order: KeyOrder): Promise<void> {
    const { record } = createKey(this.#apiKeyPrefix, this.#clock(), order)
    await this.#table.add({ keyHash: hashApiKey(apiKey), record })
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
    const { record } = stored
    if (record.successor !== undefined && !again) {
      const successor = await this.show(record.successor)
      const state = findKeyState(successor, this.#clock())
      throw new UserError(
        `The API key ${record.keyId} has the successor ${successor.keyId} (${state}). ` +
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
    const change = createChange('rotate', [record, issued.record], { ...pickTerms(issued.record), ...changes })

    return this.#audit.recordThenMake(change, async () => {
      await this.#showKey(issued, { ...record, ...changes })
      const isReplaced = await explainFailedIssue(issued, this.#table.replace(stored, changes, issued))
      if (isReplaced) return issued
      throw new UserError(`${describeConflict(record)}. The API key above was not issued.`)
    })
  }

  /**
   * Moves a key to a plan, or gives it the present limits of its plan. Another plan needs another API Gateway key.
   * Requests that the key has made in its current windows stay counted.
   */
  async move(idOrKey: string, plan: Plan, { perMinute, perDay }: Allowance): Promise<ApiKeyRecord> {
    const stored = await this.#findUsable(idOrKey)
    const changes = { plan, minuteLimit: perMinute, dayLimit: perDay }
    if (plan === stored.record.plan) return this.#change('move', stored, changes)

    const gatewayKey = createGatewayKeyValue()
    return this.#change('move', stored, { ...changes, gatewayKey, meteredFrom: undefined })
  }

  /** Changes the owner, the contact or both. */
  async edit(idOrKey: string, changes: Pick<KeyChange, 'owner' | 'contact'>): Promise<ApiKeyRecord> {
    return this.#change('edit', await this.#findUsable(idOrKey), changes)
  }

  /** Ends a ban. Resets the counts of refusals and bans, which would make the next ban longer. */
  async unban(idOrKey: string): Promise<ApiKeyRecord> {
    const stored = await this.#findUsable(idOrKey)
    const { keyId, bannedUntil } = stored.record
    if (bannedUntil <= this.#nowInSeconds()) throw new UserError(`The API key ${keyId} is not banned.`)
    return this.#change('unban', stored, { bannedUntil: 0, banCount: 0, refusalCount: 0 })
  }

  /** Revokes a key: its next request is refused. A revoked key stays as it is. */
  async revoke(idOrKey: string): Promise<ApiKeyRecord> {
    const stored = await this.#find(idOrKey)
    if (stored.record.state === 'revoked') return stored.record
    return this.#change('revoke', stored, revocation)
  }

  /** Revokes all keys, unless it is interrupted. Returns how many it has revoked. */
  async revokeAll(): Promise<number> {
    const storedKeys = await this.#table.list()
    const activeKeys = storedKeys.filter(({ record }) => record.state === 'active')
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

  async #find(idOrKey: string): Promise<StoredKey> {
    const storedKeys = await this.#table.list()
    const keyHash = hashApiKey(idOrKey)
    const stored = storedKeys.find((key) => key.record.keyId === idOrKey || key.keyHash === keyHash)
    if (stored !== undefined) return stored
    throw new UserError(`No API key has the id ${idOrKey}. "list" shows the ids of all.`)
  }

  async #findUsable(idOrKey: string): Promise<StoredKey> {
    const stored = await this.#find(idOrKey)
    const { record } = stored
    if (isUsable(record, this.#nowInSeconds())) return stored

    const advice = record.successor === undefined ? 'Issue a new one' : `Its successor is ${record.successor}`
    throw new UserError(`The API key ${record.keyId} is ${findKeyState(record, this.#clock())}. ${advice}.`)
  }

  /** Changes a key, unless the same attributes have changed since it was read. */
  #change(command: string, stored: StoredKey, changes: KeyChange): Promise<ApiKeyRecord> {
    return this.#audit.recordThenMake(createChange(command, [stored.record], changes), async () => {
      const changed = await this.#table.change(stored, changes)
      if (changed !== undefined) return changed
      throw new UserError(`${describeConflict(stored.record)}, and this one has not. "show" says what it is now.`)
    })
  }

  #nowInSeconds(): number {
    return Math.floor(this.#clock() / 1_000)
  }
}

const describeConflict = ({ keyId }: ApiKeyRecord): string =>
  `Another command has changed the API key ${keyId} meanwhile`

/**
 * Explains a failed write of a key that the operator has already seen. If no response came, the key may have been
 * written.
 */
const explainFailedIssue = async <Result>({ record }: IssuedKey, write: Promise<Result>): Promise<Result> => {
  try {
    return await write
  } catch (cause) {
    const sentence = `The API key above was not issued, unless "show ${record.keyId}" finds it.`
    throw new UserError(`${describeError(cause)} ${sentence}`, { cause })
  }
}

/** Picks the attributes of a new key that the audit shows. A successor inherits them from the key that it replaces. */
const pickTerms = (record: ApiKeyRecord): KeyChange => ({
  owner: record.owner,
  contact: record.contact,
  plan: record.plan,
  scope: record.scope,
  minuteLimit: record.minuteLimit,
  dayLimit: record.dayLimit,
  expiresAt: record.expiresAt,
})

/**
 * Creates the audit's change of keys.
 *
 * @param command name of the subcommand of `npm run keys`
 * @param records the record that is changed, followed by the record of its new successor, if there is one
 */
const createChange = (command: string, records: readonly ApiKeyRecord[], changes: KeyChange): Change => {
  const [record = {}] = records
  const names = Object.keys(changes)
  return {
    action: `keys ${command}`,
    ids: records.map(({ keyId }) => keyId),
    old: pickForAudit(record, names),
    new: pickForAudit(changes, names),
  }
}

/** Picks attributes by their names. `null` stands for one that is not present. */
const pickForAudit = (record: KeyChange, names: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(names.map((name) => [name, Reflect.get(record, name) ?? null]))
