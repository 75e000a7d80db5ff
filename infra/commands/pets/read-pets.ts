import type { MalformedItem, ReadItem } from '../../../shared/dynamodb/item-reader.ts'
import type { Pet } from '../../../shared/pets/pet.ts'
import { startProgress } from '../../command-line/progress.ts'
import type { PetTable } from './pet-table.ts'

/**
 * Reads pets, the newest first, and the items that cannot be read. All are read before the first one is returned.
 *
 * @param select returns what to keep of a pet; undefined leaves it out
 */
export const readPets = async <Selected extends Pick<Pet, 'id'>>(
  table: PetTable,
  select: (read: ReadItem<Pet>) => Selected | undefined,
) => {
  const pets: Selected[] = []
  const malformedItems: MalformedItem[] = []
  const progress = startProgress('pets')
  for await (const page of table.scan()) {
    for (const read of page.readItems) {
      const pet = select(read)
      if (pet !== undefined) pets.push(pet)
    }
    malformedItems.push(...page.malformedItems)
    progress.count(page.readItems.length)
  }
  pets.sort((one, other) => (one.id < other.id ? 1 : -1))
  return { pets, malformedItems }
}
