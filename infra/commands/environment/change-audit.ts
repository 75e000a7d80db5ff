/**
 * The audit of an environment: one record for each change that an operator makes.
 *
 * The record is stored before the change, or in its transaction. The change is one conditional write: it demands that
 * the item still has the id of the change before (`previous`), and sets the id of this change. So nothing has to be
 * recorded afterwards. An id can be learned only from an item, so a change was made if the item has its id, or if any
 * record of the same target names it as `previous`. This is true after a kill, a lost response and a full disk.
 */
import { type DynamoDBDocumentClient, PutCommand, paginateQuery } from '@aws-sdk/lib-dynamodb'
import { generateRandomText } from '../../../shared/api-keys/api-key.ts'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import type { Attributes, ConditionalOutcome } from '../../../shared/dynamodb/conditional-write.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Environment } from './open-environment.ts'
import { auditTableSchema } from './table-schemas.ts'

declare const changeIdBrand: unique symbol
/**
 * The id of a change, such as `2030-12-31T23:59:59.999Z-k3x9q2ab`. It begins with the UTC time, so ids sort by time,
 * and the first ten characters are the day.
 */
export type ChangeId = string & { readonly [changeIdBrand]: true }

/** Attribute of a pet and of an API key: the id of its latest change by an operator. */
export const changeIdAttribute = 'changeId'

/** Names an item in the audit: a pet by its id, an API key by the id of the key. */
export type Target = `pet#${string}` | `key#${string}`

/** A change that an operator makes. An API key is never part of it. */
export interface Change {
  readonly target: Target
  /** The key of the item in its table: `{ id }` of a pet, `{ keyHash }` of an API key. */
  readonly itemKey: Attributes
  /** Name of the command, for example `pets set`. */
  readonly action: string
  /** The id of the change before: the item's `changeId`, undefined if no operator has changed the item. */
  readonly previous: ChangeId | undefined
  /** Values before the change; `null` if the change creates something. */
  readonly old: object | null
  /** Values after the change; `null` if the change removes something. */
  readonly new: object | null
  /** The source of a pet that comes from a shelter's file. */
  readonly source?: string | undefined
}

/** A record of the audit table. */
export interface AuditRecord extends Change {
  readonly changeId: ChangeId
  /** UTC day of the change, such as `2030-12-31`. */
  readonly day: string
  /** AWS identity or local user of the operator. */
  readonly who: string
  /** The operator's reason. */
  readonly why?: string | undefined
  /** Unix seconds at which the record ends. */
  readonly expiresAt: number
}

const recordSeconds = 365 * 86_400

/** Creates the id of a change that is made now. */
export const createChangeId = (nowMilliseconds: number): ChangeId =>
  // Only this function makes a ChangeId, hence the cast.
  `${new Date(nowMilliseconds).toISOString()}-${generateRandomText(8).toLowerCase()}` as ChangeId

/** Reads the id of the latest change of an item. */
export const readChangeId = (item: Attributes | undefined): ChangeId | undefined =>
  // Only commands write this attribute.
  item?.[changeIdAttribute] as ChangeId | undefined

/** Formats the condition that nobody has changed an item since it was read. Its value is `:previous`, if it has one. */
export const formatPreviousCondition = (previous: ChangeId | undefined) =>
  previous === undefined
    ? { condition: `attribute_not_exists(${changeIdAttribute})`, values: {} }
    : { condition: `${changeIdAttribute} = :previous`, values: { ':previous': previous } }

/** The outcome of a change: `current` is the item that another change has left. */
export type SettledChange<Result> =
  | { readonly made: true; readonly result: Result | undefined }
  | { readonly made: false; readonly current: Attributes | undefined }

/** An error after which nobody knows yet whether a change was made. */
export class UnknownOutcomeError extends UserError {
  override readonly name: string = 'UnknownOutcomeError'

