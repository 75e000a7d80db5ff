import type { Pet } from '../../../shared/pets/pet.ts'
import type { PetItem } from './pet-items.ts'
import { isAsOf, isOfNewPet, isSamePet, type Version } from './rows/version.ts'

/** What an id is to have. */
export interface Wanted {
  /** Of the file that says so. */
  readonly line?: number
  readonly id: bigint
  /** Of the pet that it has, as far as whoever wants this knows. */
  readonly version: Version
  /** Undefined where the pet is to be removed. */
  readonly pet: Pet | undefined
}

/** What is done about an id, and how it is counted. */
export const kinds = {
  create: 'created',
  change: 'changed',
  restore: 'restored',
  remove: 'removed',
  /** It is as it is to be: an earlier run may have done it. */
  leave: 'left',
  /** Somebody else has changed or removed the pet since: nothing is done. */
  conflict: 'conflicts',
} as const

/** What is done about an id, by the item that was found there. */
export interface Step {
  readonly kind: keyof typeof kinds
  readonly wanted: Wanted
  readonly found: PetItem | undefined
}

/** @param restores whether a pet is added under an id that has none */
export const decide = (wanted: Wanted, found: PetItem | undefined, restores: boolean): Step => {
  return { kind: kindOf(wanted, found, restores), wanted, found }
}

const kindOf = ({ version, pet }: Wanted, found: PetItem | undefined, restores: boolean): Step['kind'] => {
  const theirs = found?.pet
  if (pet !== undefined && isOfNewPet(version)) {
    if (found === undefined) return 'create'
    if (isTaken(version, found)) return 'conflict'
    // The pet was added. What others did to it since is no matter of a row that nobody has edited.
    if (isAsOf(pet, version) && (theirs !== undefined || !restores)) return 'leave'
  }
  if (isSamePet(theirs, pet)) return 'leave'
  if (theirs === undefined) return restores ? 'restore' : 'conflict'
  if (!isAsOf(theirs, version)) return 'conflict'
  return pet === undefined ? 'remove' : 'change'
}

/** Whether the id of a new pet has another one. */
export const isTaken = (version: Version, found: PetItem | undefined): boolean =>
  isOfNewPet(version) && found !== undefined && found.attemptId !== version

export const isWrite = ({ kind }: Step): boolean => kind !== 'leave' && kind !== 'conflict'
