import { createHash } from 'node:crypto'
import type { Pet, PetStatus } from '../../../shared/pets/pet.ts'
import { drawPetId } from '../../../shared/pets/pet-id.ts'

/** How many pets can be seeded: all their ids are before 3 in the morning of the first day. */
export const maximumSeededPets = 10_000_000

/**
 * Seeded pets have the ids of the first hours of 2025, where the service's ids begin: one a millisecond, the
 * first one millisecond after midnight. The service assigns ids by its clock and did not exist then, so no
 * real pet has one of them. A list, newest first, shows every real pet before them.
 */
const firstMoment = Date.UTC(2025, 0, 1, 0, 0, 0, 1)

/** What of a pet is drawn: all of a list are as frequent. */
const categories = [1n, 1n, 1n, 1n, 2n, 2n, 2n, 3n, 4n, 5n]
const statuses: readonly PetStatus[] = ['available', 'available', 'available', 'pending', 'sold']
const givenNames =
  `Bella Milo Luna Charlie Max Daisy Oliver Nala Rocky Simba Sadie Hazel Zoë Buddy Willow Duke Ginger Rosie Felix Toby Ruby
  Jasper Echo Biscuit Ollie Misty Pippin Coco Clover Kiwi Sunny Thumper Mango Snowball Björn Chloé Niño Ida`.split(
    /\s+/,
  )
const surnames = ['', ' Whiskers', ' Barkley', ' Longears', ' Fluff', ' Pawson', ' Moonlight', ' the Brave', ' Junior']

/** The pet of an index (0 and up). It is the same at every call, so writing it again changes nothing. */
export const createSeededPet = (index: number): Pet => {
  // Bytes that look random.
  const drawn = createHash('md5').update(`${index}`).digest()
  // No list is empty.
  const draw = <Value>(values: readonly Value[], place: number): Value =>
    values[drawn.readUInt16BE(place) % values.length] as Value
  return {
    id: drawPetId(firstMoment + index, (below) => drawn.readUInt32BE() % below),
    name: draw(givenNames, 4) + draw(surnames, 6),
    categoryId: draw(categories, 8),
    status: draw(statuses, 10),
  }
}
