/**
 * A pet as its item has it: the pet that callers see, and what the last file of its source said of it.
 *
 * The item of a shown pet stores of `file` only what differs from the pet, which is nothing for most. The item of a
 * removed pet stays, so that a late request to create the pet finds that it was created; that of a source's pet keeps
 * name, category and the whole `file`. Only `readStoredPet` puts `file` together, and only `buildItem` takes it apart.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import {
  type AttributeReader,
  createWordReader,
  ifReadable,
  malformed,
  readInt64Attribute,
  readTextAttribute,
} from '../../../shared/dynamodb/item-reader.ts'
import { type Pet, type PetFields, petStatuses, pickPetFields, readPet } from '../../../shared/pets/pet.ts'
import { changeCount, countChanges, isRemoved, removed } from '../../../shared/pets/pet-table.ts'
import { type ChangeId, changeIdAttribute, readChangeId } from './record.ts'

/** The shelter whose file has a pet, and the animal's number there. Other pets have none. No response shows them. */
export interface Origin {
  readonly source: string
  readonly number: string
}

/** The name of a source: at most 64 lower-case letters, digits and hyphens. The index has other names for its heads. */
export const sourcePattern = '^[a-z0-9-]{1,64}$'

/** Maximum number of characters in an animal's number: a sort key takes 1,024 bytes, and a character has up to four. */
export const maximumNumberLength = 255

/** Status of an animal by the last file of its source. */
const fileStatuses = [
  ...petStatuses,
  /** The file has the animal with a status that is not to be shown. */
  'hidden',
  /** The file no longer has the animal. */
  'missing',
] as const

export type FileStatus = (typeof fileStatuses)[number]

/** The values of an animal in the last file of its source. */
export interface FileFields {
  readonly name: string
  readonly categoryId: bigint
  readonly status: FileStatus
}

/** The fields of a pet that a file sets. All other fields of a pet stay. */
export const fileFields = ['name', 'categoryId', 'status'] as const satisfies readonly (keyof FileFields)[]

/** How a pet was removed: by an operator, or by the file of its source. */
type Removal = 'by hand' | 'by source'

/** A pet that lists show. */
interface ShownPet {
  readonly kind: 'shown'
  readonly pet: Pet
  /** The file's values: those that the item does not store are the pet's. Without a source they mean nothing. */
  readonly file: FileFields
}

/** A removed pet. */
export interface RemovedPet {
  readonly kind: 'removed'
  readonly removed: Removal
  /** The name that a source's pet had. */
  readonly name?: string | undefined
  readonly categoryId?: bigint | undefined
  readonly file: Partial<FileFields>
}

/** A pet whose item cannot be read, for example because somebody has edited it by hand. */
export interface MalformedPet {
  readonly kind: 'malformed'
  /** The first attribute that is missing or malformed. */
  readonly attribute: string
  /** The fields as they are stored. */
  readonly fields: PetFields
  readonly file: Partial<FileFields>
}

/** A state that a command can write. */
export type PetState = ShownPet | RemovedPet

/** The item of a pet that was read. */
export interface StoredPet {
  readonly id: bigint
  readonly state: PetState | MalformedPet
  readonly origin: Origin | undefined
  /** The id of the latest change by an operator. */
  readonly changeId: ChangeId | undefined
  /** The item as it is stored. */
  readonly item: Attributes
}

/** Reads an item of the pets table. */
export const readStoredPet = (item: Attributes): StoredPet => ({
  id: readId(item['id']),
  state: readPetState(item),
  origin: readOrigin(item),
  changeId: readChangeId(item),
  item,
})

/** Reads an id, which is the key of the table, and so a number. An item that somebody has put by hand may have 1.5. */
const readId = (id: unknown): bigint => (typeof id === 'bigint' ? id : BigInt(Math.floor(Number(id))))

/** Reads source and number of an item. */
export const readOrigin = ({ source, number }: Attributes): Origin | undefined =>
  typeof source === 'string' && typeof number === 'string' ? { source, number } : undefined

