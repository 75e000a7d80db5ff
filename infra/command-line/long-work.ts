/** Work that takes long: it can be interrupted, reports its progress, and goes batch by batch. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatNumber } from './report.ts'
import { describeError } from './run-command.ts'
import { UserError } from './user-error.ts'

/** Conventional exit code of a process that Ctrl-C has ended. */
const interruptedExitCode = 130

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Time in which a second signal is an echo: npm passes on a Ctrl-C that the terminal has sent to the process as well.
 */
const echoMilliseconds = 500

/**
 * Listens for the signals that ask a process to end. The first one aborts `signal`, so that the work can end in good
 * order. A later one ends the process at once.
 *
 * @example
 * using interruption = listenForInterruption()
 * await work(interruption.signal)
 */
export const listenForInterruption = () => {
  const controller = new AbortController()
  let firstSignalTime: number | undefined

  const handleSignal = (): void => {
    const now = performance.now()
    firstSignalTime ??= now
    controller.abort()
    if (now - firstSignalTime > echoMilliseconds) process.exit(interruptedExitCode)
  }
  for (const name of endSignals) process.on(name, handleSignal)

  const dispose = (): void => {
    // Keep listening after a signal: its echo must not end the process.
    if (controller.signal.aborted) return
    for (const name of endSignals) process.off(name, handleSignal)
  }

  return { signal: controller.signal, [Symbol.dispose]: dispose }
}

/**
 * Error of interruptible work that replaces the advice of `runInterruptibly`. The message says how to go on. `cause` is
 * the error that ended the work.
 *
 * @example
 * throw new UnfinishedWork(`To go on, import ${resultFile}.`, { cause: error })
 */
export class UnfinishedWork extends Error {
  override readonly name: string = 'UnfinishedWork'
}

/**
 * Runs work that an operator may interrupt. If an interruption or an error ends it, the message says how to go on.
 *
 * @example
 * await runInterruptibly(
 *   () => `${count} pets written until then. Run the same command again.`,
 *   (signal) => writePets(signal),
 * )
 *
 * @param howToGoOn returns a sentence; called after the work has ended, unless the work has thrown an UnfinishedWork
 * @param work throws once its signal is aborted
 */
export const runInterruptibly = async <Result>(
  howToGoOn: () => string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  using interruption = listenForInterruption()
  try {
    return await work(interruption.signal)
  } catch (error) {
    const isUnfinishedWork = error instanceof UnfinishedWork
    const cause = isUnfinishedWork ? error.cause : error
    const advice = isUnfinishedWork ? error.message : howToGoOn()

    if (interruption.signal.aborted) {
      throw new UserError(`Interrupted. ${advice}`, { cause, exitCode: interruptedExitCode })
    }
    // The message of a UserError says itself how to go on.
    if (cause instanceof UserError) throw cause
    throw new UserError(`${describeError(cause)} ${advice}`, { cause })
  }
}

const progressMilliseconds = 5_000

/**
 * Starts to report the progress of work: a line on standard error every five seconds, such as `1,000 of 20,000 pets`.
 *
 * @param things name of the items in the plural
 * @param total number of all items, if it is known
 * @returns a function that counts the items that were just done
 */
export const startProgress = (things: string, total?: number): ((newlyDone: number) => void) => {
  const ofTotal = total === undefined ? '' : ` of ${formatNumber(total)}`
  let lastReport = performance.now()
  let done = 0

  return (newlyDone) => {
    done += newlyDone
    const now = performance.now()
    if (now - lastReport < progressMilliseconds) return
    lastReport = now
    console.error(`${formatNumber(done)}${ofTotal} ${things}`)
  }
}

const maximumBatchSize = 100

interface BatchOptions {
  readonly signal: AbortSignal
  /** Most items that are begun in a second; unlimited by default. After a slow batch, the next ones are not faster. */
  readonly perSecond?: number | undefined
}

/**
 * Processes items in batches of at most 100, one batch after the other, and reports the progress.
 *
 * @example
 * await processInBatches('pets', ids, (batch) => waitForAll(batch.map(removePet)), { signal, perSecond: 500 })
 *
 * @param things name of the items in the plural
 * @throws AbortError once the signal is aborted. The batch that has begun is completed first.
 */
export const processInBatches = async <Item>(
  things: string,
  items: readonly Item[],
  processBatch: (batch: readonly Item[]) => Promise<unknown>,
  { signal, perSecond = Number.POSITIVE_INFINITY }: BatchOptions,
): Promise<void> => {
  const countDone = startProgress(things, items.length)
  const size = Math.min(perSecond, maximumBatchSize)
  let nextBatchTime = 0

  for (let begin = 0; begin < items.length; begin += size) {
    await sleep(Math.max(0, nextBatchTime - performance.now()), undefined, { signal })

    const batch = items.slice(begin, begin + size)
    nextBatchTime = performance.now() + (batch.length / perSecond) * 1_000
    await processBatch(batch)
    countDone(batch.length)
  }
}

/**
 * Waits until all promises are settled. `Promise.all` would leave the others running when one fails.
 *
 * @throws the first failure in the order of the list
 */
export const waitForAll = async (promises: readonly Promise<unknown>[]): Promise<void> => {
  const outcomes = await Promise.allSettled(promises)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw outcome.reason
  }
}
