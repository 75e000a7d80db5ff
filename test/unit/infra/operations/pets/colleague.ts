import { findItems, scanPets, writeItem } from '../../../../../infra/operations/pets/pet-items.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'

/** Somebody who sees and changes the same pets, as the commands do. */
export const colleagueAt = (place: Parameters<typeof scanPets>[0]) => ({
  /** All pets, the oldest first. */
  all: async (): Promise<readonly Pet[]> =>
    (await Array.fromAsync(scanPets(place))).flat().toSorted((one, other) => Number(one.id - other.id)),
  /** Gives an id a pet, or removes the one that it has. */
  change: async (id: bigint, wanted: Pet | undefined): Promise<void> => {
    const found = await findItems(place, [id])
    if ((await writeItem(place, id, found.get(id), wanted, 'an attempt')) !== undefined) throw new Error('Refused.')
  },
})
