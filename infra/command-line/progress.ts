/** Long work: its progress, its pace, and its batches. */
import { setTimeout } from 'node:timers/promises'
import { formatNumber } from './report.ts'

/** The progress of one phase of work. */
interface Progress {
  /** Adds the number of items that were just done. */
  count(newlyDone: number): void
}

const reportMilliseconds = 5_000

/**
 * Starts to report a phase of work on a terminal: every five seconds one line on standard error, for example
 * `1,000 of 20,000 pets`. Without a terminal it is quiet.
 *
 * @example
 * const progress = startProgress('pets', ids.length)
 * for (const id of ids) {
 *   await remove(id)
 *   progress.count(1)
 * }
 *
 * @param things name of the items in the plural
 * @param total number of all items, if it is known
 */
export const startProgress = (things: string, total?: number): Progress => {
  let done = 0
  let nextReport = performance.now() + reportMilliseconds
  return {
    count: (newlyDone) => {
      done += newlyDone
      if (process.stderr.isTTY !== true || performance.now() < nextReport) return
      nextReport = performance.now() + reportMilliseconds
      const goal = total === undefined ? '' : ` of ${formatNumber(total)}`
      console.error(`${formatNumber(done)}${goal} ${things}`)
    },
  }
}

/** Limits the rate at which items are begun. */
interface Pacer {
  /** Waits until the next items may begin. Slow items are not made up for by faster ones. */
  waitToBegin(items: number): Promise<void>
}

/** The time that a pacer reads and waits for. */
export interface PacerTime {
  /** The time in milliseconds. */
  readonly now: () => number
  readonly wait: (milliseconds: number) => Promise<unknown>
}

const systemTime: PacerTime = { now: () => performance.now(), wait: (milliseconds) => setTimeout(milliseconds) }

/**
 * Creates a pacer.
 *
 * @example
 * const pacer = createPacer(250)
 * for (const batch of batches) {
 *   await pacer.waitToBegin(batch.length)
 *   await write(batch)
 * }
 *
 * @param perSecond maximum number of items that are begun in a second; undefined for no limit
 */
export const createPacer = (perSecond = Number.POSITIVE_INFINITY, { now, wait } = systemTime): Pacer => {
  let nextBegin = 0
  return {
    waitToBegin: async (items) => {
      const milliseconds = nextBegin - now()
      if (milliseconds > 0) await wait(milliseconds)
      nextBegin = now() + (items / perSecond) * 1_000
    },
  }
}

const batchSize = 100

/**
 * Processes items in batches of at most 100, one batch after the other, and reports the progress.
 *
 * @example await processInBatches('keys', keys, revoke)
 *
 * @param things name of the items in the plural
 */
export const processInBatches = async <Item>(
  things: string,
  items: readonly Item[],
  processItem: (item: Item) => Promise<unknown>,
): Promise<void> => {
  const progress = startProgress(things, items.length)
  for (let begin = 0; begin < items.length; begin += batchSize) {
    const batch = items.slice(begin, begin + batchSize)
    await waitForAll(batch.map(processItem))
    progress.count(batch.length)
  }
}

/**
 * Waits until all promises are settled. `Promise.all` would leave the others running when one fails.
 *
 * @throws the first failure in the order of the list
 */
const waitForAll = async (promises: readonly Promise<unknown>[]): Promise<void> => {
  const outcomes = await Promise.allSettled(promises)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason
  }
}
