/** `npm run pets -- list`: the pets that match a filter. */
import type { PetStatus } from '../../../shared/pets/pet.ts'
import { formatPrintableJson, makePrintable } from '../../command-line/printable.ts'
import { writeOutput } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import {
  compareNewestFirst,
  describeMalformedPets,
  describePet,
  findIdsOfSource,
  findPets,
  isMalformed,
  scanPets,
} from '../changes/read-pets.ts'
import { pickKnownFields, type StoredPet } from '../changes/stored-pet.ts'
import type { Environment } from '../environment/open-environment.ts'
import { foldForSearch } from '../files/comparing-form.ts'

/** The pets to list. A property that is undefined matches every pet. */
interface PetFilter {
  /** Part of the name, in capitals or small letters. */
  readonly name?: string | undefined
  readonly category?: bigint | undefined
  readonly status?: PetStatus | undefined
  /** Id of the API key that has added the pet. */
  readonly addedBy?: string | undefined
  /** Source of the pets. */
  readonly source?: string | undefined
}

interface ListOptions extends PetFilter {
  /** Whether each line is a JSON object, rather than words for people. */
  readonly json?: boolean | undefined
}

/**
 * Prints the pets that match, the newest first, one line each.
 *
 * @throws UserError that names the pets that cannot be read. Each of them may match.
 */
export const listPets = async (
  environment: Environment,
  { json = false, ...filter }: ListOptions,
): Promise<undefined> => {
  // Removed pets are not in the lines for people, which "set -" takes: a new status would show them again.
  const showsRemoved = filter.source !== undefined && json
  const candidates = await Array.fromAsync(readCandidates(environment, filter))
  const pets = candidates.filter((pet) => isMalformed(pet) || matchesFilter(pet, { ...filter, showsRemoved }))
  const readablePets = pets.filter((pet) => !isMalformed(pet)).toSorted(compareNewestFirst)
  for (const pet of readablePets) {
    await writeOutput(`${json ? formatPrintableJson(describePet(pet)) : formatPet(pet)}\n`)
  }
  const mistakes = describeMalformedPets(pets)
  if (mistakes.length > 0) throw new UserError(mistakes.join('\n'))
  if (pets.length === 0) console.error('No pet matches.')
}

async function* readCandidates(environment: Environment, { source }: PetFilter): AsyncGenerator<StoredPet> {
  const { database, tables } = environment
  if (source === undefined) yield* scanPets(database, tables.pets)
  else yield* await findPets(environment, await findIdsOfSource(environment, source))
}

const matchesFilter = (
  { state, item }: StoredPet,
  { name = '', category, status, addedBy, showsRemoved }: PetFilter & { readonly showsRemoved: boolean },
): boolean => {
  if (state.kind === 'removed' && !showsRemoved) return false
  const pet = pickKnownFields(state)
  if (addedBy !== undefined && item['addedBy'] !== addedBy) return false
  if (category !== undefined && pet.categoryId !== category) return false
  if (status !== undefined && pet.status !== status) return false
  return foldForSearch(pet.name ?? '').includes(foldForSearch(name))
}

/** Width of an id that was drawn in the years 2026 to 2094, of a status or removal, and of the id of an API key. */
const columnWidths = { id: 16, status: 9, category: 4, addedBy: 22 }

/** Formats a pet for people. The id comes first, so that other commands read it from standard input. */
const formatPet = ({ id, state, item }: StoredPet): string => {
  const { name = '-', categoryId = '-' } = pickKnownFields(state)
  const cells = [
    `${id}`.padEnd(columnWidths.id),
    (state.kind === 'shown' ? state.pet.status : 'removed').padEnd(columnWidths.status),
    `${categoryId}`.padEnd(columnWidths.category),
    makePrintable(`${item['addedBy'] ?? '-'}`).padEnd(columnWidths.addedBy),
    makePrintable(name),
  ]
  return cells.join('  ')
}
