import { inspect } from 'node:util'
import { CommanderError } from '@commander-js/extra-typings'
import { adviceOn } from './aws-errors.ts'
import { printable, printableLines } from './printable.ts'
import { UserError } from './user-error.ts'

/**
 * Runs a command-line tool. An error ends it with one sentence on standard error, and with 1 or the error's own exit code.
 * DEBUG shows where it comes from.
 */
export const runCommand = async (run: () => unknown): Promise<void> => {
  try {
    await run()
  } catch (error) {
    // commander has written what is wrong, or the help.
    if (error instanceof CommanderError) process.exitCode = error.exitCode
    else {
      process.exitCode = error instanceof UserError ? error.exitCode : 1
      console.error(withoutKeys(sentenceOf(error)))
      if (process.env['DEBUG'] !== undefined) console.error(withoutKeys(printableLines(inspect(error))))
    }
  }
}

/** An operator may paste an API key where it does not belong; a message would then put it into logs. */
export const withoutKeys = (text: string): string => text.replaceAll(/(pet_(?:live|test)_)[0-9A-Za-z]+/g, '$1...')

/** What a command says of an error that ends it, or its work. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof UserError) return printableLines(error.message)
  const { message } = error instanceof Error ? error : new Error(String(error))
  const advice = error instanceof Error ? adviceOn(error) : undefined
  return advice ?? `An unexpected error: ${printable(message)} (set DEBUG=1 to see where)`
}
