/** Long work: its progress, and its pace. */
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

/**
 * Creates a function that waits until the next items may begin. After slow items the next ones are not faster.
 *
 * @example
 * const waitToBegin = createPacer(250)
 * for (const batch of batches) {
 *   await waitToBegin(batch.length)
 *   await write(batch)
 * }
 *
 * @param perSecond maximum number of items that are begun in a second; undefined for no limit
 */
export const createPacer = (perSecond = Number.POSITIVE_INFINITY) => {
  let nextBegin = 0
  return async (items: number): Promise<void> => {
    const milliseconds = nextBegin - performance.now()
    if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds))
    nextBegin = performance.now() + (items / perSecond) * 1_000
  }
}
