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

/** A sentence on how to go on with long work, which the work replaces as it goes. */
interface Advice {
  howToGoOn: string
}

/** Does long work, which throws once the signal is aborted. Where that or an error ends it, the message says how to go on. */
export const interruptible = async <Result>(
  signal: AbortSignal,
  howToGoOn: string,
  work: (advice: Advice) => Promise<Result>,
): Promise<Result> => {
  const advice: Advice = { howToGoOn }
  try {
    return await work(advice)
  } catch (cause) {
    if (signal.aborted) throw new UserError(`Interrupted. ${advice.howToGoOn}`, { cause, exitCode: interruptedCode })
    throw cause instanceof UserError ? cause : new UserError(`${sentenceOf(cause)} ${advice.howToGoOn}`, { cause })
  }
}
