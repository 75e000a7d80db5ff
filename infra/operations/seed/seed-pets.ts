import { setTimeout as sleep } from 'node:timers/promises'
import { BatchWriteCommand, type BatchWriteCommandInput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { isThrottled } from '../../../shared/dynamodb/store-errors.ts'
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
  readonly pause?: (milliseconds: number) => Promise<void>
}

export interface SeedingResult {
  /** How many existed before, also beyond those to write. */
  readonly found: number
  readonly written: number
  /** How many the table has now. */
  readonly total: number
  readonly isComplete: boolean
}

/**
 * Writes those of the first `count` seeded pets that the table does not have.
 *
 * @throws UserError when DynamoDB took no pet at all for too long
 */
export const seedPets = async (options: SeedingOptions): Promise<SeedingResult> => {
  const { client, table, count, progress } = options
  const { count: found, has } = await findSeeded(client, table)
  progress?.begin(Math.min(found, count), count)
  const blocks = blocksOf(count, 'ascending', (index) => !has(index))
  const written = await write(options, blocks, (index) => ({
    PutRequest: { Item: { ...seededPet(index), attemptId: seedAttemptId } },
  }))
  return { found, written, total: found + written, isComplete: found + written >= count }
}

export interface RemovalResult {
  readonly removed: number
  readonly isComplete: boolean
}

/**
 * Removes all seeded pets, the last one first: where it is interrupted, the table has the first ones and no others.
 *
 * @throws UserError when DynamoDB took no request at all for too long
 */
export const removeSeededPets = async (options: Omit<SeedingOptions, 'count'>): Promise<RemovalResult> => {
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
  { client, table, rate, signal = new AbortController().signal, progress, pause }: Omit<SeedingOptions, 'count'>,
  blocks: Iterable<readonly number[]>,
  requestOf: (index: number) => Requests[number],
): Promise<number> => {
  let written = 0
  const onWritten = (pets: number): void => {
    written += pets
    progress?.advance(pets)
  }
  const wait = async (milliseconds: number): Promise<void> => {
    await sleep(milliseconds, undefined, { signal }).catch(() => {})
  }
  const writer: BatchWriter = { client, table, signal, onWritten, pause: pause ?? wait }
  const turn = pace(rate, signal)
  for (const indexes of blocks) {
    if (signal.aborted) break
    const batches = Array.from({ length: Math.ceil(indexes.length / batchSize) }, (_, number) =>
      indexes.slice(number * batchSize, (number + 1) * batchSize),
    )
    await inParallel(batches, async (batch) => {
      await turn(batch.length)
      await writeBatch(writer, batch.map(requestOf))
    })
  }
  return written
}

interface BatchWriter extends Pick<SeedingOptions, 'client' | 'table'> {
  readonly signal: AbortSignal
  /** Called whenever DynamoDB has taken some. */
  readonly onWritten: (pets: number) => void
  readonly pause: NonNullable<SeedingOptions['pause']>
}

/** Sends up to 25 requests, and retries those that DynamoDB leaves unprocessed until all are taken. */
const writeBatch = async (writer: BatchWriter, requests: Requests): Promise<void> => {
  let left = requests
  let failures = 0
  while (left.length > 0 && !writer.signal.aborted) {
    const unprocessed = await send(writer, left)
    writer.onWritten(left.length - unprocessed.length)
    failures = unprocessed.length < left.length ? 0 : failures + 1
    if (failures === maximumFailures) throw new UserError('DynamoDB is throttling and took no pet for half a minute.')
    left = unprocessed
    if (left.length > 0) await writer.pause(backOff(failures))
  }
}

type Requests = NonNullable<BatchWriteCommandInput['RequestItems']>[string]

/** What DynamoDB left unprocessed; where it throttles the whole batch it throws instead. */
const send = async ({ client, table }: BatchWriter, requests: Requests): Promise<Requests> => {
  try {
    const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }))
    return UnprocessedItems?.[table] ?? []
  } catch (error) {
    if (isThrottled(error)) return requests
    throw error
  }
}

/** With the pauses between them, about half a minute. */
const maximumFailures = 12

const shortestPause = 50
const longestPause = 5_000

/** A random part of a time that doubles, so that batches throttled together do not retry together. */
const backOff = (failures: number): number =>
  Math.random() * Math.min(longestPause, shortestPause * 2 ** (failures + 1))
