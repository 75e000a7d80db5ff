/** Reading pets of a table: all of them, or those with some ids. */
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { petFields } from '../../../shared/pets/pet.ts'
import { startProgress } from '../../command-line/progress.ts'
import { UserError } from '../../command-line/user-error.ts'
import { findItems } from '../environment/batch-get.ts'
import type { TableAccess } from '../environment/open-environment.ts'
import { readIndex } from './number-index.ts'
import { changeIdAttribute } from './record.ts'
import { formatPetState, type MalformedPet, readStoredPet, type StoredPet } from './stored-pet.ts'

/** Maximum number of items of a page. A page of DynamoDB's own limit, 1 MB, would take 10 MB of memory. */
const scanPageSize = 2_000

const scannedNames = [...petFields, 'source', 'number', 'row', 'removed', 'addedBy', changeIdAttribute]

/** A scan returns only the attributes that operators see, so that a page is small. */
const scannedAttributes = {
  ProjectionExpression: scannedNames.map((name) => `#${name}`).join(','),
  // Some names are reserved words of DynamoDB.
  ExpressionAttributeNames: Object.fromEntries(scannedNames.map((name) => [`#${name}`, name])),
}

/**
 * Scans all pets, removed ones too, unordered. A pet that exists during the whole scan is included, even if it changes
 * meanwhile.
 */
export async function* scanPets(client: DynamoDBDocumentClient, table: string): AsyncGenerator<StoredPet> {
  const progress = startProgress('pets')
  const request = { TableName: table, ConsistentRead: true, Limit: scanPageSize, ...scannedAttributes }
  for await (const { Items = [] } of paginateScan({ client }, request)) {
    yield* Items.map(readStoredPet)
    progress.count(Items.length)
  }
}

/** Finds pets by their ids (strongly consistent), including removed ones. An id without an item is left out. */
export const findPets = async (
  { database, tables }: TableAccess,
  ids: readonly bigint[],
): Promise<readonly StoredPet[]> => {
  const items = await findItems(
    database,
    tables.pets,
    ids.map((id) => ({ id })),
  )
  return items.map(readStoredPet)
}

/**
 * Finds the ids of all pets of a source.
 *
 * @throws UserError if no animal of the source was ever added, so that a mistyped name does not look like an empty list
 */
export const findIdsOfSource = async (environment: TableAccess, source: string): Promise<readonly bigint[]> => {
  const ids = await readIndex(environment, source)
  if (ids.size > 0) return [...ids.values()]
  throw new UserError(`There is no source ${source} with animals: "npm run pets -- sources" shows all sources.`)
}

/** Describes a pet for JSON, with the key that has added it and its latest change, which callers do not see. */
export const describePet = ({ id, state, origin, item, changeId }: StoredPet) => ({
  ...formatPetState(id, state, origin),
  ...origin,
  addedBy: item['addedBy'],
  changeId,
})

/** Orders pets by their ids, the newest first. */
export const compareNewestFirst = (one: StoredPet, other: StoredPet): number => (one.id < other.id ? 1 : -1)

/** Maximum number of malformed pets that a message names. */
const maximumDescribed = 100

/** Describes pets that cannot be read, one a line, and says what the operator can do. */
export const describeMalformedPets = (pets: readonly StoredPet[]): readonly string[] => {
  const malformedPets = pets.filter(isMalformed)
  if (malformedPets.length === 0) return []
  const lines = malformedPets
    .slice(0, maximumDescribed)
    .map(
      ({ item, state: { attribute } }) => `The pet ${item['id']} cannot be read: its item has no valid ${attribute}.`,
    )
  const furtherCount = malformedPets.length - lines.length
  if (furtherCount > 0) lines.push(`${furtherCount} more cannot be read.`)
  return [...lines, '"set" gives a pet other values, and "remove" removes it.']
}

export const isMalformed = (pet: StoredPet): pet is StoredPet & { readonly state: MalformedPet } =>
  pet.state.kind === 'malformed'
