/** `npm run pets -- list`: the pets that match a filter. */
import type { Pet, PetStatus } from '../../../shared/pets/pet.ts'
import { formatPrintableJson, makePrintable } from '../../command-line/printable.ts'
import { writeOutput } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Environment } from '../environment/open-environment.ts'
import { describeMalformedPets } from './malformed-pets.ts'
import { PetTable, type PetWithOrigin, readOrigin } from './pet-table.ts'
import { readPets } from './read-pets.ts'

/** The pets to list. A property that is undefined matches every pet. */
interface PetFilter {
  /** Part of the name, in capitals or small letters. */
  readonly name?: string | undefined
  readonly category?: bigint | undefined
  readonly status?: PetStatus | undefined
  /** Id of the API key that has added the pet. */
  readonly addedBy?: string | undefined
}

interface ListOptions extends PetFilter {
  /** Whether each line is a JSON object, rather than words for people. */
  readonly json?: boolean | undefined
}

/** A pet with the attributes that callers do not see. */
interface ListedPet extends PetWithOrigin {
  readonly addedBy: unknown
}

/**
 * Prints the pets that match, the newest first, one line each.
 *
 * @throws UserError that names the pets that cannot be read. Each of them may match.
 */
export const listPets = async (
  { database, tables }: Environment,
  { json = false, ...filter }: ListOptions,
): Promise<undefined> => {
  const table = new PetTable(database, tables.pets)
  const { pets, malformedItems } = await readPets(table, ({ value, item }): ListedPet | undefined => {
    const pet = { ...value, ...readOrigin(item), addedBy: item['addedBy'] }
    return matches(pet, filter) ? pet : undefined
  })
  for (const pet of pets) await writeOutput(`${json ? formatPrintableJson(pet) : formatPet(pet)}\n`)
  if (malformedItems.length > 0) throw new UserError(describeMalformedPets(malformedItems).join('\n'))
  if (pets.length === 0) console.error('No pet matches.')
}

const matches = (
  pet: Pet & Pick<ListedPet, 'addedBy'>,
  { name = '', category = pet.categoryId, status = pet.status, addedBy }: PetFilter,
): boolean => {
  if (addedBy !== undefined && pet.addedBy !== addedBy) return false
  if (pet.categoryId !== category || pet.status !== status) return false
  return pet.name.toLowerCase().includes(name.toLowerCase())
}

/** Width of an id that was drawn in the years 2026 to 2094, and of the id of an API key. */
const columnWidths = { id: 16, status: 9, category: 4, addedBy: 22 }

/** Formats a pet for people. The id comes first, so that other commands read it from standard input. */
const formatPet = ({ id, status, categoryId, addedBy = '-', name }: ListedPet): string => {
  const cells = [
    `${id}`.padEnd(columnWidths.id),
    status.padEnd(columnWidths.status),
    `${categoryId}`.padEnd(columnWidths.category),
    makePrintable(`${addedBy}`).padEnd(columnWidths.addedBy),
    makePrintable(name),
  ]
  return cells.join('  ')
}
