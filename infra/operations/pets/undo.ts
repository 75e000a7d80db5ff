/** `npm run pets -- undo`: takes changes of pets back. */
import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { type Pet, readPet } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import {
  type AuditRecord,
  type ChangeAudit,
  type ChangeId,
  readChangeId,
  readPreviousIds,
} from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { auditTableSchema } from '../environment/table-schemas.ts'
import { changePets, findWriteRate, type PetChange, type Plan } from './change-pets.ts'
import { reportChanges, reportDryRun } from './change-report.ts'
import { isSamePet, PetTable } from './pet-table.ts'

/**
 * Undoes changes. A pet whose latest change is the newest of its listed ones goes back to what it was before the oldest
 * of them. If somebody has changed it since, it is a conflict. So the same command can be repeated.
 *
 * @param audit undefined for a dry run
 */
export const undoChanges = async (
  environment: Environment,
  audit: ChangeAudit | undefined,
  changeIds: readonly ChangeId[],
): Promise<Report> => {
  const records = await findRecords(environment, changeIds)
  const changes: PetChange[] = []
  for (const [target, listed] of Map.groupBy(records, (record) => record.target)) {
    const previousIds = await readPreviousIds(environment.database, environment.tables.audit, target)
    changes.push({ id: BigInt(target.slice('pet#'.length)), plan: (item) => planUndo(listed, previousIds, item) })
  }
  const table = new PetTable(environment.database, environment.tables.pets)
  const context = { table, audit, action: 'pets undo', perSecond: findWriteRate(environment) }
  const outcomes = await changePets(context, changes)
  return audit === undefined ? reportDryRun(outcomes) : reportChanges(outcomes)
}

/** Records that are looked up at once. */
const recordsPerLookup = 100

/** @throws UserError that names the ids without a record of a pet */
const findRecords = async (
  { database, tables }: Environment,
  changeIds: readonly ChangeId[],
): Promise<readonly AuditRecord[]> => {
  const records: AuditRecord[] = []
  for (let begin = 0; begin < changeIds.length; begin += recordsPerLookup) {
    const batch = changeIds.slice(begin, begin + recordsPerLookup)
    const found = await Promise.all(batch.map((changeId) => findRecord(database, tables.audit, changeId)))
    records.push(...found.flat())
  }
  const petChangeIds = new Set(
    records.filter(({ target }) => target.startsWith('pet#')).map(({ changeId }) => changeId),
  )
  const missingIds = changeIds.filter((changeId) => !petChangeIds.has(changeId))
  if (missingIds.length === 0) return records
  throw new UserError(`The audit has no change of a pet with the id ${missingIds.join(', ')}. Nothing is undone.`)
}

const findRecord = async (
  client: DynamoDBDocumentClient,
  table: string,
  changeId: ChangeId,
): Promise<readonly AuditRecord[]> => {
  const { name, partitionKey, sortKey } = auditTableSchema.dayIndex
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: name,
      ExpressionAttributeNames: { '#day': partitionKey, '#changeId': sortKey },
      KeyConditionExpression: '#day = :day AND #changeId = :changeId',
      ExpressionAttributeValues: { ':day': changeId.slice(0, 10), ':changeId': changeId },
    }),
  )
  // Only the audit writes this table.
  return Items as AuditRecord[]
}

/** @param previousIds the ids that records of the pet name as `previous`: the changes with these ids were made */
const planUndo = (
  listed: readonly AuditRecord[],
  previousIds: ReadonlySet<string>,
  item: Attributes | undefined,
): Plan => {
  const latest = readChangeId(item)
  const made = listed
    .filter(({ changeId }) => changeId === latest || previousIds.has(changeId))
    .toSorted((one, other) => (one.changeId < other.changeId ? -1 : 1))
  const [oldest] = made
  if (oldest === undefined) return { kind: 'unchanged' }

  const reading = oldest.old === null ? undefined : readPet({ ...oldest.old })
  if (reading?.kind === 'malformed') {
    return { kind: 'conflict', reason: `before the change, the pet had no valid ${reading.attribute}` }
  }
  const pet: Pet | undefined = reading?.value
  if (isSamePet(item, pet)) return { kind: 'unchanged' }
  const isLatestListed = made.some(({ changeId }) => changeId === latest)
  if (isLatestListed) return { kind: 'write', pet }
  return { kind: 'conflict', reason: `change ${latest} came after the listed ones`, yours: pet }
}
