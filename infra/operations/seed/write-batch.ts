import { setTimeout as sleep } from 'node:timers/promises'
import { BatchWriteCommand, type BatchWriteCommandInput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { isThrottled } from '../../../shared/dynamodb/store-errors.ts'
import { UserError } from '../../command-line/user-error.ts'
import { seedAttemptId, seededPet } from './seeded-pet.ts'

export interface BatchWriter {
  readonly client: DynamoDBDocumentClient
  readonly table: string
  /** Gives up what DynamoDB has not taken yet. */
  readonly signal: AbortSignal
  /** Called whenever DynamoDB has taken some. */
  readonly onWritten: (pets: number) => void
  /** @default waits for so many milliseconds, or until the signal */
  readonly pause?: (milliseconds: number) => Promise<void>
}

/**
 * Writes up to 25 seeded pets, again and again those that DynamoDB leaves unprocessed, until all are there.
 *
 * @throws UserError when DynamoDB took none at all for too long
 */
export const writeBatch = async (writer: BatchWriter, indexes: readonly number[]): Promise<void> => {
  const { signal, onWritten, pause = (milliseconds: number) => interruptible(milliseconds, signal) } = writer
  let left: Requests = indexes.map((index) => ({
    PutRequest: { Item: { ...seededPet(index), attemptId: seedAttemptId } },
  }))
  let fruitless = 0
  while (left.length > 0 && !signal.aborted) {
    const unprocessed = await send(writer, left)
    onWritten(left.length - unprocessed.length)
    fruitless = unprocessed.length < left.length ? 0 : fruitless + 1
    if (fruitless === mostFruitless) throw new UserError('DynamoDB is throttling and took nothing for a while.')
    left = unprocessed
    if (left.length > 0) await pause(backOff(fruitless))
  }
}

type Requests = NonNullable<BatchWriteCommandInput['RequestItems']>[string]

/** What DynamoDB left unprocessed; where it takes nothing at all it throws instead. */
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
const mostFruitless = 12

const shortestPause = 50
const longestPause = 5_000

/** Somewhere between nothing and a time that doubles, so that batches refused together do not return together. */
const backOff = (fruitless: number): number =>
  Math.random() * Math.min(longestPause, shortestPause * 2 ** (fruitless + 1))

const interruptible = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  await sleep(milliseconds, undefined, { signal }).catch(() => {})
}
