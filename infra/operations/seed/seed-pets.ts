import { setTimeout as sleep } from 'node:timers/promises'
import { BatchWriteCommand, type BatchWriteCommandInput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { inParallel } from '../../command-line/in-parallel.ts'
import { pace } from '../../command-line/pace.ts'
import type { Progress } from '../../command-line/progress-report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { seedAttemptId, seededPet, seededPetId } from './seeded-pet.ts'
import { blocksOf, findSeeded } from './seeding-order.ts'

export interface SeedingOptions {
  readonly client: DynamoDBDocumentClient
  readonly table: string
  /** How many pets the table must have. */
  readonly count: number
  /** Pets a second, at most. */
  readonly rate?: number | undefined
  /** Ends the seeding after the batches under way. */
  readonly signal?: AbortSignal
  readonly progress?: Progress
  /** Waits before a retry. @default for so many milliseconds, or until the signal */
  readonly pause?: (milliseconds: number) => Promise<unknown>
}

/**
 * Writes those of the first `count` seeded pets that the table does not have.
 *
 * @returns how many existed before, also beyond those to write, were written, and exist now
 * @throws UserError when DynamoDB took no pet at all for too long
 */
export const seedPets = async (options: SeedingOptions) => {
  const { client, table, count, progress } = options
  const { count: found, has } = await findSeeded(client, table)
  progress?.begin(Math.min(found, count), count)
  const blocks = blocksOf(count, 'ascending', (index) => !has(index))
  const written = await write(options, blocks, (index) => ({
    PutRequest: { Item: { ...seededPet(index), attemptId: seedAttemptId } },
  }))
  return { found, written, total: found + written, isComplete: found + written >= count }
}

/**
 * Removes all seeded pets, the last one first: where it is interrupted, the table has the first ones and no others.
 *
 * @throws UserError when DynamoDB took no request at all for too long
 */
export const removeSeededPets = async (options: Omit<SeedingOptions, 'count'>) => {
  const { client, table, progress } = options
  const { count, end, has } = await findSeeded(client, table)
  progress?.begin(0, count)
  const removed = await write(options, blocksOf(end, 'descending', has), (index) => ({
    DeleteRequest: { Key: { id: seededPetId(index) } },
  }))
  return { removed, isComplete: removed === count }
}

/** As many pets as one BatchWriteItem takes. */
const batchSize = 25

/** @returns of how many pets DynamoDB has taken the request */
const write = async (
  options: Omit<SeedingOptions, 'count'>,
  blocks: Iterable<readonly number[]>,
  requestOf: (index: number) => Requests[number],
): Promise<number> => {
  const { client, table, rate, signal = new AbortController().signal, progress } = options
  const { pause = (milliseconds) => sleep(milliseconds, undefined, { signal }).catch(() => {}) } = options
  const turn = pace(rate, signal)
  let written = 0
  /** Retries those requests that DynamoDB leaves unprocessed until all are taken. */
  const writeBatch = async (requests: Requests): Promise<void> => {
    let left = requests
    for (let failures = 0; left.length > 0 && !signal.aborted; ) {
      const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [table]: left } }))
      const unprocessed = UnprocessedItems?.[table] ?? []
      const taken = left.length - unprocessed.length
      written += taken
      progress?.advance(taken)
      failures = taken > 0 ? 0 : failures + 1
      if (failures === maximumFailures) throw new UserError('DynamoDB is throttling and took no pet for half a minute.')
      left = unprocessed
      if (left.length > 0) await pause(backOff(failures))
    }
  }
  for (const indexes of blocks) {
    if (signal.aborted) break
    const batches = Array.from({ length: Math.ceil(indexes.length / batchSize) }, (_, number) =>
      indexes.slice(number * batchSize, (number + 1) * batchSize),
    )
    await inParallel(batches, async (batch) => {
      await turn(batch.length)
      await writeBatch(batch.map(requestOf))
    })
  }
  return written
}

type Requests = NonNullable<BatchWriteCommandInput['RequestItems']>[string]

/** With the pauses between them, about half a minute. */
const maximumFailures = 12

const shortestPause = 50
const longestPause = 5_000

/** A random part of a time that doubles, so that batches throttled together do not retry together. */
const backOff = (failures: number): number =>
  Math.random() * Math.min(longestPause, shortestPause * 2 ** (failures + 1))
