/** `npm run pets -- list` and `show`: pets that match a filter, and pets that an operator names. */
import type { PetStatus } from '../../../shared/pets/pet.ts'
import { formatPrintableJson, makePrintable } from '../../command-line/printable.ts'
import { formatProperties, type Report, writeOutput } from '../../command-line/report.ts'
import { exitCodes, UserError } from '../../command-line/user-error.ts'
import { readIndex } from '../changes/number-index.ts'
import { compareNewestFirst, describeMalformedPets, isMalformed, scanPets } from '../changes/read-pets.ts'
import { formatPetState, pickKnownFields, readStoredPet, type StoredPet } from '../changes/stored-pet.ts'
import { findItems } from '../environment/batch-get.ts'
import type { Environment, TableAccess } from '../environment/open-environment.ts'
import { foldForSearch } from '../files/comparing-form.ts'

/** The pets to list. A property that is undefined matches every pet. */
interface PetFilter {
  /** Part of the name, in capitals or small letters. */
  readonly name?: string | undefined
  readonly category?: bigint | undefined
  readonly status?: PetStatus | undefined
  /** Id of the API key that has added the pet. */
  readonly addedBy?: string | undefined
  /** Name of the source, which is the shelter from whose file the pets come. */
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

/** Widths of columns, in characters. The id of a pet has 16 digits until 2094. The id of a key leaves one free. */
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

/** Shows pets, removed ones too: with source, number, the key that has added the pet, and its latest change. */
export const showPets = async (environment: Environment, ids: readonly bigint[]): Promise<Report> => {
  const petsById = new Map((await findPets(environment, ids)).map((pet) => [pet.id, pet]))
  const missing = ids.filter((id) => !petsById.has(id))
  if (missing.length > 0) throw new UserError(`No pet has the id ${missing.join(', ')}. Nothing is done.`)

  const pets = ids.flatMap((id) => petsById.get(id) ?? [])
  const shown = pets.filter((pet) => !isMalformed(pet)).map(describePet)
  const malformed = pets.filter(isMalformed).map(({ id, state }) => ({ id, attribute: state.attribute }))
  const mistakes = describeMalformedPets(pets)
  return {
    json: { pets: shown, malformed },
    // The hash of a row says nothing to people.
    text: [...shown.map((pet) => `${formatProperties({ ...pet, row: undefined })}\n`), ...mistakes]
      .join('\n')
      .trimEnd(),
    exitCode: mistakes.length === 0 ? exitCodes.done : exitCodes.failure,
  }
}

/** Finds pets by their ids (strongly consistent), including removed ones. An id without an item is left out. */
const findPets = async ({ database, tables }: TableAccess, ids: readonly bigint[]): Promise<readonly StoredPet[]> => {
  const items = await findItems(
    database,
    tables.pets,
    ids.map((id) => ({ id })),
  )
  return items.map(readStoredPet)
}

/**
 * Finds the ids of all pets of a source.
 *
 * @throws UserError if no animal of the source was ever added, so that a mistyped name does not look like an empty list
 */
const findIdsOfSource = async (environment: TableAccess, source: string): Promise<readonly bigint[]> => {
  const ids = await readIndex(environment, source)
  if (ids.size > 0) return [...ids.values()]
  throw new UserError(`There is no source ${source} with animals: "npm run pets -- sources" shows all sources.`)
}

/** Describes a pet for JSON, with the key that has added it and its latest change, which callers do not see. */
const describePet = ({ id, state, origin, item, changeId }: StoredPet) => ({
  ...formatPetState(id, state, origin),
  ...origin,
  addedBy: item['addedBy'],
  changeId,
})
