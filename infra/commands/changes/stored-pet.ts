/**
 * A pet as its item has it: the pet that callers see, and what the last file of its source said of it.
 *
 * What the file said is `row`, a hash, so no second copy of the pet is stored. If the fields of the item have another
 * hash, somebody has changed the pet by hand. If the row in the next file has another hash, the shelter has changed the
 * animal.
 *
 * The item of a removed pet stays, so that a late request to create the pet finds that the pet was created. The item of
 * a source's removed pet keeps name, category and `row`.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { malformed, readInt64Attribute, readTextAttribute } from '../../../shared/dynamodb/item-reader.ts'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { type Pet, type PetFields, type PetStatus, pickPetFields, readPet } from '../../../shared/pets/pet.ts'
import { changeCount, countChanges, isRemoved, removed } from '../../../shared/pets/pet-table.ts'
import { type ChangeId, changeIdAttribute, readChangeId } from './record.ts'

/** The shelter whose file has a pet, and the animal's number there. Other pets have none. No response shows them. */
export interface Origin {
  readonly source: string
  readonly number: string
}

/** The name of a source. It has no `#`, with which `source-head.ts` begins the names of its own partitions. */
export const sourcePattern = '^[a-z0-9-]{1,64}$'

/** Maximum number of characters in an animal's number: a sort key takes 1,024 bytes, and a character has up to four. */
export const maximumNumberLength = 255

/** Status of an animal at its shelter. A `hidden` animal is in the file, but in no list of this service. */
export type ShelterStatus = PetStatus | 'hidden'

/** The values of an animal in its row of a file, in the words of this service. */
export interface RowFields {
  readonly name: string
  readonly categoryId: bigint
  readonly status: ShelterStatus
}

declare const rowBrand: unique symbol
/** Hash of an animal's fields in the last file of its source, or `gone` if that file did not have the animal. */
export type Row = string & { readonly [rowBrand]: true }

const rowPattern = /^(gone|[\w-]{8})$/

/** Value of `row` for an animal that its file does not have. No hash has four characters. */
// Only this function and `hashRow` make a Row, and `readRow` recognizes one.
export const goneRow = 'gone' as Row

/** Hashes what a file says of an animal. Two rows that differ have the same hash once in 2^48 cases. */
export const hashRow = ({ name, categoryId, status }: RowFields): Row => {
  const text = stringifyExactJson([name, categoryId, status])
  return createHash('sha256').update(text).digest('base64url').slice(0, 8) as Row
}

/** How a pet was removed: by an operator, or by the file of its source. */
type Removal = 'by hand' | 'by source'

/** A pet that lists show. */
interface ShownPet {
  readonly kind: 'shown'
  readonly pet: Pet
  /** Undefined until a file has decided about the pet. */
  readonly row?: Row | undefined
}

/** A removed pet. */
export interface RemovedPet {
  readonly kind: 'removed'
  readonly removed: Removal
  /** The name that a source's pet had. */
  readonly name?: string | undefined
  readonly categoryId?: bigint | undefined
  readonly row?: Row | undefined
}

/** A pet whose item cannot be read, for example because somebody has edited it by hand. The next file replaces it. */
export interface MalformedPet {
  readonly kind: 'malformed'
  /** The first attribute that is missing or malformed. */
  readonly attribute: string
  /** The fields as they are stored. */
  readonly fields: PetFields
  readonly row?: undefined
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

/** Reads the state of a pet from its item, from a record of the audit or from the line of an export. */
export const readPetState = (attributes: Attributes): PetState | MalformedPet => {
  const row = readRow(attributes['row'])
  if (isRemoved(attributes)) {
    // Any other value was written by hand, and keeps the pet from counting as removed by its source.
    const removal = attributes[removed] === 'by source' ? 'by source' : 'by hand'
    return { kind: 'removed', removed: removal, ...readKeptFields(attributes), row }
  }
  const reading = readPet(attributes)
  if (reading.kind === 'read') return { kind: 'shown', pet: reading.value, row }
  return { kind: 'malformed', attribute: reading.attribute, fields: pickPetFields(attributes) }
}

const readRow = (attribute: unknown): Row | undefined =>
  typeof attribute === 'string' && rowPattern.test(attribute) ? (attribute as Row) : undefined

/** Reads name and category, as far as they are well-formed. */
const readKeptFields = (attributes: Attributes): Pick<RemovedPet, 'name' | 'categoryId'> => {
  const name = readTextAttribute(attributes['name'])
  const categoryId = readInt64Attribute(attributes['categoryId'])
  return {
    name: name === malformed ? undefined : name,
    categoryId: categoryId === malformed ? undefined : categoryId,
  }
}

/** Formats the state of a pet as its item stores it, and as records and exports have it. */
export const formatPetState = (id: bigint, state: PetState | MalformedPet, origin: Origin | undefined): Attributes => {
  if (state.kind === 'malformed') return { ...state.fields, id }
  const row = origin === undefined ? undefined : state.row
  if (state.kind === 'shown') return withoutUndefined({ ...state.pet, id, row })
  const { name, categoryId } = origin === undefined ? noFields : state
  return withoutUndefined({ id, name, categoryId, [removed]: state.removed, row })
}

/** The fields of a removed pet that comes from no file. */
const noFields: Pick<RemovedPet, 'name' | 'categoryId'> = {}

const withoutUndefined = (values: object): Attributes =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Whether a stored pet is in a state already. A pet that cannot be read is in none. */
export const isInState = ({ id, state: stored, origin }: StoredPet, state: PetState): boolean =>
  stored.kind !== 'malformed' &&
  isDeepStrictEqual(formatPetState(id, stored, origin), formatPetState(id, state, origin))

/** Creates the state of a pet that is taken off the list. */
export const takeOffList = ({ state }: Pick<StoredPet, 'state'>, removal: Removal): RemovedPet => {
  const { name, categoryId } = pickKnownFields(state)
  return { kind: 'removed', removed: removal, name, categoryId, row: state.row }
}

/** Picks the fields of a pet that are known. A removed pet has no status. */
export const pickKnownFields = (state: StoredPet['state']): Partial<Pick<Pet, 'name' | 'categoryId' | 'status'>> => {
  if (state.kind === 'shown') return state.pet
  const { name, categoryId } = state.kind === 'removed' ? state : readKeptFields(state.fields)
  return withoutUndefined({ name, categoryId })
}

/**
 * Whether a source's pet is changed or removed by hand, so that it differs from what its file said last. A pet that no
 * file has decided about yet counts too.
 */
export const isChangedByHand = ({ state, origin }: Pick<StoredPet, 'state' | 'origin'>): boolean => {
  if (origin === undefined) return false
  if (state.kind === 'removed') return state.removed === 'by hand' && state.row !== goneRow
  return state.kind === 'malformed' || state.row !== hashRow(state.pet)
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
  'row',
  removed,
  changeCount,
  changeIdAttribute,
])

/** Finds the attributes that callers never see and that no write changes, such as `attemptId` and `addedBy`. */
const findHiddenAttributes = (item: Attributes): Attributes =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !writtenAttributes.has(name)))
