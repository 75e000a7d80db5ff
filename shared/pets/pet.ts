import type { components } from '../contract/generated/types.ts'

export type Pet = components['schemas']['Pet']
export type NewPet = components['schemas']['NewPet']
export type PetStatus = components['schemas']['PetStatus']

/** All statuses, each a partition of the status index. */
export const petStatuses = ['available', 'pending', 'sold'] as const satisfies readonly PetStatus[]

const notAPet = (): Error => new Error('An item of the pets table is not a pet.')

const readInt64Attribute = (attribute: unknown): bigint => {
  if (typeof attribute !== 'number' && typeof attribute !== 'bigint') throw notAPet()
  return BigInt(attribute)
}

const readTextAttribute = (attribute: unknown): string => {
  if (typeof attribute !== 'string') throw notAPet()
  return attribute
}

const readStatusAttribute = (attribute: unknown): PetStatus => {
  const status = petStatuses.find((one) => one === attribute)
  if (status === undefined) throw notAPet()
  return status
}

/**
 * The fields of a pet in the order of every response, and how each is read from its attribute in the pets table. What is
 * stored, compared, exported and imported derives from this list. It compiles only with exactly the contract's fields.
 */
const fields = {
  id: readInt64Attribute,
  name: readTextAttribute,
  categoryId: readInt64Attribute,
  status: readStatusAttribute,
} as const satisfies { readonly [Name in keyof (Pet & NewPet)]-?: (attribute: unknown) => (Pet & NewPet)[Name] }

export type PetField = keyof typeof fields

// The names of an object's properties are in the order in which they were written.
export const petFields = Object.keys(fields) as readonly PetField[]

export type NewPetField = Exclude<PetField, 'id'>

/** The fields that callers and operators set. */
export const newPetFields = petFields.filter((field): field is NewPetField => field !== 'id')

const petOf = (readField: (field: PetField) => unknown): Pet => {
  const values = petFields.map((field) => [field, readField(field)] as const)
  // Every field of a pet is in the list, and each value has the type of its field.
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as unknown as Pet
}

/** A new pet under its id. The fields have the order of every response, whatever order the request had. */
export const assignPetId = (id: Pet['id'], newPet: NewPet): Pet => {
  const pet: Pet = { ...newPet, id }
  return petOf((field) => pet[field])
}

/** @throws Error when the item is not one that this service wrote */
export const parsePet = (item: Readonly<Record<string, unknown>>): Pet => petOf((field) => fields[field](item[field]))
