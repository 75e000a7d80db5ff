import { exitCodes, UserError } from '../../command-line/user-error.ts'

const maximumShown = 100

/** A file that is refused as a whole, before anything is changed. */
export class RefusedFileError extends UserError {
  override readonly name: string = 'RefusedFileError'

  /**
   * @example new RefusedFileError('elm-street', ['the file is empty.'])
   *
   * @param subject the source or the path of the file, with which each line begins: a mail has nothing else to name it
   * @param mistakes sentences that say what to change; the first hundred are shown
   */
  constructor(subject: string, mistakes: readonly string[]) {
    const lines = mistakes.slice(0, maximumShown).map((mistake) => `${subject}: ${mistake}`)
    if (mistakes.length > maximumShown) lines.push('There are more mistakes.')
    super(`${lines.join('\n')} Nothing is changed.`, { exitCode: exitCodes.refusedFile })
  }
}
