import { inspect } from 'node:util'
import { CommanderError } from '@commander-js/extra-typings'
import { printable, printableLines } from './printable.ts'
import { UserError } from './user-error.ts'

/**
 * Runs a command-line tool: exit code 0, or 1 with one clear line on standard error. Only a fault of the
 * tool itself shows more, and that in one line too unless DEBUG is set.
 */
export const runCommand = async (run: () => void | Promise<void>): Promise<void> => {
  try {
    await run()
  } catch (error) {
    // commander has written the help; this is how it ends.
    if (error instanceof CommanderError && error.exitCode === 0) return
    process.exitCode = 1
    console.error(withoutKeys(describe(error)))
    if (!(error instanceof UserError) && process.env['DEBUG'] !== undefined) {
      console.error(withoutKeys(printableLines(inspect(error))))
    }
  }
}

/** An operator may paste an API key where it does not belong; a message would then put it into logs. */
const withoutKeys = (text: string): string => text.replaceAll(/(pet_(?:live|test)_)[0-9A-Za-z]+/g, '$1...')

const describe = (error: unknown): string => {
  if (error instanceof UserError) return printableLines(error.message)
  if (isDiskFull(error))
    return `The disk is full (${printable(error.message)}). Free some space, or choose a folder on another disk.`
  const message = error instanceof Error && error.message !== '' ? error.message : String(error)
  return `An unexpected error: ${printable(message)} (set DEBUG=1 to see where)`
}

const isDiskFull = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
