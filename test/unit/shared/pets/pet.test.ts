import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { computeFingerprint } from '../../../../shared/idempotency/reservations.ts'
import { type NewPet, newPetFields, parsePet, petFields } from '../../../../shared/pets/pet.ts'
import { drawPetId } from '../../../../shared/pets/pet-id.ts'
import { generateContractPets } from '../../../fixtures/contract-pets.ts'

// Reading each field as it was stored is tested in test/e2e/pets.test.ts.

const { schemas } = readContract().document.components

it('a pet has the fields of the contract, in their order', () => {
  expect(petFields).toEqual(Object.keys(schemas['Pet']?.properties ?? {}))
})

it('a new pet has the fields of the contract, in their order', () => {
  expect(newPetFields).toEqual(Object.keys(schemas['NewPet']?.properties ?? {}))
})

/** Creates a body with some fields of another one, and with its fields in reverse order. */
const mixBodies = (body: NewPet, other: NewPet, fieldsOfOther: readonly string[]): NewPet => {
  const values = newPetFields.map(
    (field) => [field, fieldsOfOther.includes(field) ? other[field] : body[field]] as const,
  )
  const presentValues = values.filter(([, value]) => value !== undefined)
  // Object.fromEntries loses the types of the fields.
  return Object.fromEntries(presentValues.toReversed()) as NewPet
}

it('two bodies have the same fingerprint exactly if all their fields are the same, in whatever order', () => {
  fc.assert(
    fc.property(
      generateContractPets(),
      generateContractPets(),
      fc.subarray([...newPetFields]),
      (body, other, fieldsOfOther) => {
        // Bodies that share some fields often differ in a single one.
        const mixed = mixBodies(body, other, fieldsOfOther)
        const isSame = newPetFields.every((field) => mixed[field] === body[field])

        expect(computeFingerprint(mixed) === computeFingerprint(body)).toBe(isSame)
      },
    ),
  )
})

const storedPet = { id: 1, name: 'Bella', categoryId: 1, status: 'available' }

it.each(petFields)('an item with an object as its %s is no pet', (field) => {
  expect(() => parsePet({ ...storedPet, [field]: { not: 'valid' } })).toThrow('An item of the pets table is not a pet.')
})

it('an item with an unknown status is no pet', () => {
  expect(() => parsePet({ ...storedPet, status: 'lost' })).toThrow('An item of the pets table is not a pet.')
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
