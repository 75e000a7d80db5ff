/** Exit codes of all commands. Each one tells a script what it can do next. */
export const exitCodes = {
  done: 0,
  /** The command has not done its work, or not all of it. */
  failure: 1,
  /** The command line is wrong. Nothing was changed. */
  usage: 2,
  /** The state of a key or pet does not allow the change, for example because somebody else has changed it. */
  conflict: 3,
  /** The file is refused. Nothing is changed. */
  refusedFile: 4,
  /** Ctrl-C (128 + 2, as in every shell). */
  interruption: 130,
} as const

interface UserErrorOptions extends ErrorOptions {
  /** Exit code of the process. @default exitCodes.failure */
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

  constructor(message: string, { exitCode = exitCodes.failure, ...options }: UserErrorOptions = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** A command line that is wrong. Commander reports those that it can detect by itself. */
export class UsageError extends UserError {
  override readonly name: string = 'UsageError'

  constructor(message: string) {
    super(message, { exitCode: exitCodes.usage })
  }
}

/** A change that the present state of a key or pet does not allow. */
export class ConflictError extends UserError {
  override readonly name: string = 'ConflictError'

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { ...options, exitCode: exitCodes.conflict })
  }
}
