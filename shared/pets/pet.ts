import type { components } from '../contract/generated/types.ts'

export type Pet = components['schemas']['Pet']
export type NewPet = components['schemas']['NewPet']
export type PetStatus = components['schemas']['PetStatus']

/** All statuses. Each is a partition of the status index. */
export const petStatuses = ['available', 'pending', 'sold'] as const satisfies readonly PetStatus[]

const createInvalidItemError = (): Error => new Error('An item of the pets table is not a pet.')

const readInt64Attribute = (attribute: unknown): bigint => {
  if (typeof attribute !== 'number' && typeof attribute !== 'bigint') throw createInvalidItemError()
  return BigInt(attribute)
}

const readTextAttribute = (attribute: unknown): string => {
  if (typeof attribute !== 'string') throw createInvalidItemError()
  return attribute
}

const readStatusAttribute = (attribute: unknown): PetStatus => {
  const status = petStatuses.find((known) => known === attribute)
  if (status === undefined) throw createInvalidItemError()
  return status
}

/**
 * The fields of a pet in the order of every response, each with the function that reads it from its attribute in the
 * pets table. Storing, comparing, exporting and importing pets derive from this list. It compiles only with exactly
 * the contract's fields.
 */
const fields = {
  id: readInt64Attribute,
  name: readTextAttribute,
  categoryId: readInt64Attribute,
  status: readStatusAttribute,
} as const satisfies { readonly [Name in keyof (Pet & NewPet)]-?: (attribute: unknown) => (Pet & NewPet)[Name] }

export type PetField = keyof typeof fields

// Object.keys returns the names in the order in which they are written above.
export const petFields = Object.keys(fields) as readonly PetField[]

export type NewPetField = Exclude<PetField, 'id'>

/** The fields that callers and operators set. */
export const newPetFields = petFields.filter((field): field is NewPetField => field !== 'id')

/** Builds a pet from its fields, in the order of every response. Fields without a value are left out. */
const buildPet = (readField: (field: PetField) => unknown): Pet => {
  const values = petFields.map((field) => [field, readField(field)] as const)
  const presentValues = values.filter(([, value]) => value !== undefined)
  // Object.fromEntries loses the types: the list has every field of a pet, and each value has the type of its field.
  return Object.fromEntries(presentValues) as unknown as Pet
}

/** Gives a new pet its id. The fields get the order of every response, whatever order the request had. */
export const assignPetId = (id: Pet['id'], newPet: NewPet): Pet => {
  const pet: Pet = { ...newPet, id }
  return buildPet((field) => pet[field])
}

/**
 * Reads a pet from an item of the pets table.
 *
 * @throws Error if the item is not one that this service wrote
 */
export const parsePet = (item: Readonly<Record<string, unknown>>): Pet =>
  buildPet((field) => fields[field](item[field]))
