/** Reading and storing the records of the audit. */
import { GetCommand, PutCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import { auditTableSchema } from '../../../shared/dynamodb/table-schemas.ts'
import type { TableAccess } from '../environment/open-environment.ts'
import type { AuditRecord, ChangeId, Target } from './record.ts'

const recordsPerPage = 500

/** The item whose records are read, or their UTC day. */
export type RecordSelection = { readonly target: Target } | { readonly day: string }

/**
 * Reads the records of one item (strongly consistent), or of one UTC day such as `2030-12-31`, page by page, the oldest
 * first. The records of a day may lack those of the last second.
 *
 * @param from the id of the first record to read, or its beginning, such as `20301231T2359`; by default a text that is
 * before all ids
 */
export async function* readRecords(
  { database, tables }: TableAccess,
  selection: RecordSelection,
  from = '0',
): AsyncGenerator<readonly AuditRecord[]> {
  const { dayIndex, partitionKey, sortKey } = auditTableSchema
  const isTarget = 'target' in selection
  const query: QueryCommandInput = {
    TableName: tables.audit,
    KeyConditionExpression: `#partition = :partition AND ${sortKey} >= :from`,
    ExpressionAttributeNames: { '#partition': isTarget ? partitionKey : dayIndex.partitionKey },
    ExpressionAttributeValues: { ':partition': isTarget ? selection.target : selection.day, ':from': from },
    Limit: recordsPerPage,
  }
  if (isTarget) query.ConsistentRead = true
  else query.IndexName = dayIndex.name

  do {
    const { Items = [], LastEvaluatedKey } = await database.send(new QueryCommand(query))
    // Only commands write to this table.
    yield Items as AuditRecord[]
    query.ExclusiveStartKey = LastEvaluatedKey
  } while (query.ExclusiveStartKey !== undefined)
}

/** Reads all records of one item (strongly consistent), the oldest first. */
export const readRecordsOf = async (environment: TableAccess, target: Target): Promise<readonly AuditRecord[]> => {
  const records: AuditRecord[] = []
  for await (const page of readRecords(environment, { target })) records.push(...page)
  return records
}

/**
 * Whether the audit has a record (strongly consistent). The record of a pet's change is stored in the transaction that
 * makes the change, so the change was made. The record of a key's change is stored before it, and so tells nothing.
 */
export const hasRecord = async (
  { database, tables }: TableAccess,
  { target, changeId }: { readonly target: Target; readonly changeId: ChangeId },
): Promise<boolean> => {
  const request = new GetCommand({ TableName: tables.audit, Key: { target, changeId }, ConsistentRead: true })
  const { Item } = await database.send(request)
  return Item !== undefined
}

/** Stores the record of a key's change by itself, before the change. */
export const storeRecord = async ({ database, tables }: TableAccess, record: AuditRecord): Promise<void> => {
  await database.send(new PutCommand({ TableName: tables.audit, Item: record }))
}