  constructor({ target }: Pick<Change, 'target'>, cause: unknown) {
    const id = target.replace(/^.*?#/, '')
    super(`${describeError(cause)} Whether the change was made is not known, see "npm run audit -- ${id}".`, { cause })
  }
}

interface AuditOptions {
  /** AWS identity or local user of the operator. */
  readonly who: string
  readonly why?: string | undefined
  readonly clock?: Clock
}

/**
 * Records the changes of one command.
 *
 * @example
 * const record = audit.draft({ target: `key#${keyId}`, itemKey, action: 'keys unban', previous, old, new: changes })
 * await audit.record(record)
 * const settled = await audit.settle(record, () => writeKey(record))
 * if (!settled.made) throw new ConflictError('Somebody else has changed the key.')
 */
export class ChangeAudit {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string
  readonly #who: string
  readonly #why: string | undefined
  readonly #clock: Clock

  constructor(
    { database, tables }: Pick<Environment, 'database' | 'tables'>,
    { who, why, clock = systemClock }: AuditOptions,
  ) {
    this.#client = database
    this.#table = tables.audit
    this.#who = who
    this.#why = why
    this.#clock = clock
  }

  /** Creates the record of a change, and stores nothing. The write of the change sets its `changeId`. */
  draft(change: Change): AuditRecord {
    const now = this.#clock()
    const changeId = createChangeId(now)
    const expiresAt = Math.floor(now / 1_000) + recordSeconds
    return { ...change, changeId, day: changeId.slice(0, 10), who: this.#who, why: this.#why, expiresAt }
  }

  /** Stores a record. The change is made afterwards, and is not made if this throws. */
  async record(record: AuditRecord): Promise<void> {
    await this.#client.send(new PutCommand(this.createPut(record).Put))
  }

  /** Creates the item of a transaction that stores a record together with its change. */
  createPut(record: AuditRecord) {
    return { Put: { TableName: this.#table, Item: { ...record } } }
  }

  /**
   * Makes a recorded change, and finds out what became of it. An unmet condition is no conflict if this very change was
   * made before: the SDK repeats a write whose response was lost.
   *
   * @param write makes the conditional write, or the transaction
   * @returns without a result if the response that had it was lost
   * @throws UnknownOutcomeError if AWS does not say; the error of `write` if AWS has refused it
   */
  async settle<Result>(
    record: AuditRecord,
    write: () => Promise<ConditionalOutcome<Result>>,
  ): Promise<SettledChange<Result>> {
    try {
      const outcome = await write()
      if (outcome.met) return { made: true, result: outcome.result }
      const { current } = outcome
      return (await this.#wasMade(record, current)) ? { made: true, result: undefined } : { made: false, current }
    } catch (error) {
      if (isRefused(error)) throw error
      throw new UnknownOutcomeError(record, error)
    }
  }

  /** @param current the item as it was when the condition was not met, which is before the records are read */
  async #wasMade({ target, changeId }: AuditRecord, current: Attributes | undefined): Promise<boolean> {
    if (readChangeId(current) === changeId) return true
    const previousIds = await readPreviousIds(this.#client, this.#table, target)
    return previousIds.has(changeId)
  }
}

/**
 * Reads the ids that the records of a target name as `previous`. The changes with these ids were made. Read the item
 * before: the change that it has as its latest is named by no record yet.
 */
export const readPreviousIds = async (
  client: DynamoDBDocumentClient,
  table: string,
  target: string,
): Promise<ReadonlySet<string>> => {
  const request = {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: `${auditTableSchema.partitionKey} = :target`,
    ExpressionAttributeValues: { ':target': target },
    ProjectionExpression: 'previous',
  }
  const previousIds = new Set<string>()
  for await (const { Items = [] } of paginateQuery({ client }, request)) {
    for (const { previous } of Items) if (previous !== undefined) previousIds.add(previous)
  }
  return previousIds
}

/**
 * Whether AWS has refused a call, so that it has changed nothing: a refusal of the only attempt. After a refusal of a
 * later attempt an earlier one, whose response was lost, may have made the change. The SDK sets `$metadata` on each of
 * its errors, and `$fault` on those that AWS responded with.
 */
const isRefused = (error: unknown): boolean => {
  const { $fault, $metadata }: { $fault?: unknown; $metadata?: { attempts?: number } } = Object(error)
  if ($metadata === undefined) return true
  const { attempts = 1 } = $metadata
  return $fault === 'client' && attempts === 1
}
