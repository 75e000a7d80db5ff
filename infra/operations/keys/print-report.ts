import { printableJson } from '../../command-line/printable.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Report } from './key-report.ts'

/**
 * Prints what a command found or did, and waits until it is written: a key is shown once.
 *
 * @throws UserError where nobody reads it any more
 */
export const printReport = ({ json, text }: Report, asJson: boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(new UserError(`The output could not be written (${error.message}).`, { cause: error }))
    process.stdout.once('error', fail)
    process.stdout.write(`${asJson ? printableJson(json) : text}\n`, (error) => {
      if (error) return fail(error)
      process.stdout.off('error', fail)
      resolve()
    })
  })
