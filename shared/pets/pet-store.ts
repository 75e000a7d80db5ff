import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb'
import type { KeyId } from '../api-keys/api-key-record.ts'
import { type Attributes, awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import { type MalformedItem, separateMalformed } from '../dynamodb/item-reader.ts'
import { awaitTransaction } from '../dynamodb/transaction.ts'
import { largestInt64, smallestInt64 } from '../int64.ts'
import { type Pet, type PetStatus, parsePet, petStatuses, readPet } from './pet.ts'
import { petsTableSchema } from './pets-table-schema.ts'

export interface PutOptions {
  /** API key that adds the pet. It is stored with the pet, and no response shows it. */
  readonly addedBy?: KeyId
  readonly signal?: AbortSignal
}

/** A pet to store, together with a record of another table. */
interface PetWithRecord {
  readonly pet: Pet
  readonly attemptId: string
  /** The conditional write that stores the record. */
  readonly recordPut: RecordPut
  /** `ClientRequestToken`, by which DynamoDB makes a transaction once that is sent again within ten minutes. */
  readonly token: string
}

type RecordPut = NonNullable<NonNullable<TransactWriteCommandInput['TransactItems']>[number]['Put']>

/**
 * Outcome of storing a pet together with a record.
 *
 * - `stored`: both are stored.
 * - `recorded`: neither is stored, because the condition of the record was not met.
 * - `taken`: neither is stored, because another pet has the id, or had it until it was removed.
 * - `canceled`, `in progress`: as in `TransactionOutcome`.
 */
export type PutWithRecordOutcome =
  | { readonly kind: 'stored' | 'taken' | 'canceled' | 'in progress' }
  /** `record` is the item that did not meet the condition. */
  | { readonly kind: 'recorded'; readonly record: Attributes }

export interface Page {
  readonly pets: readonly Pet[]
  /** Items that cannot be read. They are left out of the list, so the page may be short. */
  readonly malformedItems: readonly MalformedItem[]
  /** `before` of the next page, if there is one. */
  readonly nextBefore: bigint | undefined
}

export interface PageRequest {
  readonly limit: number
  /** Status of the pets; `undefined` for all statuses. */
  readonly status: PetStatus | undefined
  /** Only pets with a lower id. */
  readonly before: bigint | undefined
}

/** A query for the newest items of one status. */
interface NewestQuery extends Pick<PageRequest, 'before' | 'limit'> {
  readonly signal: AbortSignal | undefined
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

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /**
   * Stores a new pet.
   *
   * @param attemptId names the attempt to create the pet. The SDK retries a write when its response is lost. The name
   * distinguishes its own pet from another one with the same id.
   * @returns whether the attempt has stored the pet: false if another pet has the id, or had it until it was removed
   */
  async put(pet: Pet, attemptId: string, { addedBy, signal }: PutOptions = {}): Promise<boolean> {
    const existing = await this.#putIfAbsent({ ...pet, attemptId, addedBy }, signal)
    return existing === undefined || existing['attemptId'] === attemptId
  }

  /** Stores a new pet and a record, both or none. */
  async putWithRecord(
    { pet, attemptId, recordPut, token }: PetWithRecord,
    { addedBy, signal }: PutOptions = {},
  ): Promise<PutWithRecordOutcome> {
    const petPut = this.#createPut({ ...pet, attemptId, addedBy })
    const transaction = new TransactWriteCommand({
      TransactItems: [{ Put: petPut }, { Put: { ...recordPut, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } }],
      ClientRequestToken: token,
    })
    const outcome = await awaitTransaction(this.#client.send(transaction, signal && { abortSignal: signal }))
    if (outcome.kind === 'done') return { kind: 'stored' }
    if (outcome.kind !== 'unmet') return outcome

    const [_pet, record] = outcome.items
    return record === undefined ? { kind: 'taken' } : { kind: 'recorded', record }
  }

  /**
   * Makes an id void for an attempt, unless the attempt has already stored its pet under the id. A late put of the
   * attempt then finds the id taken.
   */
  async voidId(id: bigint, attemptId: string): Promise<'already_stored' | 'taken'> {
    const existing = await this.#putIfAbsent({ id, [removed]: true })
    return existing?.['attemptId'] === attemptId ? 'already_stored' : 'taken'
  }

  /** Finds a pet (strongly consistent). */
  async find(id: bigint, signal?: AbortSignal): Promise<Pet | undefined> {
    const get = new GetCommand({ TableName: this.#table, Key: { id }, ConsistentRead: true })
    const { Item: item } = await this.#client.send(get, signal && { abortSignal: signal })
    return item === undefined || isRemoved(item) ? undefined : parsePet(item)
  }

  /** Lists one page of pets, the newest first. */
  async listPage({ limit, status, before }: PageRequest, signal?: AbortSignal): Promise<Page> {
    // One item more than the limit shows whether there is another page.
    const query = { before, limit: limit + 1, signal }
    const statuses = status === undefined ? petStatuses : [status]
    const partitions = await Promise.all(statuses.map((partition) => this.#queryNewest(partition, query)))

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

  /** Puts an item, unless an item with its id exists. @returns the existing item */
  async #putIfAbsent(item: Attributes, signal?: AbortSignal): Promise<Attributes | undefined> {
    const put = new PutCommand(this.#createPut(item))
    const outcome = await awaitConditionalWrite(this.#client.send(put, signal && { abortSignal: signal }))
    if (outcome.met) return undefined
    if (outcome.current === undefined)
      throw new Error(`DynamoDB refused the pet ${item['id']} without returning the other.`)
    return outcome.current
  }

  /** Creates a put of an item, on condition that no item has its id. */
  #createPut(item: Attributes) {
    return {
      TableName: this.#table,
      Item: { ...item },
      ConditionExpression: 'attribute_not_exists(id)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    } as const
  }

  /** Queries the newest items of a status. */
  async #queryNewest(status: PetStatus, { before, limit, signal }: NewestQuery): Promise<readonly IndexedItem[]> {
    const query = new QueryCommand({
      TableName: this.#table,
      IndexName: petsTableSchema.statusIndex.name,
      // "status" is a reserved word of DynamoDB.
      ExpressionAttributeNames: { '#status': 'status' },
      KeyConditionExpression: before === undefined ? '#status = :status' : '#status = :status AND id < :before',
      ExpressionAttributeValues: { ':status': status, ':before': before },
      ScanIndexForward: false,
      Limit: limit,
    })
    const { Items = [] } = await this.#client.send(query, signal && { abortSignal: signal })
    return Items as IndexedItem[]
  }
}

/**
 * Rounds the id of an item down to an int64, which a cursor can have. Only an item that somebody has put by hand has
 * another id.
 */
const roundToInt64 = (id: number | bigint): bigint => {
  const integer = typeof id === 'bigint' ? id : BigInt(Math.floor(id))
  if (integer > largestInt64) return largestInt64
  return integer < smallestInt64 ? smallestInt64 : integer
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
