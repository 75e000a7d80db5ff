import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { UserError } from './user-error.ts'

/**
 * Checks that a file is writable before the work whose result goes there, not minutes later.
 *
 * @throws UserError when it cannot
 */
export const claimFile = (file: string): void => {
  try {
    mkdirSync(dirname(file), { recursive: true })
    closeSync(openSync(file, 'a'))
  } catch (error) {
    throw new UserError(`${file} cannot be written (${error instanceof Error ? error.message : error}).`)
  }
}
