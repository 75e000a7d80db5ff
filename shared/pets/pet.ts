import type { components } from '../contract/generated/types.ts'
import type { Attributes } from '../dynamodb/conditional-write.ts'
import {
  type AttributeReader,
  createItemReader,
  createWordReader,
  type ItemReading,
  readInt64Attribute,
  readTextAttribute,
  requireValue,
} from '../dynamodb/item-reader.ts'

export type Pet = components['schemas']['Pet']
/** A pet without its id. Defaults stand in for the fields that a request left out. */
export type NewPet = Omit<Pet, 'id'>
export type PetStatus = components['schemas']['PetStatus']

/** All statuses. Each is a partition of the status index. */
export const petStatuses = ['available', 'pending', 'sold'] as const satisfies readonly PetStatus[]

/** Values of the fields that a request may leave out, as the contract describes them. */
export const newPetDefaults = { status: 'available' } as const satisfies Partial<NewPet>

/**
 * The fields of a pet in the order of every response, each with the function that reads it from its attribute. Storing,
 * comparing, exporting and importing pets derive from this list. For a new field, which items stored earlier lack, wrap
 * its function in `optional(...)` of `item-reader.ts`.
 */
const petFieldReaders = {
  id: readInt64Attribute,
  name: readTextAttribute,
  categoryId: readInt64Attribute,
  status: createWordReader(petStatuses),
} satisfies { readonly [Field in keyof Pet]-?: AttributeReader<Pet[Field]> }

type PetField = keyof typeof petFieldReaders

// Object.keys has the type string[].
export const petFields = Object.keys(petFieldReaders) as readonly PetField[]

/** The fields of a pet as an item has them. They may be missing or malformed. */
export type PetFields = Readonly<Partial<Record<PetField, unknown>>>

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

/** Reads the pet of an item of the pets table. The result names the attribute that is malformed, if one is. */
export const readPet: (item: Attributes) => ItemReading<Pet> = createItemReader(
  petFieldReaders,
  ({ id }) => `pet ${id}`,
)

/**
 * Parses the pet of an item of the pets table.
 *
 * @throws Error that names the pet and the attribute, if an attribute is malformed
 */
export const parsePet = (item: Attributes): Pet => requireValue(readPet(item))

/** Picks the fields of a pet from its item, without checking them. */
export const pickPetFields = (item: Attributes): PetFields =>
  Object.fromEntries(petFields.map((field) => [field, item[field]]))
