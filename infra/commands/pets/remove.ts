/** `npm run pets -- remove`: removes pets. */
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import type { Report } from '../../command-line/report.ts'
import type { ChangeAudit } from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { changePets, type Plan } from './change-pets.ts'
import { reportChanges } from './change-report.ts'
import { requireItems } from './find-pets.ts'
import { PetTable, readStoredPet } from './pet-table.ts'

/** Removes pets. A pet that was removed before is unchanged. If one of the ids never had a pet, nothing is removed. */
export const removePets = async (
  environment: Environment,
  audit: ChangeAudit,
  ids: readonly bigint[],
): Promise<Report> => {
  const table = new PetTable(environment.database, environment.tables.pets)
  await requireItems(table, ids, () => true)
  const changes = ids.map((id) => ({ id, plan: planRemoval }))
  return reportChanges(await changePets({ environment, audit, action: 'pets remove' }, changes))
}

const planRemoval = (item: Attributes | undefined): Plan =>
  readStoredPet(item) === undefined ? { kind: 'unchanged' } : { kind: 'write', pet: undefined }
