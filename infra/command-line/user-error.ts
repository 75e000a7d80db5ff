/** What the user can change. Its message says how, in a sentence or two, and is printed without a stack. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  /** Of the process. */
  readonly exitCode: number

  constructor(message: string, { exitCode = 1, ...options }: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options)
    this.exitCode = exitCode
  }
}
