/**
 * `pets sync --reread`: compares all listings of a source with its pets, as after a restore of either table. Change ids
 * sort by time, and a listing has the one that its source's last write gave to the pet. So of the two the older is
 * known.
 */
import { type DynamoDBDocumentClient, paginateScan, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { Attributes } from '../../../../shared/dynamodb/conditional-write.ts'
import { readChangeId } from '../../environment/change-audit.ts'
import type { Environment } from '../../environment/open-environment.ts'
import { PetTable, readOrigin, readStoredPet } from '../pet-table.ts'
import { type FileState, type Listing, readFileState } from './listing.ts'
import { ListingTable } from './listing-table.ts'
import type { MappedRows, UnknownRow } from './map-rows.ts'
import type { ReadListing } from './plan.ts'
import type { SourceSettings } from './settings.ts'

/** Commands that change pet and listing together. */
const sourceActions: readonly unknown[] = ['pets sync', 'pets release']

/** The command that sets a pet to an older state. After any other one the pet is as a hand has left it. */
const restoreAction = 'pets restore'

interface RereadContext {
  readonly client: DynamoDBDocumentClient
  readonly auditTable: string
  /** Reads what the file says about an animal. */
  readonly readFile: (reference: string) => FileState
}

/**
 * Reads the listings of a source as its pets show that they are. Listings that are missing or older than their pet are
 * rebuilt from it; a pet that is missing or older than its listing is marked, and gets what the file says.
 *
 * @returns the listings, and pets that share their reference with another one
 */
export const rereadListings = async (
  { database, tables }: Pick<Environment, 'database' | 'tables'>,
  source: string,
  { animals }: MappedRows,
  missing: SourceSettings['missing'],
) => {
  const context: RereadContext = {
    client: database,
    auditTable: tables.audit,
    readFile: (reference) => readFileState(undefined, animals.get(reference), missing),
  }
  const stored = await new ListingTable(database, tables.listings).readAll(source)
  const items = await findItemsOfSource(database, tables.pets, source)
  const listedIds = [...stored.values()].map(({ petId }) => petId)
  const otherItems = await new PetTable(database, tables.pets).findItems(listedIds.filter((id) => !items.has(id)))

  const listings = new Map<string, ReadListing>()
  for (const listing of stored.values()) {
    const item = items.get(listing.petId) ?? otherItems.get(listing.petId)
    listings.set(listing.reference, await compareWithPet(context, listing, item))
  }

  const doubles: UnknownRow[] = []
  for (const [id, item] of items) {
    const reference = readOrigin(item)?.reference ?? ''
    const known = listings.get(reference)?.listing.petId
    if (known === undefined) {
      const listing = await rebuildListing(context, reference, item)
      listings.set(reference, { listing, isRebuilt: true, storedVersion: undefined })
    } else if (known !== id && readStoredPet(item) !== undefined) {
      doubles.push({ reference, reason: `pet ${id} has the same reference as pet ${known}: remove one of them` })
    }
  }
  return { listings, doubles }
}

/** Finds out which of a listing and its pet is older, if they do not belong together. */
const compareWithPet = async (
  context: RereadContext,
  listing: Listing,
  item: Attributes | undefined,
): Promise<ReadListing> => {
  const { reference, petChangeId = '', status, version: storedVersion } = listing
  if (item === undefined) return { listing, isPetBehind: status !== undefined, storedVersion }

  const changeId = readChangeId(item) ?? ''
  if (changeId <= petChangeId) return { listing, isPetBehind: changeId < petChangeId, storedVersion }

  const action = await findLatestAction(context, item)
  if (!sourceActions.includes(action)) return { listing, isPetBehind: action === restoreAction, storedVersion }
  return { listing: await rebuildListing(context, reference, item), isRebuilt: true, storedVersion }
}

/** Finds the command that made the latest change of a pet. */
const findLatestAction = async ({ client, auditTable }: RereadContext, item: Attributes): Promise<unknown> => {
  const changeId = readChangeId(item)
  if (changeId === undefined) return undefined
  const request = new QueryCommand({
    TableName: auditTable,
    KeyConditionExpression: 'target = :target AND changeId = :changeId',
    ExpressionAttributeValues: { ':target': `pet#${item['id']}`, ':changeId': changeId },
  })
  const { Items: [record] = [] } = await client.send(request)
  return record?.['action']
}

/** Rebuilds the listing of a pet: as if the last file had said what the pet is. */
const rebuildListing = async (context: RereadContext, reference: string, item: Attributes): Promise<Listing> => {
  const reading = readStoredPet(item)
  const changeId = readChangeId(item)
  const identity = {
    reference,
    petId: BigInt(String(item['id'])),
    byHand: {},
    version: '',
  }
  const known = changeId === undefined ? identity : { ...identity, petChangeId: changeId }
  if (reading?.kind === 'read') {
    const { name, categoryId, status } = reading.value
    return { ...known, state: 'listed', name, categoryId, status }
  }
  if (sourceActions.includes(await findLatestAction(context, item))) return { ...known, state: 'missing' }
  // A hand has removed the pet. It stays removed as long as the row stays as it is now.
  const inFile = context.readFile(reference)
  return { ...identity, ...inFile, state: inFile.state === 'listed' ? 'removed by hand' : inFile.state }
}

/** Scans the items of the pets of a source, also of removed ones. */
const findItemsOfSource = async (
  client: DynamoDBDocumentClient,
  table: string,
  source: string,
): Promise<ReadonlyMap<bigint, Attributes>> => {
  const request = {
    TableName: table,
    ConsistentRead: true,
    ExpressionAttributeNames: { '#source': 'source' },
    FilterExpression: '#source = :source',
    ExpressionAttributeValues: { ':source': source },
  }
  const items = new Map<bigint, Attributes>()
  for await (const { Items = [] } of paginateScan({ client }, request)) {
    for (const item of Items) items.set(BigInt(item['id']), item)
  }
  return items
}
