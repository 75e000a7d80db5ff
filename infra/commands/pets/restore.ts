/** `npm run pets -- restore`: sets pets to what a backup has. */
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { assignPetId, type NewPet, newPetFields } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import type { ChangeAudit } from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { changePets, type PetChange, type Plan } from './change-pets.ts'
import { reportChanges } from './change-report.ts'
import { isSamePet } from './pet-table.ts'
import { checkValue, type PetRow } from './rows/check-row.ts'
import { readRows } from './rows/read-rows.ts'

/**
 * Restores each row of an export: the pet gets all values of its row, also over later changes, and a removed pet
 * returns under its id. The same file can be restored again after any failure.
 *
 * @param audit undefined for a dry run
 * @param file absolute path, or `-` for standard input
 */
export const restorePets = async (
  environment: Environment,
  audit: ChangeAudit | undefined,
  file: string,
): Promise<Report> => {
  const rows = await readRows(file, findMistake)
  const outcomes = await changePets({ environment, audit, action: 'pets restore' }, rows.map(toChange))
  return reportChanges(outcomes, { isDryRun: audit === undefined })
}

/** A backup that was edited, or damaged by a program, is no backup. */
const findMistake = ({ values, version, isAsExported }: PetRow): string | undefined => {
  for (const field of newPetFields) {
    const { mistake } = field in values ? {} : checkValue(field, undefined)
    if (mistake !== undefined) return `${field} ${mistake}`
  }
  if (version === undefined || isAsExported) return undefined
  return 'it was changed since its export, and "import" makes edits. To restore it as it is now, empty its version'
}

const toChange = ({ id, line, values, source, reference }: PetRow): PetChange => {
  // `findMistake` has found every field that a pet needs.
  const pet = assignPetId(id, values as NewPet)
  const origin = source === undefined || reference === undefined ? undefined : { source, reference }
  const plan = (item: Attributes | undefined): Plan =>
    isSamePet(item, pet) ? { kind: 'unchanged' } : { kind: 'write', pet, origin }
  return { id, line, plan }
}
