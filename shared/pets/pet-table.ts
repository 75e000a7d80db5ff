import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { KeyId } from '../api-keys/api-key-record.ts'
import { type Attributes, awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import { type MalformedItem, separateMalformed } from '../dynamodb/item-reader.ts'
import { petsTableSchema } from '../dynamodb/table-schemas.ts'
import { largestInt64, smallestInt64 } from '../int64.ts'
import { type Pet, type PetStatus, parsePet, petStatuses, readPet } from './pet.ts'

export interface PutOptions {
  /** API key that adds the pet. The table stores it with the pet, and no response shows it. */
  readonly addedBy?: KeyId
  readonly signal?: AbortSignal
}

export interface Page {
  readonly pets: readonly Pet[]
  /** Items that cannot be read. They are left out of the list, so the page may be short. */
  readonly malformedItems: readonly MalformedItem[]
  /** `before` of the next page, if there is one. */
  readonly nextBefore: bigint | undefined
}

interface PageRequest {
  readonly limit: number
  /** Status of the pets; `undefined` for all statuses. */
  readonly status: PetStatus | undefined
  /** Only pets with a lower id. */
  readonly before: bigint | undefined
}

/** A query for the newest items of one status. Its `limit` is one more than that of the page. */
interface NewestQuery extends Pick<PageRequest, 'before' | 'limit'> {
  readonly signal: AbortSignal | undefined
}

/**
 * Attribute of the item of a removed pet: `by hand` or `by source`. Such an item has no `status`, so it is in no list.
 * It keeps its `attemptId`, so that a late request to create the pet does not add it again.
 */
export const removedAttribute = 'removed'

export const isRemoved = (item: Attributes): boolean => item[removedAttribute] !== undefined

/** Attribute that counts how often operators have changed a pet; 0 if the attribute is missing. */
export const changeCountAttribute = 'changeCount'

/** An item of the status index. The id is its sort key, and so a number. All other attributes may be malformed. */
type IndexedItem = Attributes & { readonly id: number | bigint }

/**
 * The pets table. Its key is the `id`. Its index has the pets of each status, sorted by `id`, so a list of one status
 * is one query, and a list of all merges one query for each status.
 */
export class PetTable {
  readonly client: DynamoDBDocumentClient
  readonly #tableName: string

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.client = client
    this.#tableName = tableName
  }

  /**
   * Stores a new pet.
   *
   * @param attemptId id of the attempt to add the pet (`drawAttemptId`). The SDK sends a write again when its response
   * is lost. If the write was made the first time, the id shows that the pet in its way is the attempt's own.
   * @returns whether the attempt has stored the pet: false if another pet has the id, or had it until it was removed
   */
  async put(pet: Pet, attemptId: string, { addedBy, signal }: PutOptions = {}): Promise<boolean> {
    const put = new PutCommand(this.createPut(pet, attemptId, addedBy))
    const outcome = await awaitConditionalWrite(this.client.send(put, signal && { abortSignal: signal }))
    if (outcome.met) return true
    if (outcome.current === undefined) throw new Error(`DynamoDB refused the pet ${pet.id}, and returned no other one.`)
    return outcome.current['attemptId'] === attemptId
  }

  /** Creates the write that stores a new pet, on condition that no item has its id. */
  createPut(pet: Pet, attemptId: string, addedBy: KeyId | undefined) {
    return {
      TableName: this.#tableName,
      Item: { ...pet, attemptId, addedBy },
      ConditionExpression: 'attribute_not_exists(id)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const
  }

  /** Finds a pet (strongly consistent). */
  async find(id: bigint, signal?: AbortSignal): Promise<Pet | undefined> {
    const get = new GetCommand({ TableName: this.#tableName, Key: { id }, ConsistentRead: true })
    const { Item: item } = await this.client.send(get, signal && { abortSignal: signal })
    return item === undefined || isRemoved(item) ? undefined : parsePet(item)
  }

  /** Lists one page of pets, the newest first. */
  async listPage({ limit, status, before }: PageRequest, signal?: AbortSignal): Promise<Page> {
    // One item more than the limit shows whether there is another page.
    const query = { before, limit: limit + 1, signal }
    const statuses = status === undefined ? petStatuses : [status]
    // The index has one partition for each status.
    const outcomes = await Promise.allSettled(statuses.map((partition) => this.#queryNewest(partition, query)))
    const partitions = outcomes.map(requireFulfilled)

    const items = partitions
      .flat()
      .sort(compareNewestFirst)
      // While the index follows a change of status, a pet can be in two partitions. Only its latest change is kept.
      .filter(({ id }, index, all) => id !== all[index - 1]?.id)
    const itemsOfPage = items.slice(0, limit)
    const lastItem = itemsOfPage.at(-1)
    const hasMore = items.length > limit
    const { readItems, malformedItems } = separateMalformed(itemsOfPage.map(readPet))
    return {
      pets: readItems.map(({ value }) => value),
      malformedItems,
      nextBefore: hasMore && lastItem !== undefined ? roundToInt64(lastItem.id) : undefined,
    }
  }

  /**
   * Queries the newest items of a status. One response has at most 1 MB, which is less than a page if somebody has put
   * large items by hand: then further queries follow.
   */
  async #queryNewest(status: PetStatus, { before, limit, signal }: NewestQuery): Promise<readonly IndexedItem[]> {
    const items: IndexedItem[] = []
    let lastKey: Record<string, unknown> | undefined
    do {
      const query = new QueryCommand({
        TableName: this.#tableName,
        IndexName: petsTableSchema.statusIndex.name,
        // "status" is a reserved word of DynamoDB.
        ExpressionAttributeNames: { '#status': 'status' },
        KeyConditionExpression: before === undefined ? '#status = :status' : '#status = :status AND id < :before',
        ExpressionAttributeValues: { ':status': status, ':before': before },
        ScanIndexForward: false,
        Limit: limit - items.length,
        ExclusiveStartKey: lastKey,
      })
      const { Items = [], LastEvaluatedKey } = await this.client.send(query, signal && { abortSignal: signal })
      items.push(...(Items as IndexedItem[]))
      lastKey = LastEvaluatedKey
    } while (lastKey !== undefined && items.length < limit)
    return items
  }
}

/**
 * Returns the value of a settled promise, or throws its error. A list waits for all of its queries, even if one fails,
 * because Lambda freezes the instance after the response, together with a query that still runs.
 */
const requireFulfilled = <Value>(outcome: PromiseSettledResult<Value>): Value => {
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/**
 * Rounds the id of an item to an int64, because a cursor holds no other number. Only an item that somebody has put by
 * hand has an id that is no int64.
 */
const roundToInt64 = (id: number | bigint): bigint => {
  const integer = typeof id === 'bigint' ? id : BigInt(Math.floor(id))
  if (integer > largestInt64) return largestInt64
  return integer < smallestInt64 ? smallestInt64 : integer
}

/** Counts how often operators have changed a pet. An unreadable count is 0. */
export const countChanges = (item: Attributes): number => {
  const count = item[changeCountAttribute]
  return typeof count === 'number' ? count : 0
}

/** Orders items by descending id. Of two items of one pet, the one with more changes is the later, and comes first. */
const compareNewestFirst = (one: IndexedItem, other: IndexedItem): number => {
  if (one.id === other.id) return countChanges(other) - countChanges(one)
  return one.id < other.id ? 1 : -1
}
