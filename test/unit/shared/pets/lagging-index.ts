import { DeleteCommand, type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../../../shared/clock.ts'
import type { Attributes } from '../../../../shared/dynamodb/conditional-write.ts'
import { type Pet, type PetStatus, petStatuses } from '../../../../shared/pets/pet.ts'
import { interceptingClient } from '../../../fixtures/client-middleware.ts'
import { clientOf, createFreshTables, type RunningEngine } from '../../../fixtures/engines.ts'

/** How late each partition of the index follows the table, in milliseconds. */
export type Lags = Readonly<Record<PetStatus, number>>

/** The real index of a table of its own, which gets the changes late and in order. */
interface Partition {
  readonly table: string
  readonly waiting: { readonly at: number; readonly apply: () => Promise<unknown> }[]
}

export interface LaggingIndex {
  lags: Lags
  /** Reads the lists of pets from here. */
  readonly client: DynamoDBDocumentClient
  /** The item of a pet, as the table has it from now on, and the pet that it was before. */
  follow(before: Pet | undefined, item: Attributes & Pet): void
}

/** A status index whose partitions follow the table at different times, as those of a global secondary index do. */
export const openLaggingIndex = async (engine: RunningEngine, clock: Clock): Promise<LaggingIndex> => {
  const { client: writer } = clientOf(engine)
  const open = async (status: PetStatus): Promise<[PetStatus, Partition]> => [
    status,
    { table: (await createFreshTables(engine)).pets, waiting: [] },
  ]
  const partitions = new Map(await Promise.all(petStatuses.map(open)))

  const client = interceptingClient(engine, 'Query', async (input) => {
    // The store names the partition by this value.
    const { ':status': status } = Object(input['ExpressionAttributeValues'])
    const { table, waiting = [] } = partitions.get(status) ?? {}
    while ((waiting[0]?.at ?? Number.POSITIVE_INFINITY) <= clock()) await waiting.shift()?.apply()
    return { TableName: table }
  })

  const index: LaggingIndex = {
    lags: { available: 0, pending: 0, sold: 0 },
    client,
    follow: (before, item) => {
      for (const [status, { table: TableName, waiting }] of partitions) {
        const put = () => writer.send(new PutCommand({ TableName, Item: item }))
        const remove = () => writer.send(new DeleteCommand({ TableName, Key: { id: item.id } }))
        const at = clock() + index.lags[status]
        if (status === item.status) waiting.push({ at, apply: put })
        else if (status === before?.status) waiting.push({ at, apply: remove })
      }
    },
  }
  return index
}
