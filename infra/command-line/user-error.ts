/**
 * A failure that the user can fix. Its message is one sentence or two that say what
 * to change; it is printed as it is, without a stack.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError'
}
