/** Reading all pets of a table. */
import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb'
import { petFields } from '../../../shared/pets/pet.ts'
import { startProgress } from '../../command-line/progress.ts'
import { changeIdAttribute } from './record.ts'
import { type MalformedPet, readStoredPet, type StoredPet } from './stored-pet.ts'

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
