import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { KeyId } from '../api-keys/api-key-record.ts'
import { type Attributes, awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import { type Pet, type PetStatus, parsePet, petStatuses } from './pet.ts'
import { petsTableSchema } from './pets-table-schema.ts'

/**
 * Outcome of storing a pet.
 *
 * - `stored`: this call has stored the pet.
 * - `already_stored`: an earlier call of the same attempt has stored it, and its response was lost.
 * - `taken`: another pet has the id, or the id is void.
 */
export type PutOutcome = 'stored' | 'already_stored' | 'taken'

export interface Page {
  readonly pets: readonly Pet[]
  readonly hasMore: boolean
}

export interface PageRequest {
  readonly limit: number
  /** Status of the pets; `undefined` for all statuses. */
  readonly status: PetStatus | undefined
  /** Only pets with a lower id. */
  readonly before: bigint | undefined
}

/**
 * Attribute that makes an item void: the item is no pet, and in no list. The value is the id of the attempt that may no
 * longer use the pet id, or `removal` if the pet was removed. The item of a removed pet keeps its `attemptId`.
 */
export const voidFor = 'voidFor'

/** Attribute that counts how often operators have changed a pet; 0 if the attribute is missing. */
export const changeCount = 'changeCount'

/** A pet with the number of its changes. Of two items of the same pet, the one with more changes is the later. */
interface ListedPet {
  readonly pet: Pet
  readonly changes: number
}

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
   * Makes an id void for an attempt. A late put of the attempt then finds the id taken.
   *
   * @returns whether the attempt has already stored its pet under this id; then nothing changes
   */
  async voidId(id: bigint, attemptId: string): Promise<boolean> {
    const existing = await this.#putIfAbsent({ id, [voidFor]: attemptId })
    return existing?.['attemptId'] === attemptId
  }

  /** Finds a pet (strongly consistent). */
  async find(id: bigint): Promise<Pet | undefined> {
    const item = await this.#get(id)
    if (item === undefined || item[voidFor] !== undefined) return undefined
    return parsePet(item)
  }

  /** Tells whether an attempt has stored its pet under this id, also if the pet was removed since. */
  async isStored(id: bigint, attemptId: string): Promise<boolean> {
    const item = await this.#get(id)
    return item?.['attemptId'] === attemptId
  }

  /** Lists one page of pets, the newest first. */
  async listPage({ limit, status, before }: PageRequest): Promise<Page> {
    const statuses = status === undefined ? petStatuses : [status]
    // One pet more than the limit shows whether there is another page.
    const partitions = await Promise.all(statuses.map((partition) => this.#queryNewest(partition, before, limit + 1)))

    const pets = partitions
      .flat()
      .map(parseListedPet)
      .sort(compareNewestFirst)
      .map(({ pet }) => pet)
      // While the index follows a change of status, a pet can be in two partitions. Only its latest change is kept.
      .filter(({ id }, index, all) => id !== all[index - 1]?.id)

    return { pets: pets.slice(0, limit), hasMore: pets.length > limit }
  }

  /** Gets an item (strongly consistent). */
  async #get(id: bigint): Promise<Attributes | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({
        TableName: this.#table,
        Key: { id },
        ConsistentRead: true,
      }),
    )
    return Item
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
    if (outcome.current === undefined) throw new Error('DynamoDB refused an item without returning the existing one.')
    return outcome.current
  }

  /** Queries the newest items of a status. */
  async #queryNewest(status: PetStatus, before: bigint | undefined, limit: number): Promise<readonly Attributes[]> {
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
    return Items
  }
}

const parseListedPet = (item: Attributes): ListedPet => ({
  pet: parsePet(item),
  changes: Number(item[changeCount] ?? 0),
})

/** Orders pets by descending id, and items of the same pet by descending number of changes. */
const compareNewestFirst = (one: ListedPet, other: ListedPet): number => {
  if (one.pet.id === other.pet.id) return other.changes - one.changes
  return one.pet.id < other.pet.id ? 1 : -1
}
