import { type DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { type Attributes, conditional } from '../dynamodb/conditional-write.ts'
import { type Pet, type PetStatus, petStatuses } from './pet.ts'
import { petsTable } from './pets-table.ts'

/**
 * What became of a pet that was to be stored. `taken`: another pet has its id. `already_stored`: this very
 * pet was there, put by an attempt whose answer got lost.
 */
export type Stored = 'stored' | 'already_stored' | 'taken'

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

/** The pets table. */
export class PetStore {
  readonly #client: DynamoDBDocumentClient
  readonly #table: string

  constructor(client: DynamoDBDocumentClient, table: string) {
    this.#client = client
    this.#table = table
  }

  /**
   * Stores a new pet. `attemptId` names the attempt to create it: the SDK, and callers with an idempotency
   * key, repeat a write whose answer got lost, and only by this name is their own pet told from another
   * one with the same id.
   */
  async put(pet: Pet, attemptId: string): Promise<Stored> {
    const outcome = await conditional(
      this.#client.send(
        new PutCommand({
          TableName: this.#table,
          Item: { ...pet, attemptId },
          ConditionExpression: 'attribute_not_exists(id)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      ),
    )
    if (outcome.met) return 'stored'
    if (outcome.current === undefined)
      throw new Error('DynamoDB refused a pet without giving back the one with its id.')
    return outcome.current['attemptId'] === attemptId ? 'already_stored' : 'taken'
  }

  /** The pet as of the latest write. With `attemptId`, only if it was put under that name. */
  async find(id: bigint, attemptId?: string): Promise<Pet | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#table, Key: { id }, ConsistentRead: true }),
    )
    if (Item === undefined || (attemptId !== undefined && Item['attemptId'] !== attemptId)) return undefined
    return parsePet(Item)
  }

  /** The newest pets first. Without a status the partitions of all three are read side by side and merged. */
  async page({ limit, status, before }: PageRequest): Promise<Page> {
    const statuses = status === undefined ? petStatuses : [status]
    // One more than is shown tells whether there is another page.
    const partitions = await Promise.all(statuses.map((partition) => this.#newest(partition, before, limit + 1)))
    const found = partitions.length === 1 ? partitions.flat() : partitions.flat().sort(newestFirst)
    return { pets: found.slice(0, limit), hasMore: found.length > limit }
  }

  async #newest(status: PetStatus, before: bigint | undefined, limit: number): Promise<Pet[]> {
    const { Items = [] } = await this.#client.send(
      new QueryCommand({
        TableName: this.#table,
        IndexName: petsTable.statusIndex.name,
        // "status" is a reserved word of DynamoDB.
        ExpressionAttributeNames: { '#status': 'status' },
        KeyConditionExpression: before === undefined ? '#status = :status' : '#status = :status AND id < :before',
        ExpressionAttributeValues: { ':status': status, ...(before === undefined ? {} : { ':before': before }) },
        ScanIndexForward: false,
        Limit: limit,
      }),
    )
    return Items.map(parsePet)
  }
}

const newestFirst = (one: Pet, other: Pet): number => (one.id < other.id ? 1 : -1)

/** @throws Error when the item is not one that this service wrote. */
const parsePet = ({ id, name, categoryId, status }: Attributes): Pet => {
  const known = petStatuses.find((one) => one === status)
  if (typeof name !== 'string' || known === undefined) throw new Error('An item of the pets table is not a pet.')
  return { id: integer(id), name, categoryId: integer(categoryId), status: known }
}

const integer = (value: unknown): bigint => {
  if (typeof value !== 'number' && typeof value !== 'bigint') throw new Error('An item of the pets table is not a pet.')
  return BigInt(value)
}
