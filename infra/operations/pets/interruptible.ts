import { interruptedCode } from '../../command-line/interruption.ts'
import { sentenceOf } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'

/** Does long work. Where an error or the signal ends it, the message says how to go on. */
export const interruptible = async <Result>(
  signal: AbortSignal,
  howToGoOn: () => string,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof UserError) throw cause
    if (signal.aborted) throw new UserError(`Interrupted. ${howToGoOn()}`, { cause, exitCode: interruptedCode })
    throw new UserError(`${sentenceOf(cause)} ${howToGoOn()}`, { cause })
  }
}
