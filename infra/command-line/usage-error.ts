import { ClearError } from './clear-error.ts'

/** A command line that a tool does not take. The tool's usage is printed below the message. */
export class UsageError extends ClearError {
  override readonly name = 'UsageError'
}
