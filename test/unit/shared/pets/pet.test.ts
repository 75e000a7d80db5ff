import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { computeFingerprint } from '../../../../shared/idempotency/reservations.ts'
import { newPetFields, parsePet, petFields } from '../../../../shared/pets/pet.ts'
import { drawPetId } from '../../../../shared/pets/pet-id.ts'
import { generateContractPets } from '../../../fixtures/contract-pets.ts'

// That each field is read as it was stored: test/e2e/pets.test.ts.

it('the fields of a pet are those of the contract, in its order', () => {
  const { schemas } = readContract().document.components
  const [ofPet, ofNewPet] = ['Pet', 'NewPet'].map((schema) => Object.keys(schemas[schema]?.properties ?? {}))
  expect([petFields, newPetFields]).toEqual([ofPet, ofNewPet])
})

it('two bodies have the same fingerprint exactly where all their fields are the same, in whatever order', () => {
  fc.assert(
    fc.property(generateContractPets(), generateContractPets(), fc.subarray([...newPetFields]), (one, other, taken) => {
      // Some fields of the other body, so that they often differ in a single one.
      const both = newPetFields.map((field) => [field, taken.includes(field) ? other[field] : one[field]] as const)
      const mixed = Object.fromEntries(both.filter(([, value]) => value !== undefined).toReversed()) as typeof one
      const isSame = newPetFields.every((field) => mixed[field] === one[field])
      expect(computeFingerprint(mixed) === computeFingerprint(one)).toBe(isSame)
    }),
  )
})

it.each([...petFields.map((field) => [field, { not: 'valid' }] as const), ['status', 'lost']] as const)(
  'an item whose %s is %j is no pet',
  (field, value) => {
    const item = { id: 1, name: 'Bella', categoryId: 1, status: 'available' }
    expect(() => parsePet({ ...item, [field]: value })).toThrow('An item of the pets table is not a pet.')
  },
)

it('a new id is one of 4,096 at random in its millisecond, above those of earlier ones, and exact in JavaScript until 2094', () => {
  const lowest = () => 0
  const highest = (below: number) => below - 1
  const [now, beginning] = [Date.UTC(2026, 10, 2), Date.UTC(2025, 0, 1)]
  expect(drawPetId(now, highest) - drawPetId(now, lowest)).toBe(4_095n)
  expect(drawPetId(now + 1, lowest)).toBe(drawPetId(now, highest) + 1n)
  expect([drawPetId(beginning, lowest), drawPetId(beginning, () => 1)]).toEqual([0n, 1n])
  expect(drawPetId(Date.UTC(2094, 8, 1), highest)).toBeLessThanOrEqual(BigInt(Number.MAX_SAFE_INTEGER))
  // 1,000 draws from 4,096 give 888 different ones on average; fewer than 800 never happens by chance.
  expect(new Set(Array.from({ length: 1_000 }, () => drawPetId(now))).size).toBeGreaterThan(800)
})
