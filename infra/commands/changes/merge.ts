/**
 * The merge of what a source's file says with what operators have changed by hand, field by field: if the file has
 * changed its value of a field, the pet gets that value. Every other field stays as the pet has it.
 */
import { type Pet, petStatuses } from '../../../shared/pets/pet.ts'
import type { FileFields, FileStatus, PetState, RemovedPet, StoredPet } from './stored-pet.ts'

interface Merge {
  /** Values of the file when the pet was as `ours`. A missing one counts as that of `theirs`. */
  readonly base: Partial<FileFields>
  /** Values of the file now. A missing one counts as unchanged. */
  readonly theirs: Partial<FileFields>
  /** The pet, as callers and operators have left it. */
  readonly ours: PetState
}

/** Merges a file into a pet. The result has `theirs` as its `file`. */
export const mergeFile = (id: bigint, merge: Merge): PetState => {
  const { base, theirs, ours } = merge
  const own = ours.kind === 'shown' ? ours.pet : ours
  const file = { ...base, ...theirs }
  const name = mergeField(merge, 'name', own.name)
  const categoryId = mergeField(merge, 'categoryId', own.categoryId)
  const outcome = hasNewStatus(merge)
    ? chooseStatusOrRemoval(ours, base.status, theirs.status)
    : findStatusOrRemoval(ours)

  const isRemoved = outcome === 'by hand' || outcome === 'by source'
  // Only a removed pet whose item somebody has edited by hand has no name: it stays removed.
  if (isRemoved || name === undefined || categoryId === undefined) {
    return { kind: 'removed', removed: outcome === 'by source' ? outcome : 'by hand', name, categoryId, file }
  }
  const shownPet = ours.kind === 'shown' ? ours.pet : undefined
  return showPet({ ...shownPet, id, name, categoryId, status: outcome }, file)
}

/**
 * Whether the file says another status than before. For an animal that its source has removed, every status counts as
 * another one if its item does not say what the file said then.
 */
const hasNewStatus = (merge: Merge): boolean => {
  const { base, theirs, ours } = merge
  const isUnknown = base.status === undefined && theirs.status !== undefined
  return hasFileChanged(merge, 'status') || (isUnknown && ours.kind === 'removed' && ours.removed === 'by source')
}

const mergeField = <Field extends 'name' | 'categoryId'>(
  merge: Merge,
  field: Field,
  own: FileFields[Field] | undefined,
): FileFields[Field] | undefined => {
  const merged = hasFileChanged(merge, field) ? merge.theirs[field] : own
  return merged ?? merge.theirs[field] ?? merge.base[field]
}

/** Whether the file has changed its value of a field. */
const hasFileChanged = ({ base, theirs }: Merge, field: keyof FileFields): boolean =>
  theirs[field] !== undefined && base[field] !== undefined && theirs[field] !== base[field]

/** Creates the state of a shown pet. What `file` lacks is as the pet has it. */
export const showPet = (pet: Pet, file: Partial<FileFields> = {}): PetState => {
  const { name, categoryId, status } = pet
  return { kind: 'shown', pet, file: { name, categoryId, status, ...file } }
}

/** The status of a pet, or the kind of its removal. */
type StatusOrRemoval = Pet['status'] | RemovedPet['removed']

const findStatusOrRemoval = (state: PetState): StatusOrRemoval =>
  state.kind === 'shown' ? state.pet.status : state.removed

/** Chooses the status, or the kind of removal, that a pet gets by a file that says another status than before. */
const chooseStatusOrRemoval = (
  ours: PetState,
  before: FileStatus | undefined,
  now: FileStatus | undefined,
): StatusOrRemoval => {
  const shownStatus = petStatuses.find((status) => status === now)
  const isRemovedByHand = ours.kind === 'removed' && ours.removed === 'by hand'
  if (!isRemovedByHand) return shownStatus ?? 'by source'
  // The removal by hand no longer counts for an animal that was sold, hidden or gone since, and is to be adopted again.
  const isBack = before === 'hidden' || before === 'sold' || before === 'missing'
  return isBack && (shownStatus === 'available' || shownStatus === 'pending') ? shownStatus : 'by hand'
}

/** Takes a pet off the list. The item of a source's pet keeps its name, its category and what its file said. */
export const takeOffList = ({ state }: StoredPet, removed: RemovedPet['removed']): PetState => {
  if (state.kind === 'removed') return { ...state, removed }
  const { name, categoryId } = state.kind === 'shown' ? state.pet : state.file
  return { kind: 'removed', removed, name, categoryId, file: state.file }
}

/** Computes the pet as its file has it, in every field; undefined if not all values of the file are known. */
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
