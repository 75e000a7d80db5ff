/** The changes that a file of a source asks for. */
import type { Attributes } from '../../../../shared/dynamodb/conditional-write.ts'
import { describeMalformedItem } from '../../../../shared/dynamodb/item-reader.ts'
import type { Pet } from '../../../../shared/pets/pet.ts'
import { readStoredPet } from '../pet-table.ts'
import { type FileState, isUnchanged, type Listing, pickFileState, readFileState } from './listing.ts'
import type { FileAnimal, MappedRows, UnknownRow } from './map-rows.ts'
import { type AnimalPlan, planAnimal } from './plan-animal.ts'
import type { SourceSettings } from './settings.ts'

/** A listing that is read, and how it is compared with the file. */
export interface ReadListing {
  readonly listing: Listing
  /** Whether the listing is to be written even if the file says what it says, because it was rebuilt. */
  readonly isRebuilt?: boolean
  /** Whether the pet is older than the listing, because it or its table was restored. */
  readonly isPetBehind?: boolean
  /** Version of the stored listing; undefined if none is stored. */
  readonly storedVersion: string | undefined
}

/** An animal that is not listed yet. One that the file has as sold or hidden is not added. */
export interface Addition {
  readonly reference: string
  readonly animal: FileAnimal & { readonly status: 'available' | 'pending' }
}

/** A listed animal about which the file says something new, or whose listing was rebuilt. */
export interface ListingChange extends ReadListing {
  /** The new state in the file; undefined if the rebuilt listing has the same. */
  readonly next: FileState | undefined
}

export interface FileChanges {
  readonly additions: readonly Addition[]
  readonly listingChanges: readonly ListingChange[]
}

/** Compares a file with the listings of its source. No pet is needed for that. */
export const compareFile = (
  { animals, unknownRows }: MappedRows,
  listings: ReadonlyMap<string, ReadListing>,
  missing: SourceSettings['missing'],
): FileChanges => {
  const additions = [...animals].flatMap(([reference, { status, ...naming }]) => {
    const isNew = !listings.has(reference) && (status === 'available' || status === 'pending')
    return isNew ? [{ reference, animal: { ...naming, status } }] : []
  })

  const listingChanges = [...listings.values()].flatMap((read): readonly ListingChange[] => {
    const { listing, isRebuilt = false, isPetBehind = false } = read
    if (unknownRows.has(listing.reference)) return []
    const next = readFileState(listing, animals.get(listing.reference), missing)
    if (isPetBehind || !isUnchanged(listing, next)) return [{ ...read, next }]
    return isRebuilt ? [{ ...read, next: undefined }] : []
  })
  return { additions, listingChanges }
}

/** A change of a listed animal. */
export interface PlannedChange extends ReadListing, AnimalPlan {
  /** The state in the file that the listing is to have. */
  readonly next: FileState
  /** The item of the pet, as it was read. */
  readonly item: Attributes | undefined
  readonly pet: Pet | undefined
}

export interface SyncPlan {
  readonly additions: readonly Addition[]
  /** Changes of listed animals; those that take an animal off the list come last. */
  readonly changes: readonly PlannedChange[]
  /** Animals whose items cannot be read. */
  readonly unreadable: readonly UnknownRow[]
}

/**
 * Plans the changes of listed animals.
 *
 * @param items of the pets, by their ids
 */
export const planChanges = (
  { additions, listingChanges }: FileChanges,
  items: ReadonlyMap<bigint, Attributes>,
): SyncPlan => {
  const unreadable: UnknownRow[] = []
  const changes: PlannedChange[] = []
  for (const change of listingChanges) {
    const { listing, isPetBehind = false, next } = change
    const item = items.get(listing.petId)
    const reading = readStoredPet(item)
    if (reading?.kind === 'malformed') {
      const { reference } = listing
      unreadable.push({ reference, reason: describeMalformedItem(reading).replace(/\.$/, '') })
      continue
    }
    const pet = reading?.value
    const animalPlan = next === undefined ? keepPet(listing, pet) : planAnimal({ listing, pet, isPetBehind }, next)
    changes.push({ ...change, next: next ?? pickFileState(listing), ...animalPlan, item, pet })
  }
  return { additions, changes: changes.toSorted((one, other) => order(one) - order(other)), unreadable }
}

/** Plans an animal of which only the listing is written. */
const keepPet = ({ byHand }: Listing, pet: Pet | undefined): AnimalPlan => ({
  action: 'none',
  newPet: pet,
  byHand,
  keptFields: [],
  replacedFields: [],
})

const order = (change: PlannedChange): number => (isLoss(change) ? 1 : 0)

/** Whether a change takes an animal off the list of those that can be adopted, other than by its row. */
export const isLoss = ({ action, pet, newPet, next }: PlannedChange): boolean =>
  action === 'removed' || (next.state === 'missing' && pet?.status !== 'sold' && newPet?.status === 'sold')
