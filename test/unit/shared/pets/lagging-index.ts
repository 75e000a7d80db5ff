import { DeleteCommand, type DynamoDBDocumentClient, PutCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../../../shared/clock.ts'
import type { Attributes } from '../../../../shared/dynamodb/conditional-write.ts'
import type { Pet, PetStatus } from '../../../../shared/pets/pet.ts'
import { clientOf, createFreshTables, type RunningEngine } from '../../../fixtures/engines.ts'

/** How late each partition of the index follows the table, in milliseconds. */
export type Lags = Readonly<Record<PetStatus, number>>

interface Change {
  readonly at: number
  readonly apply: (client: DynamoDBDocumentClient, table: string) => Promise<unknown>
}

/**
 * A status index whose partitions follow the table at different times, as those of a global secondary index do. Each
 * partition is the real index of a table of its own, which gets the changes late and in order.
 */
export class LaggingIndex {
  readonly #tables: Readonly<Record<PetStatus, string>>
  readonly #waiting: Readonly<Record<PetStatus, Change[]>> = { available: [], pending: [], sold: [] }
  readonly #writer: DynamoDBDocumentClient
  readonly #clock: Clock
  /** Reads the lists of pets from here. */
  readonly client: DynamoDBDocumentClient
  lags: Lags = { available: 0, pending: 0, sold: 0 }

  constructor(engine: RunningEngine, tables: Readonly<Record<PetStatus, string>>, clock: Clock) {
    this.#tables = tables
    this.#clock = clock
    this.#writer = clientOf(engine).client
    const { client, plain } = clientOf(engine)
    this.client = client
    plain.middlewareStack.add(
      (next, context) => async (given) => {
        if (context['commandName'] !== 'QueryCommand') return next(given)
        const input = { ...given.input } as QueryCommandInput
        // The store names the partition by this value.
        const status = input.ExpressionAttributeValues?.[':status'] as PetStatus
        await this.#catchUp(status)
        return next({ ...given, input: { ...input, TableName: this.#tables[status] } })
      },
      { step: 'initialize', name: 'lag' },
    )
  }

  /** The item of a pet, as the table has it from now on, and the pet that it was before. */
  follow(before: Pet | undefined, item: Attributes & Pet): void {
    const { id, status } = item
    if (before !== undefined && before.status !== status) {
      this.#enqueue(before.status, (client, TableName) => client.send(new DeleteCommand({ TableName, Key: { id } })))
    }
    this.#enqueue(status, (client, TableName) => client.send(new PutCommand({ TableName, Item: item })))
  }

  #enqueue(status: PetStatus, apply: Change['apply']): void {
    this.#waiting[status].push({ at: this.#clock() + this.lags[status], apply })
  }

  async #catchUp(status: PetStatus): Promise<void> {
    const waiting = this.#waiting[status]
    while ((waiting[0]?.at ?? Number.POSITIVE_INFINITY) <= this.#clock()) {
      await waiting.shift()?.apply(this.#writer, this.#tables[status])
    }
  }
}

export const openLaggingIndex = async (engine: RunningEngine, clock: Clock): Promise<LaggingIndex> => {
  const [available, pending, sold] = await Promise.all(
    Array.from({ length: 3 }, async () => (await createFreshTables(engine)).pets),
  )
  return new LaggingIndex(engine, { available: available ?? '', pending: pending ?? '', sold: sold ?? '' }, clock)
}
