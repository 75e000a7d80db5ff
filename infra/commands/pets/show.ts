/** `npm run pets -- show`: some pets, with what callers do not see. */
import { type ReadItem, separateMalformed } from '../../../shared/dynamodb/item-reader.ts'
import { type Pet, readPet } from '../../../shared/pets/pet.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { readChangeId } from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { requireItems } from './find-pets.ts'
import { addMalformedPets } from './malformed-pets.ts'
import { PetTable, readOrigin, readStoredPet } from './pet-table.ts'

/** Shows pets, one line each, with source, reference, the API key that has added the pet, and its latest change. */
export const showPets = async ({ database, tables }: Environment, ids: readonly bigint[]): Promise<Report> => {
  const table = new PetTable(database, tables.pets)
  const items = await requireItems(table, ids, (item) => readStoredPet(item) !== undefined)
  const { readItems, malformedItems } = separateMalformed(items.map(readPet))
  const pets = readItems.map(describePet)
  const report = { json: { pets }, text: pets.map((pet) => formatPrintableJson(pet)).join('\n') }
  return addMalformedPets(report, malformedItems)
}

const describePet = ({ value: pet, item }: ReadItem<Pet>) => ({
  ...pet,
  ...readOrigin(item),
  addedBy: item['addedBy'],
  changeId: readChangeId(item),
})
