/**
 * Changing API keys: all commands do it here. The record of a change is stored first. Then one conditional write
 * makes the change: its condition is that no other command has changed the key since it was read, and it gives the key
 * the id of the change. So a change was made if the key has its id, or if a later record of the key names it as
 * `previous`. This holds after a kill, a lost response and a full disk.
 *
 * A transaction would hold the item of the key, which the authorizer updates at each request.
 */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { type KeyId, nameKey, type StoredKey } from '../../../shared/api-keys/api-key-record.ts'
import { formatKeyUpdate, type KeyChange } from '../../../shared/api-keys/key-table.ts'
import type { Clock } from '../../../shared/clock.ts'
import { type Attributes, awaitConditionalWrite } from '../../../shared/dynamodb/conditional-write.ts'
import { describeError } from '../../command-line/run-command.ts'
import { ConflictError, UserError } from '../../command-line/user-error.ts'
import { readRecordsOf, storeRecord } from '../changes/audit-table.ts'
import {
  type AuditRecord,
  changeIdAttribute,
  createRecord,
  formatKeyTarget,
  formatUnchangedCondition,
  readChangeId,
} from '../changes/record.ts'
import type { NamedTableAccess, Operator } from '../environment/open-environment.ts'
import { isRefused } from '../environment/retry-strategy.ts'
import type { IssuedKey } from './key.ts'

/** The environment whose keys a command changes, the operator who changes them, and the clock. */
export interface KeyContext {
  readonly environment: NamedTableAccess
  readonly operator: Operator
  readonly clock: Clock
  /** Shows the id of a new key, before the key is written. */
  readonly announce: (keyId: KeyId) => void
}

/** A key as it is after a change, or as another command has left it. */
interface WrittenKey {
  readonly isChanged: boolean
  readonly key: StoredKey
}

/** Attributes of a new key that its record in the audit has. */
const terms = ['owner', 'contact', 'plan', 'scope', 'minuteLimit', 'dayLimit', 'expiresAt', 'predecessor']

/** Stores a new key. */
export const storeNewKey = async (context: KeyContext, action: string, issued: IssuedKey): Promise<void> => {
  const { keyHash, record } = issued
  context.announce(record.keyId)
  const change = {
    target: formatKeyTarget(record.keyId),
    keyHash,
    action,
    old: null,
    new: pickAttributes(record, terms),
  } as const
  await writeKey(context, createRecord(change, context.operator, context.clock), undefined, { keyHash, ...record })
}

/** Changes a key, unless another command has changed it since it was read. */
export const changeKey = async (
  context: KeyContext,
  action: string,
  stored: StoredKey,
  changes: KeyChange,
): Promise<WrittenKey> => {
  const names = Object.keys(changes)
  const change = {
    target: formatKeyTarget(nameKey(stored)),
    keyHash: stored.keyHash,
    action,
    previous: readChangeId(stored),
    old: pickAttributes(stored, names),
    new: pickAttributes(changes, names),
  } as const
  const record = createRecord(change, context.operator, context.clock)
  return writeKey(context, record, stored, { ...changes, keyHash: stored.keyHash })
}

/**
 * Changes a key as `changeKey` does. Without changes nothing is written.
 *
 * @throws ConflictError if another command has changed the key since it was read
 */
export const changeKeyOrFail = async (
  context: KeyContext,
  action: string,
  stored: StoredKey,
  changes: KeyChange,
): Promise<StoredKey> => {
  if (Object.keys(changes).length === 0) return stored
  const { isChanged, key } = await changeKey(context, action, stored, changes)
  if (isChanged) return key
  throw new ConflictError(
    `Another command has changed the API key ${nameKey(stored)} meanwhile, and this one has not. ` +
      '"show" says what it is now.',
  )
}

/** Picks attributes by their names. `null` stands for one that is not present. */
const pickAttributes = (attributes: Attributes, names: readonly string[]): Attributes =>
  Object.fromEntries(names.map((name) => [name, attributes[name] ?? null]))

/**
 * Stores a record, and then makes its change.
 *
 * @param stored the item as it was read; undefined for a new key
 * @throws UserError if AWS does not say whether the change was made, or if somebody has deleted the item
 */
const writeKey = async (
  { environment }: KeyContext,
  record: AuditRecord,
  stored: StoredKey | undefined,
  { keyHash, ...attributes }: StoredKey,
): Promise<WrittenKey> => {
  const { database, tables } = environment
  const { ExpressionAttributeValues: values = {}, ConditionExpression } = formatUnchangedCondition('keyHash', stored)
  const update = new UpdateCommand({
    TableName: tables.apiKeys,
    Key: { keyHash },
    ConditionExpression,
    ...formatKeyUpdate({ ...attributes, [changeIdAttribute]: record.changeId }, {}, values),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })
  await storeRecord(environment, record)
  try {
    const outcome = await awaitConditionalWrite(database.send(update))
    if (outcome.met) return { isChanged: true, key: { ...outcome.result.Attributes, keyHash } }
    if (outcome.current === undefined)
      throw new UserError(`The API key ${findKeyId(record)} is not in the table any more.`)
    const key = { ...outcome.current, keyHash }
    return { isChanged: await wasMade(environment, record, key), key }
  } catch (error) {
    if (isRefused(error)) throw error
    const advice = `Whether the change was made is not known, see "npm run audit -- ${findKeyId(record)}".`
    throw new UserError(`${describeError(error)} ${advice}`, { cause: error })
  }
}

const findKeyId = ({ target }: AuditRecord): string => target.replace('key#', '')

/**
 * Whether a change was made whose condition is not met: the SDK repeats a write whose response was lost.
 *
 * @param key the item as it was when the condition was not met, which is before the records are read
 */
const wasMade = async (
  environment: KeyContext['environment'],
  { target, changeId }: AuditRecord,
  key: StoredKey,
): Promise<boolean> => {
  if (readChangeId(key) === changeId) return true
  const records = await readRecordsOf(environment, target)
  return records.some(({ previous }) => previous === changeId)
}
