import { expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { newPetFields, petFields, petStatuses, readPet } from '../../../../shared/pets/pet.ts'

// Reading each field as it was stored is tested in test/e2e/requests.test.ts.

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
