/**
 * A pet as its item has it: the pet that callers of the API see and, if it comes from a source, the hash of its row. A
 * source is a shelter whose nightly file `pets sync` reads. The row is the line of one animal in the last file.
 *
 * The hash is the attribute `row`. A pet whose fields have another hash was changed by hand. An animal whose row in the
 * next file has another hash was changed by the shelter.
 *
 * The item of a removed pet stays, so that a late request to create the pet finds that the pet was created. If the pet
 * comes from a source, its item also keeps name, category and `row`.
 */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { malformed, readInt64Attribute, readTextAttribute } from '../../../shared/dynamodb/item-reader.ts'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import {
  type Pet,
  type PetFields,
  type PetStatus,
  petFields,
  pickPetFields,
  readPet,
} from '../../../shared/pets/pet.ts'
import { changeCountAttribute, countChanges, isRemoved, removedAttribute } from '../../../shared/pets/pet-table.ts'
import { type ChangeId, changeIdAttribute, readChangeId } from './record.ts'

/** The shelter whose file has an animal, and the animal's number there. Callers never see them. */
export interface Origin {
  readonly source: string
  readonly number: string
}

/** Pattern of the name of a source. Without `#`: the partitions of `source-head.ts` begin with it. */
export const sourcePattern = '^[a-z0-9-]{1,64}$'

/** Maximum number of characters in an animal's number, which is a sort key: at most 1,024 bytes, four a character. */
export const maximumNumberLength = 255

/** Status of an animal at its shelter. A `hidden` animal is in the file, but in no list of this service. */
export type ShelterStatus = PetStatus | 'hidden'

/** The row of an animal in a file, in the words of this service. */
export interface RowFields {
  readonly name: string
  readonly categoryId: bigint
  readonly status: ShelterStatus
}

declare const rowHashBrand: unique symbol
/** Hash of an animal's row in the last file of its source, or `gone` if that file did not have the animal. */
export type RowHash = string & { readonly [rowHashBrand]: true }

const rowHashPattern = /^(gone|[\w-]{8})$/

/** Stands for the hash of an animal that its file does not have. Hashes have eight characters, so none is the same. */
// Casts to RowHash stand here, in `hashRow` and in `readRowHash` alone.
export const goneRowHash = 'gone' as RowHash

/** Hashes a row. Two rows that differ have the same hash once in 2^48 cases. */
export const hashRow = ({ name, categoryId, status }: RowFields): RowHash => {
  const text = stringifyExactJson([name, categoryId, status])
  return createHash('sha256').update(text).digest('base64url').slice(0, 8) as RowHash
}

/** How a pet was removed: by an operator, or by the file of its source. */
type Removal = 'by hand' | 'by source'

/** A pet that lists show. */
interface ShownPet {
  readonly kind: 'shown'
  readonly pet: Pet
  /** Undefined for a pet without a source, and until a file has decided about the pet. */
  readonly rowHash?: RowHash | undefined
}

/** A removed pet. */
export interface RemovedPet {
  readonly kind: 'removed'
  readonly removed: Removal
  /** Name and category of an animal of a source; undefined for other pets. */
  readonly name?: string | undefined
  readonly categoryId?: bigint | undefined
  readonly rowHash?: RowHash | undefined
}

