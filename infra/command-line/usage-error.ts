import { UserError } from './user-error.ts'

/** A command line that a tool does not take. The first line of the usage is printed below the message. */
export class UsageError extends UserError {
  override readonly name = 'UsageError'
}
