import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import type { KeyId } from '../api-keys/api-key-record.ts'
import { type Attributes, awaitConditionalWrite } from '../dynamodb/conditional-write.ts'
import { type Pet, type PetStatus, parsePet, petStatuses } from './pet.ts'
import { petsTableSchema } from './pets-table-schema.ts'

/**
 * The outcome of storing a pet. `taken`: another pet has its id, or the id is void. `already_stored`: a call whose response
 * was lost had stored this pet.
 */
export type PutOutcome = 'stored' | 'already_stored' | 'taken'

export interface Page {
  readonly pets: readonly Pet[]
  readonly hasMore: boolean
}

export interface PageRequest {
  readonly limit: number
  readonly status: PetStatus | undefined
  /** Only pets with a lower id. */
  readonly before: bigint | undefined
}

/**
 * The attribute that makes an item void: no pet, and in no list. It names the attempt that may no longer use the id, or
 * says that the pet was removed. The item of a removed pet keeps its `attemptId`.
 */
export const voidFor = 'voidFor'

/** The attribute that counts how often operators have changed a pet; 0 where it is missing. */
export const changeCount = 'changeCount'

/** The pets table. */
export class PetStore {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string
  readonly #addedBy: KeyId | undefined

  /** @param addedBy the API key that adds pets; it is stored with them, and no response shows it */
  constructor(client: DynamoDBDocumentClient, table: string, addedBy?: KeyId) {
    this.#client = client
    this.#table = table
    this.#addedBy = addedBy
  }

  /** The same table, to which an API key adds pets. */
  forApiKey(keyId: KeyId): PetStore {
    return new PetStore(this.#client, this.#table, keyId)
  }

  /**
   * Stores a new pet. `attemptId` names the attempt to create it. The SDK, and callers with an idempotency key, retry a
   * write when its response is lost. The name distinguishes their own pet from another one with the same id.
   */
  async put(pet: Pet, attemptId: string): Promise<PutOutcome> {
    const current = await this.#add({ ...pet, attemptId, addedBy: this.#addedBy })
    if (current === undefined) return 'stored'
    return current['attemptId'] === attemptId ? 'already_stored' : 'taken'
  }

  /**
   * Makes an id void for an attempt. A late put of the attempt then finds the id taken.
   *
   * @returns whether the attempt has stored its pet under this id; then nothing changes
   */
  async voidId(id: bigint, attemptId: string): Promise<boolean> {
    const current = await this.#add({ id, [voidFor]: attemptId })
    return current?.['attemptId'] === attemptId
  }

  /** The pet as of the latest write. */
  async find(id: bigint): Promise<Pet | undefined> {
    const item = await this.#get(id)
    return item === undefined || item[voidFor] !== undefined ? undefined : parsePet(item)
  }

  /** Whether an attempt has stored its pet under this id, also if the pet was removed since. */
  async isStored(id: bigint, attemptId: string): Promise<boolean> {
    return (await this.#get(id))?.['attemptId'] === attemptId
  }

  async #get(id: bigint): Promise<Attributes | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#table, Key: { id }, ConsistentRead: true }),
    )
    return Item
  }

  /** Adds an item, unless one with its id exists. @returns the existing one */
  async #add(item: Attributes): Promise<Attributes | undefined> {
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

  /** The newest pets first. Without a status the partitions of all three are read concurrently and merged. */
  async listPage({ limit, status, before }: PageRequest): Promise<Page> {
    const statuses = status === undefined ? petStatuses : [status]
    // One more than the limit shows whether there is another page.
    const partitions = await Promise.all(statuses.map((partition) => this.#newest(partition, before, limit + 1)))
    const pets = partitions
      .flat()
      .map((item) => ({ pet: parsePet(item), changes: Number(item[changeCount] ?? 0) }))
      .sort(newestFirst)
      .map(({ pet }) => pet)
      // While the index follows a change of status, a pet can be in two partitions.
      .filter(({ id }, index, all) => id !== all[index - 1]?.id)
    return { pets: pets.slice(0, limit), hasMore: pets.length > limit }
  }

  async #newest(status: PetStatus, before: bigint | undefined, limit: number): Promise<readonly Attributes[]> {
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

interface Listed {
  readonly pet: Pet
  readonly changes: number
}

/** The pets by their ids; of one pet the latest change first. */
const newestFirst = (one: Listed, other: Listed): number => {
  if (one.pet.id === other.pet.id) return other.changes - one.changes
  return one.pet.id < other.pet.id ? 1 : -1
}