/** A pet whose item cannot be read, for example because somebody has edited the item without the commands. */
export interface MalformedPet {
  readonly kind: 'malformed'
  /** The first attribute that is missing or malformed. */
  readonly attribute: string
  /** The fields as they are stored. */
  readonly fields: PetFields
  /** Never known, so the next file of the source replaces the pet. */
  readonly rowHash?: undefined
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
  /** The item as it was read. */
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

/**
 * Reads the id of an item. If somebody has put the item by hand, the id may be a fraction: it is rounded down, so that
 * a scan does not fail at it.
 */
const readId = (id: unknown): bigint => (typeof id === 'bigint' ? id : BigInt(Math.floor(Number(id))))

/** Reads source and number of an item. */
export const readOrigin = ({ source, number }: Attributes): Origin | undefined =>
  typeof source === 'string' && typeof number === 'string' ? { source, number } : undefined

/** Reads the state of a pet from its item, from a record of the audit or from the line of an export. */
export const readPetState = (attributes: Attributes): PetState | MalformedPet => {
  const rowHash = readRowHash(attributes['row'])
  if (isRemoved(attributes)) {
    // A pet counts as removed by its source only if the item says exactly that, so an edited item counts as by hand.
    const removal = attributes[removedAttribute] === 'by source' ? 'by source' : 'by hand'
    return { kind: 'removed', removed: removal, ...readKeptFields(attributes), rowHash }
  }
  const reading = readPet(attributes)
  if (reading.kind === 'read') return { kind: 'shown', pet: reading.value, rowHash }
  return { kind: 'malformed', attribute: reading.attribute, fields: pickPetFields(attributes) }
}

const readRowHash = (attribute: unknown): RowHash | undefined =>
  typeof attribute === 'string' && rowHashPattern.test(attribute) ? (attribute as RowHash) : undefined

/** Reads name and category, as far as they are well-formed. */
const readKeptFields = (attributes: Attributes): Pick<RemovedPet, 'name' | 'categoryId'> => {
  const name = readTextAttribute(attributes['name'])
  const categoryId = readInt64Attribute(attributes['categoryId'])
  return {
    name: name === malformed ? undefined : name,
    categoryId: categoryId === malformed ? undefined : categoryId,
  }
}

/**
 * Formats the state of a pet as its item stores it, and as records and exports have it. Only a pet with an origin has
 * the attribute `row`, and only such a pet keeps name and category once it is removed.
 */
export const formatPetState = (id: bigint, state: PetState | MalformedPet, origin: Origin | undefined): Attributes => {
  if (state.kind === 'malformed') return { ...state.fields, id }
  const row = origin === undefined ? undefined : state.rowHash
  if (state.kind === 'shown') return withoutUndefined({ ...state.pet, id, row })
  if (origin === undefined) return { id, [removedAttribute]: state.removed }
  const { name, categoryId } = state
  return withoutUndefined({ id, name, categoryId, [removedAttribute]: state.removed, row })
}

const withoutUndefined = (values: object): Attributes =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** Whether a stored pet is in a state already. A malformed pet never is, so that a write mends its item. */
export const isInState = ({ id, state: stored, origin }: StoredPet, state: PetState): boolean =>
  stored.kind !== 'malformed' &&
  isDeepStrictEqual(formatPetState(id, stored, origin), formatPetState(id, state, origin))

/** Creates the state that a pet gets when it is removed. */
export const createRemovedState = ({ state }: Pick<StoredPet, 'state'>, removal: Removal): RemovedPet => {
  const { name, categoryId } = pickKnownFields(state)
  return { kind: 'removed', removed: removal, name, categoryId, rowHash: state.rowHash }
}

/** Picks the fields of a pet that are known. A removed pet has no status. */
export const pickKnownFields = (state: StoredPet['state']): Partial<Pick<Pet, 'name' | 'categoryId' | 'status'>> => {
  if (state.kind === 'shown') return state.pet
  const { name, categoryId } = state.kind === 'removed' ? state : readKeptFields(state.fields)
  return withoutUndefined({ name, categoryId })
}

/**
 * Whether a source's pet differs from its row in the last file, because it was changed or removed by hand. A pet that
 * no file has decided about yet counts too.
 */
export const isChangedByHand = ({ state, origin }: Pick<StoredPet, 'state' | 'origin'>): boolean => {
  if (origin === undefined) return false
  // An animal that the last file did not have is rightly removed, whoever has removed it.
  if (state.kind === 'removed') return state.removed === 'by hand' && state.rowHash !== goneRowHash
  return state.kind === 'malformed' || state.rowHash !== hashRow(state.pet)
}

/** The parts of an item to write. */
interface PetToBuild {
  readonly id: bigint
  /** The pet that was read; undefined if the id had no item. */
  readonly stored: StoredPet | undefined
  readonly state: PetState
  /** Source and number for a new item. A stored item keeps the ones that it has. */
  readonly origin?: Origin | undefined
  readonly changeId: ChangeId
}

/**
 * Builds the item of a pet.
 *
 * The item keeps its attributes that are neither fields of a pet nor of its state, above all `attemptId`, by which a
 * late request to create the pet finds that the pet has been created.
 *
 * `changeCount` grows by one. While the status index follows a change, it has the pet under two statuses: a list shows
 * the one with the higher count.
 */
export const buildItem = ({ id, stored, state, origin: newOrigin, changeId }: PetToBuild): Attributes => {
  const item = stored?.item ?? {}
  const origin = stored === undefined ? newOrigin : stored.origin
  return {
    ...origin,
    ...findHiddenAttributes(item),
    ...formatPetState(id, state, origin),
    [changeCountAttribute]: countChanges(item) + 1,
    [changeIdAttribute]: changeId,
  }
}

/** Names of the attributes that every write sets anew. */
const writtenAttributes: ReadonlySet<string> = new Set([
  ...petFields,
  'row',
  removedAttribute,
  changeCountAttribute,
  changeIdAttribute,
])

/** Finds the attributes that callers never see and that no write changes, such as `attemptId` and `addedBy`. */
const findHiddenAttributes = (item: Attributes): Attributes =>
  Object.fromEntries(Object.entries(item).filter(([name]) => !writtenAttributes.has(name)))
