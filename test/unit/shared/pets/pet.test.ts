import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { fingerprintOf } from '../../../../shared/idempotency/reservations.ts'
import { newPetFields, parsePet, petFields, withId } from '../../../../shared/pets/pet.ts'
import { contractPets } from '../../../fixtures/contract-pets.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService } from '../../../fixtures/service.ts'

const { schemas } = readContract().document.components
const fieldsOf = (schema: string) => Object.keys(schemas[schema]?.properties ?? {})

it('the fields are those of the contract, in its order', () => {
  expect(petFields).toEqual(fieldsOf('Pet'))
  expect(newPetFields).toEqual(fieldsOf('NewPet'))
})

it('two bodies have the same fingerprint exactly where all their fields are the same', () => {
  fc.assert(
    fc.property(contractPets(), contractPets(), fc.subarray([...newPetFields]), (one, other, taken) => {
      // Some fields of the other body, so that they often differ in a single one.
      const both = newPetFields.map((field) => [field, taken.includes(field) ? other[field] : one[field]] as const)
      const mixed = Object.fromEntries(both.filter(([, value]) => value !== undefined)) as typeof one
      const isSame = newPetFields.every((field) => mixed[field] === one[field])
      expect(fingerprintOf(mixed) === fingerprintOf(one)).toBe(isSame)
    }),
  )
})

it('a body has the same fingerprint in whatever order its fields are', () => {
  fc.assert(
    fc.property(contractPets(), (body) => {
      const reversed = Object.fromEntries(Object.entries(body).toReversed()) as typeof body
      expect(fingerprintOf(reversed)).toBe(fingerprintOf(body))
    }),
  )
})

describeOnEachEngine('a pet of the contract', (engine) => {
  it('is read as it was stored, with every field', async () => {
    const { pets } = await openService(engine)
    let id = 0n
    await fc.assert(
      fc.asyncProperty(contractPets(), async (body) => {
        id += 1n
        expect(await pets.put(withId(id, body), 'an attempt')).toBe('stored')
        expect(await pets.find(id)).toEqual({ ...body, id })
      }),
      { numRuns: 30 },
    )
  })
})

it.each(petFields)('an item whose %s is not valid is no pet', (field) => {
  const item = { id: 1, name: 'Bella', categoryId: 1, status: 'available' }
  expect(() => parsePet({ ...item, [field]: { not: 'valid' } })).toThrow('is not a pet')
})
