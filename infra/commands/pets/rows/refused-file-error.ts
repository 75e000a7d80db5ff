import { exitCodes, UserError } from '../../../command-line/user-error.ts'

const maximumShown = 100

/** A file that is refused as a whole, before anything is changed. */
export class RefusedFileError extends UserError {
  override readonly name: string = 'RefusedFileError'

  /** @param mistakes sentences that say what to change in the file; the first hundred are shown */
  constructor(mistakes: readonly string[]) {
    const lines = ['The file is refused. Nothing is changed.', ...mistakes.slice(0, maximumShown)]
    if (mistakes.length > maximumShown) lines.push('There are more mistakes.')
    super(lines.join('\n'), { exitCode: exitCodes.refusedFile })
  }
}
