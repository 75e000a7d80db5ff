import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readNumber } from '../../../shared/int64.ts'
import type { Pet, PetStatus } from '../../../shared/pets/pet.ts'
import { newPetId } from '../../../shared/pets/pet-id.ts'
import { PetStore } from '../../../shared/pets/pet-store.ts'
import type { ResourceNames } from '../../operations/target/resource-names.ts'

const dogs = 1
const cats = 2
const rabbits = 3
const birds = 4

const samples: readonly (readonly [name: string, categoryId: number, status: PetStatus])[] = [
  ['Bella', dogs, 'available'],
  ['Milo', cats, 'pending'],
  ['Luna', cats, 'available'],
  ['Charlie', dogs, 'sold'],
  ['Pippin', rabbits, 'available'],
  ['Coco', birds, 'available'],
  ['Max', dogs, 'available'],
  ['Daisy', dogs, 'pending'],
  ['Oliver', cats, 'available'],
  ['Nala', cats, 'sold'],
  ['Rocky', dogs, 'available'],
  ['Clover', rabbits, 'available'],
  ['Kiwi', birds, 'pending'],
  ['Simba', cats, 'available'],
  ['Sadie', dogs, 'sold'],
  ['Hazel', rabbits, 'pending'],
  ['Zoë', cats, 'available'],
  ['Buddy', dogs, 'available'],
  ['Sunny', birds, 'available'],
  ['Willow', cats, 'available'],
  ['Duke', dogs, 'pending'],
  ['Thumper', rabbits, 'sold'],
  ['Ginger', cats, 'available'],
  ['Rosie', dogs, 'available'],
  ['Mango', birds, 'sold'],
  ['Felix', cats, 'available'],
  ['Señor Bigotes', cats, 'available'],
  ['Toby', dogs, 'available'],
  ['Snowball', rabbits, 'available'],
  ['Ruby', dogs, 'pending'],
  ['Jasper', cats, 'sold'],
  ['Echo', birds, 'available'],
  ['Biscuit', rabbits, 'available'],
  ['Ollie', dogs, 'available'],
  ['Misty', cats, 'pending'],
  ['Sir Barks-a-Lot', dogs, 'available'],
]

const firstArrival = Date.UTC(2025, 0, 2, 9)
const hour = 3_600_000

/** The same on every machine, ids included; any pet that is added later has a higher id. */
export const samplePets: readonly Pet[] = samples.map(([name, category, status], index) => ({
  id: newPetId(firstArrival + index * 7 * hour, () => index),
  name,
  categoryId: BigInt(category),
  status,
}))

/** Adds those that are not there. */
export const addSamplePets = async (client: DynamoDBClient, names: ResourceNames): Promise<void> => {
  const documents = DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: readNumber } })
  const store = new PetStore(documents, names.tables.pets)
  await Promise.all(samplePets.map((pet) => store.put(pet, 'sample')))
}
