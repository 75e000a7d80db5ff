/**
 * The write with which all commands change API keys. First the record of the change is stored in the audit. Then one
 * write changes the key and gives it the id of the change, on condition that no other command has changed the key since
 * it was read. So a change was made if the key has the id of the change, or if a later record of the key names that id
 * as `previous`. This holds even if the command is killed, loses the response, or cannot write its output.
 *
 * Record and key are not written in one transaction: transactions would conflict with the authorizer, which updates the
 * item of the key at each request.
 */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { KeyHash } from '../../../shared/api-keys/api-key.ts'
import { type ApiKeyRecord, type KeyId, nameKey, type StoredKey } from '../../../shared/api-keys/api-key-record.ts'
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
  readTargetId,
} from '../changes/record.ts'
import type { NamedTableAccess, Operator } from '../environment/open-environment.ts'
import { hasFailedForGood } from '../environment/retry-strategy.ts'

/** The environment, the operator, and the other needs of every change of keys. */
export interface KeyContext {
  readonly environment: NamedTableAccess
  readonly operator: Operator
  readonly clock: Clock
  /** Shows the id of a new key, before the key is written. */
  readonly announce: (keyId: KeyId) => void
}

/** Reads the clock in whole Unix seconds, the unit of all times of a key. */
export const readNowSeconds = ({ clock }: KeyContext): number => Math.floor(clock() / 1_000)

interface WrittenKey {
  /** False if another command has changed the key since it was read, so that this change was not made. */
  readonly isChanged: boolean
  /** The key as it is after the write. */
  readonly key: StoredKey
}

/** Attributes of a new key that the audit shows. The others are the same for all new keys, or are times and counts. */
const recordedAttributes = ['owner', 'contact', 'plan', 'scope', 'minuteLimit', 'dayLimit', 'expiresAt', 'predecessor']

export const storeNewKey = async (
  context: KeyContext,
  action: string,
  keyHash: KeyHash,
  key: ApiKeyRecord,
): Promise<void> => {
  context.announce(key.keyId)
  const change = {
    target: formatKeyTarget(key.keyId),
    keyHash,
    action,
    old: null,
    new: pickAttributes(key, recordedAttributes),
  }
  // No other command can have written this item, because its hash is that of a new random key.
  await writeKey(context, createRecord(change, context.operator, context.clock), undefined, { keyHash, ...key })
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
    // A damaged item may lack its id. Then `nameKey` returns its hash.
    target: formatKeyTarget(nameKey(stored)),
    keyHash: stored.keyHash,
    action,
    previous: readChangeId(stored),
    old: pickAttributes(stored, names),
    new: pickAttributes(changes, names),
  }
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
 * @param changed the hash of the key, and the attributes to write
 * @throws UserError if AWS does not say whether the change was made, or if somebody has deleted the item
 */
const writeKey = async (
  { environment }: KeyContext,
  record: AuditRecord,
  stored: StoredKey | undefined,
  changed: StoredKey,
): Promise<WrittenKey> => {
  const { keyHash, ...attributes } = changed
  const { database, tables } = environment
  // The condition writes the names of its attributes out, and so uses no placeholder for a name.
  const namesInCondition = {}
  const { ExpressionAttributeValues: values = {}, ConditionExpression } = formatUnchangedCondition('keyHash', stored)
  const update = new UpdateCommand({
    TableName: tables.apiKeys,
    Key: { keyHash },
    ConditionExpression,
    ...formatKeyUpdate({ ...attributes, [changeIdAttribute]: record.changeId }, namesInCondition, values),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  })
  await storeRecord(environment, record)
  try {
    const outcome = await awaitConditionalWrite(database.send(update))
    if (outcome.met) return { isChanged: true, key: { ...outcome.result.Attributes, keyHash } }
    if (outcome.current === undefined) {
      throw new UserError(`The API key ${readTargetId(record.target)} is not in the table any more.`)
    }
    const key = { ...outcome.current, keyHash }
    return { isChanged: await wasMade(environment, record, key), key }
  } catch (error) {
    // The UserError above is one of these too, because it is no error of the SDK.
    if (hasFailedForGood(error)) throw error
    const advice = `Whether the change was made is not known, see "npm run audit -- ${readTargetId(record.target)}".`
    throw new UserError(`${describeError(error)} ${advice}`, { cause: error })
  }
}

/**
 * Whether a change was made although its condition is not met: the SDK repeats a write whose response was lost, and
 * then finds what the first write has made of the key, or what another command has made of it since.
 *
 * @param key the item as it was when the condition was not met. The records of the key are read after it, so the record
 * of its latest change is among them.
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
