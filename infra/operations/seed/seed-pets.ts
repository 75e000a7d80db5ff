import { setTimeout as sleep } from 'node:timers/promises'
import { BatchWriteCommand, type BatchWriteCommandInput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { isThrottled } from '../../../shared/dynamodb/store-errors.ts'
import { pace } from '../../command-line/pace.ts'
import type { Progress } from '../../command-line/progress-report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { seedAttemptId, seededPet } from './seeded-pet.ts'
import { blocksToWrite, findSeeded, nothingSeeded, workInOrder } from './seeding-order.ts'

export interface SeedingOptions {
  readonly client: DynamoDBDocumentClient
  readonly table: string
  /** How many pets the table must have. */
  readonly count: number
  /** Writes every pet again, which restores those that were changed or deleted by other means. */
  readonly all?: boolean
  /** Pets a second, at most. */
  readonly rate?: number
  /** Ends the seeding after the batches under way. */
  readonly signal?: AbortSignal
  readonly progress?: Progress
  /** Waits before a retry. @default for so many milliseconds, or until the signal */
  readonly pause?: (milliseconds: number) => Promise<void>
}

export interface SeedingResult {
  /** How many existed before. */
  readonly found: number
  readonly written: number
  readonly isComplete: boolean
}

/**
 * Writes those of the first `count` seeded pets that the table does not have.
 *
 * @throws UserError when DynamoDB took no pet at all for too long
 */
export const seedPets = async (options: SeedingOptions): Promise<SeedingResult> => {
  const { client, table, count, all = false, rate, signal = new AbortController().signal, progress } = options
  const seeded = all ? nothingSeeded : await findSeeded(client, table, count)
  const found = seeded.noneFrom - seeded.missing.length
  progress?.begin(found, count)
  let written = 0
  const onWritten = (pets: number): void => {
    written += pets
    progress?.advance(pets)
  }
  const wait = async (milliseconds: number): Promise<void> => {
    await sleep(milliseconds, undefined, { signal }).catch(() => {})
  }
  const writer: BatchWriter = { client, table, signal, onWritten, pause: options.pause ?? wait }
  const turn = pace(rate, signal)
  await workInOrder(
    blocksToWrite(seeded, count),
    async ({ indexes }) => {
      await turn(indexes.length)
      await writeBatch(writer, indexes)
    },
    () => signal.aborted,
  )
  return { found, written, isComplete: found + written === count }
}

interface BatchWriter extends Pick<SeedingOptions, 'client' | 'table'> {
  readonly signal: AbortSignal
  /** Called whenever DynamoDB has taken some. */
  readonly onWritten: (pets: number) => void
  readonly pause: NonNullable<SeedingOptions['pause']>
}

/** Writes up to 25 seeded pets, and retries those that DynamoDB leaves unprocessed until all are written. */
const writeBatch = async (writer: BatchWriter, indexes: readonly number[]): Promise<void> => {
  let left: Requests = indexes.map((index) => ({
    PutRequest: { Item: { ...seededPet(index), attemptId: seedAttemptId } },
  }))
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
