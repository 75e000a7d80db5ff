/** `npm run pets -- import`: makes the edits of an export. */
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { describeMalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { assignPetId, type NewPetField, newPetFields } from '../../../shared/pets/pet.ts'
import { startProgress } from '../../command-line/progress.ts'
import type { Report } from '../../command-line/report.ts'
import { keysPerLookup } from '../environment/batch-get.ts'
import type { ChangeAudit } from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { changePets, type PetChange, type Plan } from './change-pets.ts'
import { reportChanges } from './change-report.ts'
import { isSamePet, PetTable, readOrigin, readStoredPet } from './pet-table.ts'
import { describeValue, type PetRow, repairAdvice } from './rows/check-row.ts'
import { computeVersion } from './rows/columns.ts'
import { readRows } from './rows/read-rows.ts'
import { RefusedFileError } from './rows/refused-file-error.ts'
import { isRounded, needsProtection } from './rows/spreadsheet-text.ts'

/**
 * Imports the edits of an export. For each row, in this order: a row that was not edited asks for nothing; one that
 * equals the pet is done; one whose version is that of the pet is written; any other one is a conflict. So the same
 * file can be imported again after any failure. The whole file is checked before the first write.
 *
 * @param audit undefined for a dry run
 * @param file absolute path, or `-` for standard input
 */
export const importPets = async (
  environment: Environment,
  audit: ChangeAudit | undefined,
  file: string,
): Promise<Report> => {
  const rows = await readRows(file, findMistake)
  const editedRows = rows.filter(({ isAsExported }) => !isAsExported)
  const table = new PetTable(environment.database, environment.tables.pets)
  await refuseDamagedRows(table, editedRows)

  const outcomes = await changePets({ environment, audit, action: 'pets import' }, editedRows.map(toChange))
  const uneditedCount = rows.length - editedRows.length
  return reportChanges(outcomes, { isDryRun: audit === undefined, uneditedCount })
}

const findMistake = ({ version }: PetRow): string | undefined =>
  version === undefined
    ? 'it has no version, so nothing shows whether somebody else has changed the pet. Export again, and edit that file'
    : undefined

const toChange = (row: PetRow): PetChange => ({
  id: row.id,
  line: row.line,
  version: row.version,
  plan: (item) => planEdit(row, item),
})

const planEdit = (row: PetRow, item: Attributes | undefined): Plan => {
  const current = readStoredPet(item)
  if (current === undefined) return { kind: 'conflict', reason: 'no pet has the id now', yours: row.values }
  if (current.kind === 'malformed') {
    return { kind: 'conflict', reason: describeMalformedItem(current), yours: row.values }
  }

  const pet = assignPetId(row.id, { ...current.value, ...row.values })
  const origin = readOrigin(item)
  const { source = origin?.source, reference = origin?.reference } = row
  if (source !== origin?.source || reference !== origin?.reference) {
    return { kind: 'conflict', reason: 'source and reference cannot be edited', yours: { ...pet, source, reference } }
  }
  if (isSamePet(item, pet)) return { kind: 'unchanged' }
  if (row.version === computeVersion({ ...current.value, ...origin })) return { kind: 'write', pet }
  return { kind: 'conflict', reason: 'somebody else has changed the pet', yours: pet }
}

/**
 * Refuses a file with values that a program has damaged. The pet has the value that was exported, if the version of the
 * row is that of the pet; otherwise the row is a conflict.
 */
const refuseDamagedRows = async (table: PetTable, rows: readonly PetRow[]): Promise<void> => {
  const mistakes: string[] = []
  const progress = startProgress('rows checked', rows.length)
  for (let begin = 0; begin < rows.length; begin += keysPerLookup) {
    const batch = rows.slice(begin, begin + keysPerLookup)
    const items = await table.findItems(batch.map(({ id }) => id))
    for (const row of batch) mistakes.push(...findDamage(row, items.get(row.id)))
    progress.count(batch.length)
  }
  if (mistakes.length > 0) throw new RefusedFileError(mistakes)
}

const findDamage = (row: PetRow, item: Attributes | undefined): readonly string[] => {
  const current = readStoredPet(item)
  if (current?.kind !== 'read') return []
  const { value: pet } = current
  if (row.version !== computeVersion({ ...pet, ...readOrigin(item) })) return []
  return newPetFields.flatMap((field) => describeDamage(row, field, row.values[field], pet[field]) ?? [])
}

const describeDamage = (
  { line, exposedFields }: PetRow,
  field: NewPetField,
  given: unknown,
  exported: unknown,
): string | undefined => {
  if (given === undefined || exported === undefined) return undefined
  const difference = `Line ${line}: ${field} is ${describeValue(given)}, and was ${describeValue(exported)}`
  if (typeof given === 'bigint' && typeof exported === 'bigint' && isRounded(given, exported)) {
    return `${difference} before a program rounded it. ${repairAdvice}.`
  }
  const isConverted =
    typeof exported === 'string' && given !== exported && exposedFields.includes(field) && needsProtection(exported)
  if (!isConverted) return undefined
  return `${difference}. A spreadsheet may have changed it: put an apostrophe before it, or change it with "pets set".`
}
