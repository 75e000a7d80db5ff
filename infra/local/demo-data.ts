/** Demo data of a local environment: pets and API keys, the same on every machine, so that documents can show them. */
import { createHash } from 'node:crypto'
import { type DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { formatApiKey, hashApiKey, minimumRandomLength } from '../../shared/api-keys/api-key.ts'
import { fixedPlans, type Limits, type Plan, planNames } from '../../shared/api-keys/plans.ts'
import { systemClock } from '../../shared/clock.ts'
import { drawPetId } from '../../shared/pets/add-pet.ts'
import type { Pet, PetStatus } from '../../shared/pets/pet.ts'
import { PetTable } from '../../shared/pets/pet-table.ts'
import type { ResourceNames } from '../commands/environment/local-environment.ts'
import { createKey } from '../commands/keys/issue-key.ts'

/**
 * Time of the first sample: a millisecond after the time from which ids are counted, so that no other pet has such an
 * id. Each further sample is a millisecond later. A list shows the newest pets first, so samples are at its end.
 */
const firstSampleTime = Date.UTC(2025, 0, 1, 0, 0, 0, 1)

// Values to draw from. A repeated value is drawn more often. With the empty surname, a pet has its given name alone.
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

/** Creates a pet that depends on the index alone. */
const createSamplePet = (index: number): Pet => {
  // The bytes of a hash look random. Each value is drawn with bytes of its own.
  const bytes = createHash('md5').update(`${index}`).digest()
  const draw = <Value>(values: readonly Value[], offset: number): Value => {
    const position = bytes.readUInt16BE(offset) % values.length
    // No list above is empty, so the position has a value.
    return values[position] as Value
  }

  return {
    id: drawPetId(firstSampleTime + index, (limit) => bytes.readUInt32BE() % limit),
    name: draw(givenNames, 4) + draw(surnames, 6),
    categoryId: draw(categoryIds, 8),
    status: draw(statuses, 10),
  }
}

/** The samples, the oldest first. */
export const samplePets = Array.from({ length: 36 }, (_, index) => createSamplePet(index))

export interface DemoKey {
  readonly plan: Plan
  readonly limits: Limits
  readonly apiKey: string
}

/** Limits of the demo key of the enterprise plan. Keys of this plan have limits of their own. */
const enterpriseLimits: Limits = { perMinute: 5_000, perDay: 1_000_000 }

/** One API key for each plan, derived from the plan's name. They exist in local environments only. */
export const demoKeys: readonly DemoKey[] = planNames.map((plan) => {
  const planHash = createHash('sha256').update(plan).digest('hex')
  return {
    plan,
    limits: plan === 'enterprise' ? enterpriseLimits : fixedPlans[plan],
    apiKey: formatApiKey('pet_test_', planHash.slice(0, minimumRandomLength)),
  }
})

/**
 * Adds the sample pets if the table has no item at all, and replaces the demo keys, whatever has become of them. The
 * ids of the keys stay, and with them the scope of their idempotency keys: a creation that is repeated after a restart
 * adds no second pet.
 */
export const addDemoData = async (database: DynamoDBDocumentClient, { tables }: ResourceNames): Promise<void> => {
  const { Count } = await database.send(new ScanCommand({ TableName: tables.pets, Limit: 1, ConsistentRead: true }))
  if (Count === 0) {
    const pets = new PetTable(database, tables.pets)
    // A start that was killed may have added some of them already. With the same attempt id, they count as added.
    const attemptId = 'sample'
    await Promise.all(samplePets.map((pet) => pets.put(pet, attemptId)))
  }

  const writeDemoKey = ({ plan, limits, apiKey }: DemoKey) => {
    const { record } = createKey('pet_test_', systemClock(), { owner: 'demo', plan, scope: 'read-write', limits })
    const keyId = `key_demo_${plan}`
    // The random id and hash of the new key are replaced by those of the demo key.
    const item = { ...record, keyId, idempotencyScope: keyId, keyHash: hashApiKey(apiKey) }
    return database.send(new PutCommand({ TableName: tables.apiKeys, Item: item }))
  }
  await Promise.all(demoKeys.map(writeDemoKey))
}
