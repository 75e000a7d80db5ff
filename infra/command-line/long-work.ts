import { setTimeout as sleep } from 'node:timers/promises'
import { formatNumber } from './report.ts'
import { describeError } from './run-command.ts'
import { UserError } from './user-error.ts'

/** By convention, the exit code of a process that Ctrl-C ended. */
const interruptedCode = 130

/** Ctrl-C arrives twice: from the terminal, and again from npm, which passes it on. */
const echoMilliseconds = 500

/** Aborts at the first signal that ends a process, so that the work can end in good order. A later one ends it at once. */
export const listenForInterruption = () => {
  const controller = new AbortController()
  let first: number | undefined
  const end = (): void => {
    first ??= performance.now()
    controller.abort()
    if (performance.now() - first > echoMilliseconds) process.exit(interruptedCode)
  }
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP']
  for (const name of names) process.on(name, end)
  const dispose = (): void => {
    // After a signal it goes on, for the echo.
    if (!controller.signal.aborted) for (const name of names) process.off(name, end)
  }
  return { signal: controller.signal, [Symbol.dispose]: dispose }
}

/** Error of long work that is partly done. Its message is the sentence that says how to go on; its cause is the error. */
export class UnfinishedWork extends Error {
  override readonly name: string = 'UnfinishedWork'
}

/**
 * Does long work, which throws once its signal is aborted. Where that or an error ends it, the message says how to go on.
 *
 * @param howToGoOn gives a sentence when the work has ended, unless it has thrown an `UnfinishedWork` with another one
 */
export const runInterruptibly = async <Result>(
  howToGoOn: () => string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  using interrupted = listenForInterruption()
  try {
    return await work(interrupted.signal)
  } catch (error) {
    const isUnfinished = error instanceof UnfinishedWork
    const cause = isUnfinished ? error.cause : error
    const sentence = isUnfinished ? error.message : howToGoOn()
    if (interrupted.signal.aborted) {
      throw new UserError(`Interrupted. ${sentence}`, { cause, exitCode: interruptedCode })
    }
    throw cause instanceof UserError ? cause : new UserError(`${describeError(cause)} ${sentence}`, { cause })
  }
}

const secondsBetween = 5

/** Tells of long work, such as that on pets, a line every few seconds. */
export const startProgress = (what: string, all?: number): ((more: number) => void) => {
  let told = performance.now()
  let done = 0
  return (more) => {
    done += more
    if (performance.now() - told < secondsBetween * 1_000) return
    told = performance.now()
    console.error(`${formatNumber(done)}${all === undefined ? '' : ` of ${formatNumber(all)}`} ${what}`)
  }
}

const largestBatch = 100

interface Pace {
  readonly signal: AbortSignal
  /** Items a second, at most. Unused time is not made up for. */
  readonly perSecond?: number | undefined
}

/** Works on items, such as pets, batch by batch. Once the signal is aborted no further one is begun, and it throws. */
export const processInBatches = async <Item>(
  what: string,
  items: readonly Item[],
  work: (batch: readonly Item[]) => Promise<unknown>,
  { signal, perSecond = Number.POSITIVE_INFINITY }: Pace,
): Promise<void> => {
  const advance = startProgress(what, items.length)
  const size = Math.min(perSecond, largestBatch)
  let turn = 0
  for (let begin = 0; begin < items.length; begin += size) {
    await sleep(Math.max(0, turn - performance.now()), undefined, { signal })
    const batch = items.slice(begin, begin + size)
    turn = performance.now() + (batch.length * 1_000) / perSecond
    await work(batch)
    advance(batch.length)
  }
}

/** Waits until all have ended. @throws the first failure */
export const waitForAll = async (works: readonly Promise<unknown>[]): Promise<void> => {
  for (const outcome of await Promise.allSettled(works)) if (outcome.status === 'rejected') throw outcome.reason
}
