import { sentenceOf } from './run-command.ts'
import { UserError } from './user-error.ts'

/** By convention, the exit code of a process that Ctrl-C ended. */
export const interruptedCode = 130

/** Ctrl-C arrives twice: from the terminal, and again from npm, which passes it on. */
const echoMilliseconds = 500

const controller = new AbortController()

let first: number | undefined

const end = (): void => {
  first ??= performance.now()
  controller.abort()
  if (performance.now() - first > echoMilliseconds) process.exit(interruptedCode)
}

/** Aborts at the first signal that ends a process, so that the work can end in good order. A later one ends it at once. */
export const interruption = (): AbortSignal => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, end).on(signal, end)
  return controller.signal
}

/**
 * Does long work, which throws once the signal is aborted. Where that or an error ends it, the message says how to go on.
 *
 * @param howToGoOn a sentence, or what gives it when the work has ended
 */
export const interruptible = async <Result>(
  signal: AbortSignal,
  howToGoOn: string | (() => string),
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work()
  } catch (cause) {
    const goOn = typeof howToGoOn === 'string' ? howToGoOn : howToGoOn()
    if (signal.aborted) throw new UserError(`Interrupted. ${goOn}`, { cause, exitCode: interruptedCode })
    throw cause instanceof UserError ? cause : new UserError(`${sentenceOf(cause)} ${goOn}`, { cause })
  }
}
