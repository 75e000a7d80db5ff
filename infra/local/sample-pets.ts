/** Pets of a new local environment. They are the same at each start, so documents can show them. */
import { createHash } from 'node:crypto'
import type { Pet, PetStatus } from '../../shared/pets/pet.ts'
import { drawPetId } from '../../shared/pets/pet-id.ts'

/**
 * Time of the first sample. Ids of pets begin at 2025-01-01. The service assigns ids by its clock, and did not exist
 * then, so it has given no pet one of these ids. Each sample is a millisecond after the one before. A list shows the
 * newest pets first, so samples are at its end.
 */
const firstTime = Date.UTC(2025, 0, 1, 0, 0, 0, 1)

// Values to draw from. A repeated value is drawn more often.
const categoryIds = [1n, 1n, 1n, 1n, 2n, 2n, 2n, 3n, 4n, 5n]
const statuses: readonly PetStatus[] = ['available', 'available', 'available', 'pending', 'sold']
const surnames = ['', ' Whiskers', ' Barkley', ' Longears', ' Fluff', ' Pawson', ' Moonlight', ' the Brave', ' Junior']
const givenNames = [
  'Bella',
  'Milo',
  'Luna',
  'Charlie',
  'Max',
  'Daisy',
  'Oliver',
  'Nala',
  'Rocky',
  'Simba',
  'Sadie',
  'Hazel',
  'Zoë',
  'Buddy',
  'Willow',
  'Duke',
  'Ginger',
  'Rosie',
  'Felix',
  'Toby',
  'Ruby',
  'Jasper',
  'Echo',
  'Biscuit',
  'Ollie',
  'Misty',
  'Pippin',
  'Coco',
  'Clover',
  'Kiwi',
  'Sunny',
  'Thumper',
  'Mango',
  'Snowball',
  'Björn',
  'Chloé',
  'Niño',
  'Ida',
]

const createSamplePet = (index: number): Pet => {
  // A hash gives bytes that look random and depend on the index alone.
  const bytes = createHash('md5').update(`${index}`).digest()
  const draw = <Value>(values: readonly Value[], offset: number): Value => {
    const position = bytes.readUInt16BE(offset) % values.length
    // None of the lists above is empty, so a value is there.
    return values[position] as Value
  }

  return {
    id: drawPetId(firstTime + index, (limit) => bytes.readUInt32BE() % limit),
    name: draw(givenNames, 4) + draw(surnames, 6),
    categoryId: draw(categoryIds, 8),
    status: draw(statuses, 10),
  }
}

/** The samples, the oldest first. */
export const samplePets = Array.from({ length: 36 }, (_, index) => createSamplePet(index))
