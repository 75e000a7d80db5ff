import { interruptedCode } from '../../command-line/interruption.ts'
import { sentenceOf } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'

/** A sentence on how to go on with long work, which the work replaces as it goes. */
interface Advice {
  howToGoOn: string
}

/** Does long work. Where an error or the signal ends it, the message says how to go on. */
export const interruptible = async <Result>(
  signal: AbortSignal,
  howToGoOn: string,
  work: (advice: Advice) => Promise<Result>,
): Promise<Result> => {
  const advice: Advice = { howToGoOn }
  try {
    return await work(advice)
  } catch (cause) {
    if (signal.aborted) {
      throw new UserError(`Interrupted. ${advice.howToGoOn}`, { cause, exitCode: interruptedCode })
    }
    throw cause instanceof UserError ? cause : new UserError(`${sentenceOf(cause)} ${advice.howToGoOn}`, { cause })
  }
}
