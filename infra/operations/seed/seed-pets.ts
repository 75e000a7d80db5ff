import { setTimeout as sleep } from 'node:timers/promises'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { findSeeded } from './seeded-pets.ts'
import { blocksToWrite, nothingSeeded, workInOrder } from './seeding-order.ts'
import { type BatchWriter, writeBatch } from './write-batch.ts'

export interface SeedingOptions {
  readonly client: DynamoDBDocumentClient
  readonly table: string
  /** How many pets there shall be. */
  readonly count: number
  /** Writes every pet again, which mends those that were changed or deleted by other means. */
  readonly all?: boolean
  /** Pets a second, at most. */
  readonly rate?: number
  /** Ends the seeding in good order. */
  readonly signal?: AbortSignal
  readonly progress?: Progress
  readonly pause?: BatchWriter['pause']
}

/** Is told how the seeding goes. */
export interface Progress {
  begin(there: number, count: number): void
  advance(pets: number): void
}

export interface SeedingResult {
  /** How many were there already. */
  readonly found: number
  readonly written: number
  readonly isComplete: boolean
}

/** Sees to it that the first `count` seeded pets are in the table: writes those that are not there. */
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
  const writer: BatchWriter = { client, table, signal, onWritten, ...(options.pause && { pause: options.pause }) }
  const turn = rate === undefined ? async () => {} : turns(rate, signal)
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

/** Lets as many pets through as the rate allows. Time that was not used is not made up for. */
const turns = (rate: number, signal: AbortSignal): ((pets: number) => Promise<void>) => {
  let free = 0
  return async (pets) => {
    const now = performance.now()
    const start = Math.max(now, free)
    free = start + (pets / rate) * 1_000
    if (start > now) await sleep(start - now, undefined, { signal }).catch(() => {})
  }
}
