interface UserErrorOptions extends ErrorOptions {
  /** Exit code of the process. @default 1 */
  readonly exitCode?: number
}

/**
 * An error that the user can do something about. The message says what, in a sentence or two, and is printed without a
 * stack.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  /** Exit code of the process. */
  readonly exitCode: number

  constructor(message: string, { exitCode = 1, ...options }: UserErrorOptions = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}
