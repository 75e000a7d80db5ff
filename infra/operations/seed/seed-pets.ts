import { setTimeout as sleep } from 'node:timers/promises'
import {
  BatchWriteCommand,
  type BatchWriteCommandInput,
  type DynamoDBDocumentClient,
  paginateQuery,
} from '@aws-sdk/lib-dynamodb'
import { petStatuses } from '../../../shared/pets/pet.ts'
import { petsTableSchema } from '../../../shared/pets/pets-table-schema.ts'
import { workThrough } from '../../command-line/work-through.ts'
import { maximumPets, seededPet, seededPetId } from './seeded-pet.ts'

interface SeedingOptions {
  readonly database: DynamoDBDocumentClient
  readonly table: string
  /** Pets a second, at most. */
  readonly perSecond?: number | undefined
  readonly signal?: AbortSignal
  /** Called with how many pets DynamoDB has taken. */
  readonly tell?: (pets: number) => void
}

/** The attempt id of every seeded pet in the pets table. */
const attemptId = 'seed'

/** Writes the first seeded pets. */
export const seedPets = ({ count, ...options }: SeedingOptions & { readonly count: number }): Promise<void> => {
  const put = (index: number): Request => ({ PutRequest: { Item: { ...seededPet(index), attemptId } } })
  return write(options, Iterator.from(Array(count).keys()).map(put))
}

/** Removes those that the status index has. No other pet has their ids. */
export const removeSeededPets = (options: SeedingOptions): Promise<void> => write(options, deletions(options))

async function* deletions({ database, table }: SeedingOptions): AsyncGenerator<Request> {
  for (const status of petStatuses) {
    const query = {
      TableName: table,
      IndexName: petsTableSchema.statusIndex.name,
      ExpressionAttributeNames: { '#status': 'status' },
      KeyConditionExpression: '#status = :status AND id <= :last',
      ExpressionAttributeValues: { ':status': status, ':last': seededPetId(maximumPets - 1) },
    }
    for await (const { Items = [] } of paginateQuery({ client: database }, query)) {
      for (const { id } of Items) yield { DeleteRequest: { Key: { id } } }
    }
  }
}

type Request = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number]

/** As many pets as one BatchWriteItem takes. */
const batchSize = 25

const longestPause = 1_000

const write = (options: SeedingOptions, requests: Iterable<Request> | AsyncIterable<Request>): Promise<void> => {
  const { database, table, perSecond = Number.POSITIVE_INFINITY, signal, tell } = options
  const writeBatch = async (batch: readonly Request[]): Promise<void> => {
    for (let left = [...batch]; left.length > 0; ) {
      // The SDK retries where DynamoDB takes none, and throws in the end.
      const { UnprocessedItems } = await database.send(new BatchWriteCommand({ RequestItems: { [table]: left } }))
      const unprocessed = UnprocessedItems?.[table] ?? []
      tell?.(left.length - unprocessed.length)
      left = unprocessed
      if (left.length > 0) await sleep(Math.random() * longestPause)
    }
  }
  return workThrough(batchesOf(requests), writeBatch, { perSecond: perSecond / batchSize, signal })
}

async function* batchesOf(requests: Iterable<Request> | AsyncIterable<Request>): AsyncGenerator<readonly Request[]> {
  let batch: Request[] = []
  for await (const request of requests) {
    batch.push(request)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
