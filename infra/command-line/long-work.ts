/** Work that takes long: it can be interrupted, reports its progress, and goes batch by batch. */
import { setTimeout as sleep } from 'node:timers/promises'
import { formatNumber } from './report.ts'
import { describeError } from './run-command.ts'
import { exitCodes, UserError } from './user-error.ts'

const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Time in which a second signal is an echo: npm passes on a Ctrl-C that the terminal has sent to the process as well.
 */
const echoMilliseconds = 500

let isWorkInterrupted = false

/** Whether the work that runs in this process, or has run last, was interrupted. */
export const isInterrupted = (): boolean => isWorkInterrupted

/**
 * Listens for the signals that ask a process to end. The first one aborts `signal`, so that the work can end in good
 * order. A later one ends the process at once.
 *
 * @example
 * using interruption = listenForInterruption()
 * await work(interruption.signal)
 */
export const listenForInterruption = () => {
  isWorkInterrupted = false
  const controller = new AbortController()
  let firstSignalTime: number | undefined

  const handleSignal = (): void => {
    const now = performance.now()
    firstSignalTime ??= now
    isWorkInterrupted = true
    controller.abort()
    if (now - firstSignalTime > echoMilliseconds) process.exit(exitCodes.interruption)
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
    throw explainEnd(error, howToGoOn, interruption.signal)
  }
}

/** Explains why work has ended, and how to go on. */
const explainEnd = (error: unknown, howToGoOn: () => string, { aborted }: AbortSignal): UserError => {
  const isUnfinishedWork = error instanceof UnfinishedWork
  const cause = isUnfinishedWork ? error.cause : error
  // Without an UnfinishedWork, the message of a UserError says itself how to go on.
  if (cause instanceof UserError && !isUnfinishedWork && !aborted) return cause

  const advice = isUnfinishedWork ? error.message : howToGoOn()
  if (aborted) return new UserError(`Interrupted. ${advice}`, { cause, exitCode: exitCodes.interruption })
  const exitCode = cause instanceof UserError ? cause.exitCode : exitCodes.failure
  return new UserError(`${describeError(cause)} ${advice}`, { cause, exitCode })
}

/** Reports the progress of one phase of work. Disposing of it ends the report. */
export interface Progress extends Disposable {
  /** Counts what was just done. */
  count(newlyDone: number): void
}

/** Time between two reports: on a terminal, where they replace each other, and elsewhere. */
const terminalMilliseconds = 200
const linesMilliseconds = 5_000

/** Returns the cursor of a terminal to the beginning of its line, and erases the line. */
const eraseLine = '\r\u001b[K'

/**
 * Starts to report the progress of a phase of work on standard error, for example
 * `1,000 of 20,000 pets, 200 a second, 1:35 left`. On a terminal it is one line that renews itself. Elsewhere it is a
 * line every five seconds.
 *
 * @example
 * using progress = startProgress('pets', ids.length)
 * for (const id of ids) {
 *   await remove(id)
 *   progress.count(1)
 * }
 *
 * @param things name of the items in the plural
 * @param total number of all items, if it is known
 */
export const startProgress = (things: string, total?: number): Progress => {
  const isTerminal = process.stderr.isTTY === true
  const interval = isTerminal ? terminalMilliseconds : linesMilliseconds
  const begin = performance.now()
  let lastReport = begin
  let done = 0

  const report = (now: number): void => {
    const text = describeProgress({ things, total, done, seconds: (now - begin) / 1_000 })
    if (isTerminal) process.stderr.write(`${eraseLine}${text}`)
    else console.error(text)
  }

  return {
    count: (newlyDone) => {
      done += newlyDone
      const now = performance.now()
      if (now - lastReport < interval) return
      lastReport = now
      report(now)
    },
    [Symbol.dispose]: () => {
      if (isTerminal && lastReport !== begin) process.stderr.write(eraseLine)
    },
  }
}

interface ProgressState {
  readonly things: string
  readonly total: number | undefined
  readonly done: number
  readonly seconds: number
}

const describeProgress = ({ things, total, done, seconds }: ProgressState): string => {
  const rate = done / seconds
  const rateText = `${formatNumber(rate)} a second`
  if (total === undefined) return `${formatNumber(done)} ${things}, ${rateText}`

  const secondsLeft = Math.max(0, total - done) / rate
  return `${formatNumber(done)} of ${formatNumber(total)} ${things}, ${rateText}, ${formatDuration(secondsLeft)} left`
}

/** Formats a duration as minutes and seconds, for example `1:05`. */
const formatDuration = (seconds: number): string => {
  const wholeSeconds = Math.round(seconds)
  const minutes = Math.floor(wholeSeconds / 60)
  return `${minutes}:${String(wholeSeconds % 60).padStart(2, '0')}`
}

const maximumBatchSize = 100

/** Limits the rate at which items are begun. */
export interface Pacer {
  /** Items that can be begun at once. */
  readonly maximumBatchSize: number
  /**
   * Waits until the next batch may begin. After a slow batch, the next ones are not faster.
   *
   * @throws AbortError once the signal is aborted
   */
  waitToBegin(batchSize: number): Promise<void>
}

/**
 * Creates a pacer.
 *
 * @example
 * const pacer = createPacer(500, signal)
 * for (const batch of batches) {
 *   await pacer.waitToBegin(batch.length)
 *   await write(batch)
 * }
 *
 * @param perSecond items that are begun in a second at most; undefined for any number
 */
export const createPacer = (perSecond: number | undefined, signal?: AbortSignal): Pacer => {
  const rate = perSecond ?? Number.POSITIVE_INFINITY
  let nextBatchTime = 0
  return {
    maximumBatchSize: Math.min(rate, maximumBatchSize),
    waitToBegin: async (batchSize) => {
      await sleep(Math.max(0, nextBatchTime - performance.now()), undefined, signal === undefined ? {} : { signal })
      nextBatchTime = performance.now() + (batchSize / rate) * 1_000
    },
  }
}

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
  { signal, perSecond }: BatchOptions,
): Promise<void> => {
  using progress = startProgress(things, items.length)
  const pacer = createPacer(perSecond, signal)

  for (let begin = 0; begin < items.length; begin += pacer.maximumBatchSize) {
    const batch = items.slice(begin, begin + pacer.maximumBatchSize)
    await pacer.waitToBegin(batch.length)
    await processBatch(batch)
    progress.count(batch.length)
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
