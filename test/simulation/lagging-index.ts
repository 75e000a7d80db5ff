/**
 * The status index in virtual time: each of its partitions follows the table at a pace of its own, as on AWS.
 *
 * Unlike DynamoDB on AWS it has a copy of the whole table for each partition.
 */
import { createOperations } from '../../infra/local/database/operations.ts'
import { createStore } from '../../infra/local/database/store.ts'
import { petStatuses } from '../../shared/pets/pet.ts'

type PerformOperation = ReturnType<typeof createOperations>

/** The part of a query's parameters that names the partition. */
interface QueryParameters {
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>
}

export class LaggingIndex {
  readonly #table: PerformOperation
  readonly #tableName: string
  readonly #drawLag: () => number
  /** The operations of the copies, by the statuses of their partitions. */
  readonly #partitions = new Map<string, PerformOperation>(
    petStatuses.map((status) => [status, createOperations(createStore(':memory:'))]),
  )

  /** @param drawLag draws the milliseconds by which a partition follows a write */
  constructor(table: PerformOperation, tableName: string, drawLag: () => number) {
    this.#table = table
    this.#tableName = tableName
    this.#drawLag = drawLag
  }

  /** The operations of the copies, in which the tables must be created. */
  get partitions(): Iterable<PerformOperation> {
    return this.#partitions.values()
  }

  query(operation: string, parameters: QueryParameters): Promise<unknown> {
    const status = parameters.ExpressionAttributeValues?.[':status']?.S ?? ''
    const partition = this.#partitions.get(status)
    if (partition === undefined) throw new Error(`The index has no partition "${status}".`)
    return partition(operation, parameters)
  }

  /** Lets each partition follow a write of an item. */
  follow(id: unknown): void {
    for (const [status, partition] of this.#partitions) {
      // The order of the copies does not matter: each one takes the item as it is then.
      setTimeout(() => this.#copy(status, partition, id), this.#drawLag())
    }
  }

  /** Copies an item to a partition, or removes it there if it has another status now. */
  async #copy(status: string, partition: PerformOperation, id: unknown): Promise<void> {
    const read = await this.#table('GetItem', { TableName: this.#tableName, Key: { id } })
    // GetItem returns an object.
    const { Item: item } = read as { readonly Item?: { readonly status?: { readonly S?: string } } }
    if (item?.status?.S === status) await partition('PutItem', { TableName: this.#tableName, Item: item })
    else await partition('DeleteItem', { TableName: this.#tableName, Key: { id } })
  }
}
