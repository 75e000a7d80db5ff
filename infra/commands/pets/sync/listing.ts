/** A listing: what the last file of a source said about one animal, and the pet that this service has for it. */
import type { NewPet, PetStatus } from '../../../../shared/pets/pet.ts'
import type { FileAnimal } from './map-rows.ts'
import type { SourceSettings } from './settings.ts'

/**
 * State of an animal at its source.
 *
 * - `listed`: it is in the file, and in the list of this service unless somebody has removed it by hand.
 * - `hidden`: it is in the file with a status that hides it.
 * - `missing`: it is no longer in the file.
 * - `removed by hand`: it is in the file, and its pet is known to be removed by hand.
 */
export const listingStates = ['listed', 'hidden', 'missing', 'removed by hand'] as const

export type ListingState = (typeof listingStates)[number]

/** The fields of a pet that a file sets. All other fields of a pet stay. */
export const fileFields = ['name', 'categoryId', 'status'] as const

type NamingField = 'name' | 'categoryId'

export interface Listing {
  readonly reference: string
  readonly petId: bigint
  readonly state: ListingState
  /** The name in the last file. A listing that was rebuilt from a removed pet lacks name and category. */
  readonly name?: string
  readonly categoryId?: bigint
  /** The status by the last file. Undefined: by the last file the animal is not to be in the list. */
  readonly status?: PetStatus
  /** Values that the pet had by hand before its source took it off the list. It gets them back with its return. */
  readonly byHand: Readonly<Partial<Pick<NewPet, NamingField>>>
  /** Change id of the pet after the last write of its source; undefined if the pet had none. */
  readonly petChangeId?: string
  /** Id of the change that wrote the listing. */
  readonly version: string
}

/** The part of a listing that is about the file, without the one about the pet. */
export type FileState = Pick<Listing, 'state' | 'name' | 'categoryId' | 'status'>

/** Computes what the listing of an animal is to say after this file. @param animal undefined if the file lacks it */
export const readFileState = (
  listing: FileState | undefined,
  animal: FileAnimal | undefined,
  missing: SourceSettings['missing'],
): FileState => {
  if (animal !== undefined) {
    const { name, categoryId, status } = animal
    if (status === 'hidden') return { state: 'hidden', name, categoryId }
    return { state: 'listed', name, categoryId, status }
  }
  const isSold = missing === 'sold' && listing?.status !== undefined
  return {
    state: 'missing',
    ...(listing?.name === undefined ? {} : { name: listing.name }),
    ...(listing?.categoryId === undefined ? {} : { categoryId: listing.categoryId }),
    ...(isSold ? { status: 'sold' } : {}),
  }
}

/** Whether a file says about an animal what the last file said. */
export const isUnchanged = (listing: FileState, next: FileState): boolean => {
  if (listing.state === 'missing' && next.state === 'missing') return true
  // The source does not know that somebody has removed the pet.
  const state = listing.state === 'removed by hand' ? 'listed' : listing.state
  return state === next.state && fileFields.every((field) => listing[field] === next[field])
}

/** Picks what a listing says about the file. */
export const pickFileState = ({ state, name, categoryId, status }: Listing): FileState => ({
  state,
  ...(name === undefined ? {} : { name }),
  ...(categoryId === undefined ? {} : { categoryId }),
  ...(status === undefined ? {} : { status }),
})
