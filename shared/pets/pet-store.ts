import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { KeyId } from '../api-keys/api-key-record.ts'
import { type Attributes, awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import { type MalformedItem, separateMalformed } from '../dynamodb/item-reader.ts'
import { type Pet, type PetStatus, parsePet, petStatuses, readPet } from './pet.ts'
import { petsTableSchema } from './pets-table-schema.ts'

/**
 * Outcome of storing a pet.
 *
 * - `stored`: this call has stored the pet.
 * - `already_stored`: an earlier call of the same attempt has stored it, and its response was lost.
 * - `taken`: another pet has the id, or had it until it was removed.
 */
export type PutOutcome = 'stored' | 'already_stored' | 'taken'

export interface Page {
  readonly pets: readonly Pet[]
  /** Items that cannot be read. They are left out of the list, and do not shorten the page. */
  readonly malformedItems: readonly MalformedItem[]
  readonly hasMore: boolean
}

export interface PageRequest {
  readonly limit: number
  /** Status of the pets; `undefined` for all statuses. */
  readonly status: PetStatus | undefined
  /** Only pets with a lower id. */
  readonly before: bigint | number | undefined
}

/**
 * Attribute of the item of a removed pet; its value is true. The item is no pet, and in no list. It keeps its
 * `attemptId`, so that a late request to create the pet does not add it again.
 */
export const removed = 'removed'

export const isRemoved = (item: Attributes): boolean => item[removed] !== undefined

/** Attribute that counts how often operators have changed a pet; 0 if the attribute is missing. */
export const changeCount = 'changeCount'

/** An item of the status index. The id is its sort key, and so a number. All other attributes may be malformed. */
export type IndexedItem = Attributes & { readonly id: number | bigint }

/** The pets table. */
export class PetStore {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string
  readonly #addedBy: KeyId | undefined

  /** @param addedBy API key that adds pets. It is stored with each pet that it adds, and no response shows it. */
  constructor(client: DynamoDBDocumentClient, table: string, addedBy?: KeyId) {
    this.#client = client
    this.#table = table
    this.#addedBy = addedBy
  }

  /** Returns a store of the same table that stores this API key with each pet that it adds. */
  forApiKey(keyId: KeyId): PetStore {
    return new PetStore(this.#client, this.#table, keyId)
  }

  /**
   * Stores a new pet.
   *
   * @param attemptId names the attempt to create the pet. The SDK, and callers with an idempotency key, retry a write
   * when its response is lost. The name distinguishes their own pet from another one with the same id.
   */
  async put(pet: Pet, attemptId: string): Promise<PutOutcome> {
    const existing = await this.#putIfAbsent({ ...pet, attemptId, addedBy: this.#addedBy })
    if (existing === undefined) return 'stored'
    return existing['attemptId'] === attemptId ? 'already_stored' : 'taken'
  }

  /**
   * Makes an id void for an attempt, unless the attempt has already stored its pet under the id. A late put of the
   * attempt then finds the id taken.
   */
  async voidId(id: bigint, attemptId: string): Promise<Exclude<PutOutcome, 'stored'>> {
    const existing = await this.#putIfAbsent({ id, [removed]: true })
    return existing?.['attemptId'] === attemptId ? 'already_stored' : 'taken'
  }

  /** Finds a pet (strongly consistent). */
  async find(id: bigint): Promise<Pet | undefined> {
    const { Item: item } = await this.#client.send(
      new GetCommand({
        TableName: this.#table,
        Key: { id },
        ConsistentRead: true,
      }),
    )
    return item === undefined || isRemoved(item) ? undefined : parsePet(item)
  }

  /** Lists one page of pets, the newest first. */
  async listPage({ limit, status, before }: PageRequest): Promise<Page> {
    // One item more than the limit shows whether there is another page.
    const items = await this.#listNewest(status, before, limit + 1)
    const itemsOfPage = items.slice(0, limit)
    const hasMore = items.length > limit

    const { readItems, malformedItems } = separateMalformed(itemsOfPage.map(readPet))
    const pets = readItems.map(({ value }) => value)
    const isFull = malformedItems.length === 0
    if (isFull || !hasMore) return { pets, malformedItems, hasMore }

    const rest = await this.listPage({ limit: malformedItems.length, status, before: itemsOfPage.at(-1)?.id })
    return {
      pets: [...pets, ...rest.pets],
      malformedItems: [...malformedItems, ...rest.malformedItems],
      hasMore: rest.hasMore,
    }
  }

  /** Lists the newest items, of one status or of all. */
  async #listNewest(
    status: PetStatus | undefined,
    before: PageRequest['before'],
    limit: number,
  ): Promise<readonly IndexedItem[]> {
    const statuses = status === undefined ? petStatuses : [status]
    const partitions = await Promise.all(statuses.map((partition) => this.#queryNewest(partition, before, limit)))

    const items = partitions
      .flat()
      .sort(compareNewestFirst)
      // While the index follows a change of status, a pet can be in two partitions. Only its latest change is kept.
      .filter(({ id }, index, all) => id !== all[index - 1]?.id)
    return items.slice(0, limit)
  }

  /** Puts an item, unless an item with its id exists. @returns the existing item */
  async #putIfAbsent(item: Attributes): Promise<Attributes | undefined> {
    const outcome = await awaitConditionalWrite(
      this.#client.send(
        new PutCommand({
          TableName: this.#table,
          Item: { ...item },
          ConditionExpression: 'attribute_not_exists(id)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    )
    if (outcome.met) return undefined
    if (outcome.current === undefined)
      throw new Error(`DynamoDB refused the pet ${item['id']} without returning the other.`)
    return outcome.current
  }

  /** Queries the newest items of a status. */
  async #queryNewest(status: PetStatus, before: PageRequest['before'], limit: number): Promise<readonly IndexedItem[]> {
    const { Items = [] } = await this.#client.send(
      new QueryCommand({
        TableName: this.#table,
        IndexName: petsTableSchema.statusIndex.name,
        // "status" is a reserved word of DynamoDB.
        ExpressionAttributeNames: { '#status': 'status' },
        KeyConditionExpression: before === undefined ? '#status = :status' : '#status = :status AND id < :before',
        ExpressionAttributeValues: { ':status': status, ':before': before },
        ScanIndexForward: false,
        Limit: limit,
      }),
    )
    return Items as IndexedItem[]
  }
}

/** Counts how often operators have changed a pet. An unreadable count is 0. */
export const countChanges = (item: Attributes): number => {
  const count = item[changeCount]
  return typeof count === 'number' ? count : 0
}

/** Orders items by descending id. Of two items of one pet, the one with more changes is the later, and comes first. */
export const compareNewestFirst = (one: IndexedItem, other: IndexedItem): number => {
  if (one.id === other.id) return countChanges(other) - countChanges(one)
  return one.id < other.id ? 1 : -1
}
