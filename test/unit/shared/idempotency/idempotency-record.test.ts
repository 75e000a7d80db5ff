import fc from 'fast-check'
import { expect, it } from 'vitest'
import { computeFingerprint } from '../../../../shared/idempotency/idempotency-record.ts'
import { type NewPet, newPetDefaults, newPetFields } from '../../../../shared/pets/pet.ts'
import { generateContractPets } from '../../../fixtures/service/contract-pets.ts'

const defaults = newPetDefaults

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
        // Two drawn bodies differ in almost every field. A mix of them often differs in a single one.
        const mixed = mixBodies(body, other, fieldsOfOther)
        const isSame = newPetFields.every((field) => mixed[field] === body[field])

        expect(computeFingerprint(mixed, defaults) === computeFingerprint(body, defaults)).toBe(isSame)
      },
    ),
  )
})

const bella: NewPet = { name: 'Bella', categoryId: 1n, status: 'available' }

it('a field that a later version adds with a default keeps the fingerprint of a body without the field', () => {
  // Stands for a body of a version in which the field does not exist.
  const body = { name: 'Bella', categoryId: 1n } as NewPet

  const before = computeFingerprint(body, {})
  const after = computeFingerprint({ ...body, status: 'available' }, { status: 'available' })

  expect(after).toBe(before)
})

// A default may be written as a number, while an integer of a request is a bigint.
it('an integer that equals its default is left out of the fingerprint', () => {
  // Two bodies that differ in nothing else have the same fingerprint if each has the default.
  const otherCategory = { ...bella, categoryId: 2n }

  const withDefault = computeFingerprint(bella, { categoryId: 1 })

  expect(withDefault).toBe(computeFingerprint(otherCategory, { categoryId: 2 }))
  expect(withDefault).not.toBe(computeFingerprint(otherCategory, { categoryId: 1 }))
})
