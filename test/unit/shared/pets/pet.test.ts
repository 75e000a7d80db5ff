import { expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { newPetFields, parsePet, petFields, petStatuses, readPet } from '../../../../shared/pets/pet.ts'
import { drawPetId } from '../../../../shared/pets/pet-id.ts'

// Reading each field as it was stored is tested in test/e2e/pets.test.ts.

const { schemas } = readContract().document.components

it('a pet has the fields of the contract, in their order', () => {
  expect(petFields).toEqual(Object.keys(schemas['Pet']?.properties ?? {}))
})

it('a new pet has the fields of the contract, in their order', () => {
  expect(newPetFields).toEqual(Object.keys(schemas['PetInput']?.properties ?? {}))
})

it('petStatuses are the statuses of the contract', () => {
  expect(petStatuses).toEqual(schemas['PetStatus']?.enum)
})

const storedPet = { id: 1, name: 'Bella', categoryId: 1, status: 'available' }

it.each(petFields)('a pet with an object as its %s is malformed', (field) => {
  const item = { ...storedPet, [field]: { not: 'valid' } }

  expect(readPet(item)).toMatchObject({ kind: 'malformed', attribute: field, item })
})

it.each([
  { field: 'status', value: 'lost' },
  { field: 'categoryId', value: 1.5 },
  { field: 'categoryId', value: 2n ** 63n },
  { field: 'name', value: undefined },
])('a pet whose $field is $value is malformed', ({ field, value }) => {
  expect(readPet({ ...storedPet, [field]: value })).toMatchObject({ kind: 'malformed', attribute: field })
})

it('the error about a malformed pet names the pet and the field', () => {
  expect(() => parsePet({ ...storedPet, status: 'lost' })).toThrow(
    'The pet 1 cannot be read: its item has no valid status.',
  )
})

const drawLowest = () => 0
const drawHighest = (below: number) => below - 1

it('an id is one of 4,096 in its millisecond', () => {
  const now = Date.UTC(2026, 10, 2)

  expect(drawPetId(now, drawHighest) - drawPetId(now, drawLowest)).toBe(4_095n)
})

it('an id is above the ids of earlier milliseconds', () => {
  const now = Date.UTC(2026, 10, 2)

  expect(drawPetId(now + 1, drawLowest)).toBe(drawPetId(now, drawHighest) + 1n)
})

it('ids count from the beginning of 2025', () => {
  const firstMoment = Date.UTC(2025, 0, 1)

  expect(drawPetId(firstMoment, () => 0)).toBe(0n)
  expect(drawPetId(firstMoment, () => 1)).toBe(1n)
})

it('ids are exact in JavaScript until September 2094', () => {
  expect(drawPetId(Date.UTC(2094, 8, 1), drawHighest)).toBeLessThanOrEqual(BigInt(Number.MAX_SAFE_INTEGER))
})

it('ids of one millisecond are random', () => {
  const ids = new Set(Array.from({ length: 1_000 }, () => drawPetId(Date.UTC(2026, 10, 2))))

  // 1,000 draws from 4,096 give 888 different ids on average. Fewer than 800 never happens by chance.
  expect(ids.size).toBeGreaterThan(800)
})
