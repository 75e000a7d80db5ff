import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { type RecordSelection, readRecords, readRecordsOf } from '../changes/audit-table.ts'
import { type AuditRecord, changeIdAttribute, readChangeId } from '../changes/record.ts'
import { findItems } from '../environment/batch-get.ts'
import type { TableAccess } from '../environment/open-environment.ts'

/** A record with the outcome of its change. */
export interface AuditedChange extends AuditRecord {
  /** `not made so far` is final after half a minute: a write that is on its way takes no longer. */
  readonly outcome: 'made' | 'not made so far'
}

/** Reads changes page by page, as `readRecords` does. */
export async function* readChanges(
  environment: TableAccess,
  selection: RecordSelection,
  from: string,
): AsyncGenerator<readonly AuditedChange[]> {
  for await (const records of readRecords(environment, selection, from)) yield await addOutcomes(environment, records)
}

/**
 * Adds the outcomes of changes. The record of a pet's change is stored together with the change. The record of a key's
 * change is stored before the change, which was made if the key has the id of the change, or if a later record of the
 * key names this id as `previous`. The keys are read before the records: a record that replaces the id of a key
 * meanwhile is then among the records.
 */
const addOutcomes = async (
  environment: TableAccess,
  records: readonly AuditRecord[],
): Promise<readonly AuditedChange[]> => {
  const latestIds = await readLatestKeyChanges(environment, records)
  const isLatest = ({ keyHash, changeId }: AuditRecord): boolean => latestIds.get(keyHash) === changeId

  const undecided = records.filter((record) => record.keyHash !== undefined && !isLatest(record))
  const previousIds = new Set<unknown>()
  for (const target of new Set(undecided.map((record) => record.target))) {
    for (const { previous } of await readRecordsOf(environment, target)) previousIds.add(previous)
  }
  const notMade = new Set(undecided.filter(({ changeId }) => !previousIds.has(changeId)))
  return records.map((record) => ({ ...record, outcome: notMade.has(record) ? 'not made so far' : 'made' }))
}

/** Reads the ids of the latest changes of the keys of some records, by their hashes (strongly consistent). */
const readLatestKeyChanges = async (
  { database, tables }: TableAccess,
  records: readonly AuditRecord[],
): Promise<ReadonlyMap<unknown, unknown>> => {
  const hashes = new Set(records.map(({ keyHash }) => keyHash))
  hashes.delete(undefined)
  const keys: Attributes[] = [...hashes].map((keyHash) => ({ keyHash }))
  const items = await findItems(database, tables.apiKeys, keys, {
    ProjectionExpression: `keyHash, ${changeIdAttribute}`,
  })
  return new Map(items.map((item) => [item['keyHash'], readChangeId(item)]))
}
