/** `npm run pets -- list`: the pets that match a filter. */
import type { MalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { type Pet, type PetStatus, petStatuses, readPet } from '../../../shared/pets/pet.ts'
import { compareNewestFirst, type IndexedItem } from '../../../shared/pets/pet-store.ts'
import { formatPrintableJson, makePrintable } from '../../command-line/printable.ts'
import { createPacer, type Pacer, startProgress } from '../../command-line/progress.ts'
import { writeOutput } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Environment } from '../environment/open-environment.ts'
import { describeMalformedPets } from './malformed-pets.ts'
import { PetTable, type PetWithOrigin, readOrigin } from './pet-table.ts'

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
 * On AWS, pages of 1,000 items that are read in a second. Of the 3,000 read units that the index gives to one status in
 * a second, a page takes 25 with short names, and 128 with the longest ones.
 */
const deployedPagesPerSecond = 10

/**
 * Prints the pets that match, the newest first, one line each. A pet whose status changes meanwhile can be missing.
 *
 * @throws UserError that names the pets that cannot be read
 */
export const listPets = async (
  { name: environmentName, database, tables }: Environment,
  { json = false, ...filter }: ListOptions,
): Promise<undefined> => {
  const table = new PetTable(database, tables.pets)
  const pagesPerSecond = environmentName === 'local' ? Number.POSITIVE_INFINITY : deployedPagesPerSecond
  const malformedItems: MalformedItem[] = []
  let count = 0
  const items = readNewestItems(table, filter.status, createPacer(pagesPerSecond))
  for await (const pet of selectPets(items, filter, malformedItems)) {
    count += 1
    await writeOutput(`${json ? formatPrintableJson(pet) : formatPet(pet)}\n`)
  }
  if (malformedItems.length > 0) throw new UserError(describeMalformedPets(malformedItems).join('\n'))
  if (count === 0) console.error('No pet matches.')
}

/**
 * Selects the pets that match.
 *
 * @param malformedItems gets the items that cannot be read. Each of them may have the name and the category.
 */
async function* selectPets(
  items: AsyncIterable<IndexedItem>,
  filter: PetFilter,
  malformedItems: MalformedItem[],
): AsyncGenerator<ListedPet> {
  for await (const item of items) {
    const addedBy = item['addedBy']
    const isAddedByAnother = filter.addedBy !== undefined && filter.addedBy !== addedBy
    if (isAddedByAnother) continue

    const reading = readPet(item)
    if (reading.kind === 'malformed') malformedItems.push(reading)
    else if (hasNameAndCategory(reading.value, filter)) yield { ...reading.value, ...readOrigin(item), addedBy }
  }
}

const hasNameAndCategory = (pet: Pet, { name = '', category = pet.categoryId }: PetFilter): boolean =>
  pet.name.toLowerCase().includes(name.toLowerCase()) && pet.categoryId === category

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

/** Reads the items of one status, or of all, the newest first. */
async function* readNewestItems(
  table: PetTable,
  status: PetStatus | undefined,
  pacer: Pacer,
): AsyncGenerator<IndexedItem> {
  // On a terminal, the line of progress would be among the pets.
  const progress = process.stdout.isTTY ? undefined : startProgress('pets')

  async function* readStatus(partition: PetStatus): AsyncGenerator<IndexedItem> {
    for await (const page of table.listStatus(partition)) {
      yield* page
      progress?.count(page.length)
      await pacer.waitToBegin(1)
    }
  }

  const statuses = status === undefined ? petStatuses : [status]
  yield* mergeNewestFirst(statuses.map(readStatus))
}

/**
 * Merges partitions of the index, each of which is sorted. While the index follows a change of status, a pet can be in
 * two partitions. Only its latest change is in the result.
 */
export async function* mergeNewestFirst(
  partitions: readonly AsyncIterator<IndexedItem>[],
): AsyncGenerator<IndexedItem> {
  const heads = await Promise.all(partitions.map(readHead))
  let lastId: IndexedItem['id'] | undefined
  for (;;) {
    const [newest] = heads
      .filter((head) => head !== undefined)
      .toSorted((one, other) => compareNewestFirst(one.item, other.item))
    if (newest === undefined) return
    heads[heads.indexOf(newest)] = await readHead(newest.partition)
    if (newest.item.id !== lastId) yield newest.item
    lastId = newest.item.id
  }
}

/** The next item of a partition. */
interface Head {
  readonly item: IndexedItem
  readonly partition: AsyncIterator<IndexedItem>
}

const readHead = async (partition: AsyncIterator<IndexedItem>): Promise<Head | undefined> => {
  const { done, value } = await partition.next()
  return done === true ? undefined : { item: value, partition }
}
