/**
 * What a source's file does to one animal: a merge of three states, field by field. What the file says otherwise than
 * the last file did, is set. What it says as before stays as the pet has it, also where a hand has changed the pet.
 */
import { assignPetId, type Pet } from '../../../../shared/pets/pet.ts'
import { type FileState, fileFields, type Listing } from './listing.ts'

export type AnimalAction = 'added' | 'edited' | 'returned' | 'removed' | 'none'

/** A listing with how far it can be trusted. */
export interface KnownAnimal {
  readonly listing: Listing
  /** The pet; undefined if it is removed, or its item is missing. */
  readonly pet: Pet | undefined
  /** Whether the pet is older than the listing, because it or its table was restored. Then the file sets all fields. */
  readonly isPetBehind?: boolean
}

export interface AnimalPlan {
  /** The action on the pet. */
  readonly action: AnimalAction
  /** The pet afterwards; undefined if it is not in the list. */
  readonly newPet: Pet | undefined
  /** Values by hand that the listing keeps while the pet is not in the list. */
  readonly byHand: Listing['byHand']
  /** Fields that the pet keeps as a hand has left them. */
  readonly keptFields: readonly string[]
  /** Fields in which the file replaces what a hand, or a restore, has set. */
  readonly replacedFields: readonly string[]
}

/** Plans the pet of an animal whose row says something else than the last file. */
export const planAnimal = ({ listing, pet, isPetBehind = false }: KnownAnimal, next: FileState): AnimalPlan => {
  if (next.status === undefined) return planRemoval(listing, pet, isPetBehind)
  if (pet !== undefined) return planEdit(listing, pet, next, isPetBehind)
  // Somebody has removed the pet by hand, and now its source gives it up.
  if (next.state === 'missing' && !isPetBehind) return { ...unchanged, newPet: undefined }
  return planReturn(listing, next, isPetBehind)
}

const unchanged = { action: 'none', byHand: {}, keptFields: [], replacedFields: [] } as const

const planRemoval = (listing: Listing, pet: Pet | undefined, isPetBehind: boolean): AnimalPlan => {
  if (pet === undefined) return { ...unchanged, newPet: undefined, byHand: listing.byHand }
  const byHand = isPetBehind ? listing.byHand : findValuesByHand(listing, pet)
  return { ...unchanged, action: 'removed', newPet: undefined, byHand }
}

const findValuesByHand = (listing: Listing, pet: Pet): Listing['byHand'] => ({
  ...(pet.name === listing.name ? {} : { name: pet.name }),
  ...(pet.categoryId === listing.categoryId ? {} : { categoryId: pet.categoryId }),
})

const planEdit = (listing: Listing, pet: Pet, next: FileState, setsAll: boolean): AnimalPlan => {
  const isSet = (field: (typeof fileFields)[number]): boolean => setsAll || listing[field] !== next[field]
  const setFields = fileFields.filter((field) => isSet(field) && next[field] !== undefined)
  const differingFields = fileFields.filter((field) => next[field] !== undefined && pet[field] !== next[field])
  const changedFields = differingFields.filter((field) => setFields.includes(field))
  return {
    ...unchanged,
    action: changedFields.length > 0 ? 'edited' : 'none',
    newPet: { ...pet, ...Object.fromEntries(changedFields.map((field) => [field, next[field]])) },
    keptFields: differingFields.filter((field) => !setFields.includes(field)),
    replacedFields: changedFields.filter((field) => pet[field] !== listing[field]),
  }
}

/** Plans the return of a removed pet under its id. */
const planReturn = (listing: Listing, next: FileState, setsAll: boolean): AnimalPlan => {
  const { name, categoryId, status } = next
  if (name === undefined || categoryId === undefined || status === undefined) return { ...unchanged, newPet: undefined }

  const handFields = (['name', 'categoryId'] as const).filter(
    (field) => !setsAll && listing[field] === next[field] && listing.byHand[field] !== undefined,
  )
  const byHand = Object.fromEntries(handFields.map((field) => [field, listing.byHand[field]]))
  return {
    ...unchanged,
    action: 'returned',
    newPet: assignPetId(listing.petId, { name, categoryId, status, ...byHand }),
    keptFields: handFields,
  }
}
