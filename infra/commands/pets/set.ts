/** `npm run pets -- set`: changes fields of pets. */
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { describeMalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { type NewPet, readPet } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import type { ChangeAudit } from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { changePets, noPet, type Plan } from './change-pets.ts'
import { reportChanges } from './change-report.ts'
import { requireItems } from './find-pets.ts'
import { isSamePet, PetTable, readStoredPet } from './pet-table.ts'

/** Changes some fields of pets. If one of the ids has no pet, nothing is changed. A malformed field needs a value. */
export const setPets = async (
  environment: Environment,
  audit: ChangeAudit,
  ids: readonly bigint[],
  values: Partial<NewPet>,
): Promise<Report> => {
  const table = new PetTable(environment.database, environment.tables.pets)
  await requireItems(table, ids, (item) => readStoredPet(item) !== undefined)
  const changes = ids.map((id) => ({ id, plan: (item: Attributes | undefined) => planSet(item, values) }))
  return reportChanges(await changePets({ environment, audit, action: 'pets set' }, changes))
}

const planSet = (item: Attributes | undefined, values: Partial<NewPet>): Plan => {
  if (readStoredPet(item) === undefined) return noPet
  const reading = readPet({ ...item, ...values })
  if (reading.kind === 'malformed') {
    return { kind: 'conflict', reason: `${describeMalformedItem(reading)} Give that a value too.` }
  }
  return isSamePet(item, reading.value) ? { kind: 'unchanged' } : { kind: 'write', pet: reading.value }
}
