/** The records of the audit, each with the outcome that is derived from its item. */
import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { findItems } from './batch-get.ts'
import {
  type AuditRecord,
  type ChangeId,
  changeIdAttribute,
  readChangeId,
  readPreviousIds,
  type Target,
} from './change-audit.ts'
import type { Environment } from './open-environment.ts'
import { auditTableSchema } from './table-schemas.ts'

/** A record with what became of its change. */
export interface AuditedChange extends AuditRecord {
  /** `not made so far` is not final while the write may still travel, which takes some seconds at most. */
  readonly outcome: 'made' | 'not made so far'
}

/** The changes of one item, or of one UTC day such as `2030-12-31`. */
type ChangesToRead = { readonly target: Target } | { readonly day: string }

interface ReadOptions {
  /** First and last id of the changes to read. Both may be beginnings of ids, such as a day. */
  readonly from?: string
  readonly to?: string
  readonly clock?: Clock
}

type AuditEnvironment = Pick<Environment, 'database' | 'tables'>

/** Records of one page. Each page needs one BatchGetItem call, which takes 100 keys. */
const pageSize = 100

/** Reads changes page by page, the oldest first. The changes of a day may lack those of the last second. */
export async function* readChanges(
  environment: AuditEnvironment,
  what: ChangesToRead,
  { from = '0', to = '9', clock = systemClock }: ReadOptions = {},
): AsyncGenerator<readonly AuditedChange[]> {
  const { database, tables } = environment
  const { dayIndex, partitionKey, sortKey } = auditTableSchema
  const isTarget = 'target' in what
  const query: QueryCommandInput = {
    TableName: tables.audit,
    ...(isTarget ? { ConsistentRead: true } : { IndexName: dayIndex.name }),
    KeyConditionExpression: `#partition = :partition AND ${sortKey} BETWEEN :from AND :to`,
    ExpressionAttributeNames: { '#partition': isTarget ? partitionKey : dayIndex.partitionKey },
    ExpressionAttributeValues: { ':partition': isTarget ? what.target : what.day, ':from': from, ':to': to },
    Limit: pageSize,
  }
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey']
  do {
    const { Items = [], LastEvaluatedKey } = await database.send(new QueryCommand({ ...query, ExclusiveStartKey }))
    // Only commands write to this table. DynamoDB deletes an expired record days later; the local database never.
    const records = (Items as AuditRecord[]).filter(({ expiresAt }) => expiresAt > clock() / 1_000)
    if (records.length > 0) yield await deriveOutcomes(environment, records)
    ExclusiveStartKey = LastEvaluatedKey
  } while (ExclusiveStartKey !== undefined)
}

/** Changes that are looked up at once. */
const changesPerLookup = 100

/** Finds changes by their ids. An id that the audit does not have has none in the result. */
export const findChanges = async (
  environment: AuditEnvironment,
  changeIds: readonly ChangeId[],
): Promise<readonly AuditedChange[]> => {
  const changes: AuditedChange[] = []
  const find = async (changeId: ChangeId): Promise<void> => {
    // The first ten characters of an id are its day.
    const pages = readChanges(environment, { day: changeId.slice(0, 10) }, { from: changeId, to: changeId })
    for await (const page of pages) changes.push(...page)
  }
  for (let begin = 0; begin < changeIds.length; begin += changesPerLookup) {
    await Promise.all(changeIds.slice(begin, begin + changesPerLookup).map(find))
  }
  return changes
}

/** Derives the outcomes of records. The items are read before the records that name a change as `previous`. */
const deriveOutcomes = async (
  environment: AuditEnvironment,
  records: readonly AuditRecord[],
): Promise<readonly AuditedChange[]> => {
  const { database, tables } = environment
  const latestIds = await readLatestIds(environment, records)
  const isLatest = ({ target, changeId }: AuditRecord): boolean => latestIds.get(target) === changeId

  const targets = new Set(records.filter((record) => !isLatest(record)).map(({ target }) => target))
  const previousIds = new Set<string>()
  for (const target of targets) {
    for (const id of await readPreviousIds(database, tables.audit, target)) previousIds.add(id)
  }
  return records.map((record) => ({
    ...record,
    outcome: isLatest(record) || previousIds.has(record.changeId) ? 'made' : 'not made so far',
  }))
}

/** Reads the ids of the latest changes of the items of some records, by their targets (strongly consistent). */
const readLatestIds = async (
  { database, tables }: AuditEnvironment,
  records: readonly AuditRecord[],
): Promise<ReadonlyMap<string, ChangeId | undefined>> => {
  const itemKeys = new Map(records.map(({ target, itemKey }) => [target, itemKey]))
  const findLatest = (table: string, kind: string, keyName: string) => {
    const keys = [...itemKeys].filter(([target]) => target.startsWith(kind)).map(([, key]) => key)
    return findItems(database, table, keys, { ProjectionExpression: `${keyName}, ${changeIdAttribute}` })
  }
  const items = [
    ...(await findLatest(tables.pets, 'pet#', 'id')),
    ...(await findLatest(tables.apiKeys, 'key#', 'keyHash')),
  ]
  const formatKey = ({ id, keyHash }: Attributes): string => `${id ?? keyHash}`
  const latestIds = new Map(items.map((item) => [formatKey(item), readChangeId(item)]))
  return new Map([...itemKeys].map(([target, itemKey]) => [target, latestIds.get(formatKey(itemKey))]))
}
