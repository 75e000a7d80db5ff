/**
 * The index of the animals of shelters' files: source and number lead to the id of the pet. An entry is written once,
 * in the transaction that creates the pet, and never changes. So no two pets have the same number of a source.
 */
import { paginateQuery } from '@aws-sdk/lib-dynamodb'
import { UserError } from '../../command-line/user-error.ts'
import { findItems } from '../environment/batch-get.ts'
import type { TableAccess } from '../environment/open-environment.ts'
import type { Origin } from './stored-pet.ts'

/** Maximum number of entries of a page. A page of DynamoDB's own limit, 1 MB, would take 10 MB of memory. */
const entriesPerPage = 1_000

/** Formats an origin as a key of a map. A source has no white space, so no two origins have the same key. */
export const formatOrigin = ({ source, number }: Origin): string => `${source} ${number}`

/**
 * Finds the ids of pets by source and number (strongly consistent).
 *
 * @returns a map by the texts that `formatOrigin` makes of the origins, without those that have no pet
 */
export const findPetIds = async (
  { database, tables }: TableAccess,
  origins: readonly Origin[],
): Promise<ReadonlyMap<string, bigint>> => {
  const keys = origins.map(({ source, number }) => ({ source, number }))
  const entries = await findItems(database, tables.listings, keys)
  return new Map(
    entries.map(({ source, number, petId }) => [
      formatOrigin({ source: String(source), number: String(number) }),
      BigInt(String(petId)),
    ]),
  )
}

/** @throws UserError if the source has no animal with this number */
export const findIdOfAnimal = async (environment: TableAccess, origin: Origin): Promise<bigint> => {
  const [id] = (await findPetIds(environment, [origin])).values()
  if (id !== undefined) return id
  throw new UserError(`The source ${origin.source} has no animal ${origin.number}.`)
}

/** Reads all entries of a source (strongly consistent): the ids of its pets by their numbers. */
export const readIndex = async (environment: TableAccess, source: string): Promise<ReadonlyMap<string, bigint>> => {
  const ids = new Map<string, bigint>()
  for await (const { number, petId } of readPartition(environment, source)) ids.set(String(number), BigInt(petId))
  return ids
}

/**
 * Reads all items of a partition of the index (strongly consistent).
 *
 * @param partition a source, or one of the two partitions of `source-head.ts`
 */
export async function* readPartition({ database, tables }: TableAccess, partition: string) {
  const request = {
    TableName: tables.listings,
    ConsistentRead: true,
    // "source" is a reserved word of DynamoDB.
    ExpressionAttributeNames: { '#source': 'source' },
    KeyConditionExpression: '#source = :partition',
    ExpressionAttributeValues: { ':partition': partition },
  }
  for await (const { Items = [] } of paginateQuery({ client: database, pageSize: entriesPerPage }, request)) {
    yield* Items
  }
}

/** Creates the write of an entry for a transaction, on condition that no other pet has the number. */
export const createEntryPut = (table: string, { source, number }: Origin, petId: bigint) => ({
  Put: {
    TableName: table,
    Item: { source, number, petId },
    ConditionExpression: 'attribute_not_exists(petId) OR petId = :petId',
    ExpressionAttributeValues: { ':petId': petId },
  },
})