/** Reads the state of a pet from its item, from a record of the audit or from the row of an export. */
export const readPetState = (attributes: Attributes): PetState | MalformedPet => {
  const file = readFileFields(attributes['file'])
  if (isRemoved(attributes)) {
    return {
      kind: 'removed',
      // Any other value was written by hand, and keeps the pet from returning by itself.
      removed: attributes[removed] === 'by source' ? 'by source' : 'by hand',
      name: readField(readTextAttribute, attributes['name']),
      categoryId: readField(readInt64Attribute, attributes['categoryId']),
      file,
    }
  }
  const reading = readPet(attributes)
  if (reading.kind === 'malformed') {
    return { kind: 'malformed', attribute: reading.attribute, fields: pickPetFields(attributes), file }
  }
  const { name, categoryId, status } = reading.value
  return { kind: 'shown', pet: reading.value, file: { name, categoryId, status, ...file } }
}

const readField = <Value>(read: AttributeReader<Value>, attribute: unknown): Value | undefined => {
  const value = read(attribute)
  return value === malformed ? undefined : value
}

const fileReaders = {
  name: ifReadable(readTextAttribute),
  categoryId: ifReadable(readInt64Attribute),
  status: ifReadable(createWordReader(fileStatuses)),
}

const readFileFields = (attribute: unknown): Partial<FileFields> => {
  const stored = Object(attribute) as Attributes
  const values = fileFields.map((field) => [field, readField<unknown>(fileReaders[field], stored[field])] as const)
  // Each value has the type of its reader.
  return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Partial<FileFields>
}

/** Formats the state of a pet as its item stores it, and as records and exports have it. */
export const formatPetState = (id: bigint, state: PetState | MalformedPet, origin: Origin | undefined): Attributes => {
  const kept = origin === undefined ? {} : formatKeptFields(state)
  if (state.kind === 'removed') return { id, ...kept, [removed]: state.removed }
  return { ...(state.kind === 'shown' ? state.pet : state.fields), id, ...kept }
}

/** Formats the attributes that only a pet of a source has. */
const formatKeptFields = (state: PetState | MalformedPet): Attributes => {
  if (state.kind === 'removed') {
    const { name, categoryId, file } = state
    return withoutUndefined({ name, categoryId, file: withoutUndefined(file) })
  }
  const fields: Attributes = state.kind === 'shown' ? state.pet : state.fields
  const differing = Object.entries(state.file).filter(([field, value]) => value !== fields[field])
  return differing.length === 0 ? {} : { file: Object.fromEntries(differing) }
}

const withoutUndefined = (values: object): Attributes =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Whether a stored pet is in a state already. A pet that cannot be read is in none. */
export const isInState = ({ id, state: stored, origin }: StoredPet, state: PetState): boolean =>
  stored.kind !== 'malformed' &&
  isDeepStrictEqual(formatPetState(id, stored, origin), formatPetState(id, state, origin))

/** Whether a pet stores that its file says something else, which reports name each night. */
export const isUnlikeFile = ({ state, origin }: Pick<StoredPet, 'state' | 'origin'>): boolean => {
  if (origin === undefined || state.kind === 'malformed') return false
  if (state.kind === 'shown') {
    const { pet, file } = state
    return fileFields.some((field) => pet[field] !== file[field])
  }
  return state.removed === 'by hand' && (state.file.status === 'available' || state.file.status === 'pending')
}

/** A state to store under an id. */
interface PetToBuild {
  readonly id: bigint
  /** The pet that was read; undefined if the id had no item. */
  readonly stored: StoredPet | undefined
  readonly state: PetState
  /** Source and number of a pet that has no item. An item keeps its own. */
  readonly origin?: Origin | undefined
  readonly changeId: ChangeId
}

/**
 * Builds the item of a pet. It keeps the attributes that are neither fields of a pet nor of its state, above all
 * `attemptId`, by which a late request to create the pet finds that the pet has been created. `changeCount` grows by
 * one: a list can find a pet under two statuses while the index follows a change, and shows the one with the higher
 * count.
 */
export const buildItem = ({ id, stored, state, origin: newOrigin, changeId }: PetToBuild): Attributes => {
  const item = stored?.item ?? {}
  const origin = stored === undefined ? newOrigin : stored.origin
  return {
    ...origin,
    ...findHiddenAttributes(item),
    ...formatPetState(id, state, origin),
    [changeCount]: countChanges(item) + 1,
    [changeIdAttribute]: changeId,
  }
}

/** Names of the attributes that every write sets anew. */
const writtenAttributes: ReadonlySet<string> = new Set([
  ...Object.keys(pickPetFields({})),
  'file',
  removed,
  changeCount,
  changeIdAttribute,
])

/** Finds the attributes that callers never see and that no write changes, such as `attemptId` and `addedBy`. */
const findHiddenAttributes = (item: Attributes): Attributes =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !writtenAttributes.has(name)))
