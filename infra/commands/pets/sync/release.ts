/** `pets release`: gives pets back to their sources, after changes by hand. */
import { isDeepStrictEqual } from 'node:util'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import type { Attributes, ConditionalOutcome } from '../../../../shared/dynamodb/conditional-write.ts'
import { findUnmetItems } from '../../../../shared/dynamodb/transaction.ts'
import { assignPetId, type Pet } from '../../../../shared/pets/pet.ts'
import type { Report } from '../../../command-line/report.ts'
import { ConflictError } from '../../../command-line/user-error.ts'
import { type ChangeAudit, readChangeId } from '../../environment/change-audit.ts'
import type { Environment } from '../../environment/open-environment.ts'
import { PetTable, readOrigin, readStoredPet } from '../pet-table.ts'
import type { Listing } from './listing.ts'
import { ListingTable } from './listing-table.ts'

/**
 * Gives a pet back to its source: it gets what the last file said, and is removed if the file has taken it off the
 * list.
 *
 * @throws ConflictError if the pet has no source, or somebody else changes it meanwhile
 */
export const releasePet = async (
  { database, tables }: Pick<Environment, 'database' | 'tables'>,
  audit: ChangeAudit,
  id: bigint,
): Promise<Report> => {
  const pets = new PetTable(database, tables.pets)
  const listings = new ListingTable(database, tables.listings)
  const readItem = async (): Promise<Attributes | undefined> => (await pets.findItems([id])).get(id)

  const item = await readItem()
  const origin = readOrigin(item)
  if (origin === undefined) throw new ConflictError(`The pet ${id} comes from no shelter's file.`)
  const { source, reference } = origin
  const listing = (await listings.readSome(source, [reference])).get(reference)
  if (listing?.petId !== id) {
    throw new ConflictError(`The pet ${id} has no listing. Run pets sync for ${source} with --reread.`)
  }

  const reading = readStoredPet(item)
  const pet = reading?.kind === 'read' ? reading.value : undefined
  const newPet = readPetOfListing(listing, pet)
  if (reading?.kind !== 'malformed' && isDeepStrictEqual(pet, newPet)) return createReport(id, origin, pet, pet)

  const record = audit.draft({
    target: `pet#${id}`,
    itemKey: { id },
    action: 'pets release',
    previous: readChangeId(item),
    old: pet ?? null,
    new: newPet ?? null,
    source,
  })
  const { changeId } = record
  const state = listing.state === 'removed by hand' ? 'listed' : listing.state
  const newListing: Listing = { ...listing, state, byHand: {}, petChangeId: changeId, version: changeId }
  const write = async (): Promise<ConditionalOutcome<unknown>> => {
    try {
      const TransactItems = [
        { Put: pets.createPut({ id, item, pet: newPet, changeId }) },
        listings.createPut(source, newListing, listing.version),
        audit.createPut(record),
      ]
      return { met: true, result: await database.send(new TransactWriteCommand({ TransactItems })) }
    } catch (error) {
      if (findUnmetItems(error) === undefined) throw error
      return { met: false, current: await readItem() }
    }
  }
  const settled = await audit.settle(record, write)
  if (!settled.made) throw new ConflictError(`The pet ${id} has just been changed. Run the same command again.`)
  return createReport(id, origin, pet, newPet)
}

/** Reads the pet as the last file had it. Its fields that no file sets stay. */
const readPetOfListing = ({ petId, name, categoryId, status }: Listing, pet: Pet | undefined): Pet | undefined => {
  if (name === undefined || categoryId === undefined || status === undefined) return undefined
  return pet === undefined ? assignPetId(petId, { name, categoryId, status }) : { ...pet, name, categoryId, status }
}

const createReport = (
  id: bigint,
  { source, reference }: { readonly source: string; readonly reference: string },
  old: Pet | undefined,
  newPet: Pet | undefined,
): Report => {
  const isUnchanged = old === newPet
  const outcome = isUnchanged ? 'is already as' : 'is again as'
  return {
    json: { id, source, reference, changed: !isUnchanged, old: old ?? null, new: newPet ?? null },
    text: `The pet ${id} ${outcome} ${source} has ${reference}.`,
  }
}
