/**
 * The merge of what a source's file says with what operators have changed by hand. It goes field by field: what the file
 * says otherwise than before becomes the pet's, and all else stays as the pet has it.
 */
import { type Pet, petStatuses } from '../../../shared/pets/pet.ts'
import type { FileFields, FileStatus, PetState, RemovedPet, StoredPet } from './stored-pet.ts'

interface Merge {
  /** What the file said when the pet was as `ours`. A field that it lacks is taken from `theirs`. */
  readonly base: Partial<FileFields>
  /** What the file says now. A field that it lacks is as before. */
  readonly theirs: Partial<FileFields>
  /** The pet. */
  readonly ours: PetState
}

/** Merges a file into a pet. The result has `theirs` as its `file`. */
export const mergeFile = (id: bigint, merge: Merge): PetState => {
  const { base, theirs, ours } = merge
  const own = ours.kind === 'shown' ? ours.pet : ours
  const file = { ...base, ...theirs }
  const name = mergeField(merge, 'name', own.name)
  const categoryId = mergeField(merge, 'categoryId', own.categoryId)
  const place = hasNewStatus(merge) ? choosePlace(ours, base.status, theirs.status) : findPlace(ours)

  const isRemoved = place === 'by hand' || place === 'by source'
  // Only a removed pet whose item somebody has edited by hand has no name: it stays removed.
  if (isRemoved || name === undefined || categoryId === undefined) {
    return { kind: 'removed', removed: place === 'by source' ? place : 'by hand', name, categoryId, file }
  }
  const shownPet = ours.kind === 'shown' ? ours.pet : undefined
  return showPet({ ...shownPet, id, name, categoryId, status: place }, file)
}

/**
 * Whether the file says another status than before. An animal that its source has removed comes back also if its item
 * does not say what the file said then.
 */
const hasNewStatus = (merge: Merge): boolean => {
  const { base, theirs, ours } = merge
  const isUnknown = base.status === undefined && theirs.status !== undefined
  return isNews(merge, 'status') || (isUnknown && ours.kind === 'removed' && ours.removed === 'by source')
}

const mergeField = <Field extends 'name' | 'categoryId'>(
  merge: Merge,
  field: Field,
  own: FileFields[Field] | undefined,
): FileFields[Field] | undefined => {
  const merged = isNews(merge, field) ? merge.theirs[field] : own
  return merged ?? merge.theirs[field] ?? merge.base[field]
}

/** Whether the file says otherwise than before. */
const isNews = ({ base, theirs }: Merge, field: keyof FileFields): boolean =>
  theirs[field] !== undefined && base[field] !== undefined && theirs[field] !== base[field]

/** Creates the state of a shown pet. What `file` lacks is as the pet has it. */
export const showPet = (pet: Pet, file: Partial<FileFields> = {}): PetState => {
  const { name, categoryId, status } = pet
  return { kind: 'shown', pet, file: { name, categoryId, status, ...file } }
}

/** The partition of the status index in which a pet is, or why it is in none. */
type Place = Pet['status'] | RemovedPet['removed']

const findPlace = (state: PetState): Place => (state.kind === 'shown' ? state.pet.status : state.removed)

/** Chooses the status, or the kind of removal, that a pet gets by a file that says another status than before. */
const choosePlace = (ours: PetState, before: FileStatus | undefined, now: FileStatus | undefined): Place => {
  const shownStatus = petStatuses.find((status) => status === now)
  const isRemovedByHand = ours.kind === 'removed' && ours.removed === 'by hand'
  if (!isRemovedByHand) return shownStatus ?? 'by source'
  // An animal that was sold, hidden or gone, and is to be adopted now, is another story than the one that was removed.
  const isBack = before === 'hidden' || before === 'sold' || before === 'missing'
  return isBack && (shownStatus === 'available' || shownStatus === 'pending') ? shownStatus : 'by hand'
}

/** Takes a pet off the list. The item of a source's pet keeps its name, its category and what its file said. */
export const takeOffList = ({ state }: StoredPet, removed: RemovedPet['removed']): PetState => {
  if (state.kind === 'removed') return { ...state, removed }
  const { name, categoryId } = state.kind === 'shown' ? state.pet : state.file
  return { kind: 'removed', removed, name, categoryId, file: state.file }
}

/** Makes a pet as its file has it, in every field; undefined if not all of the file is known. */
export const followFile = ({ id, state }: StoredPet): PetState | undefined => {
  const { name, categoryId, status } = state.file
  if (name === undefined || categoryId === undefined || status === undefined) return undefined
  const shownStatus = petStatuses.find((one) => one === status)
  if (shownStatus === undefined) {
    return { kind: 'removed', removed: 'by source', name, categoryId, file: { name, categoryId, status } }
  }
  const shownPet = state.kind === 'shown' ? state.pet : undefined
  return showPet({ ...shownPet, id, name, categoryId, status: shownStatus }, state.file)
}
