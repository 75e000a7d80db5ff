import { printable, printableJson } from './printable.ts'
import { UserError } from './user-error.ts'

/** What a command prints: an object for scripts, lines for people. */
export interface Report {
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
}

/**
 * Prints what a command found or did, and waits until it is written: an API key is shown once.
 *
 * @throws UserError when nothing reads the output any more
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

/** Lines with aligned columns. */
export const tableOf = (rows: readonly (readonly string[])[]): string => {
  const printed = rows.map((row) => row.map(printable))
  const widths = (printed[0] ?? []).map((_, column) => Math.max(...printed.map((row) => row[column]?.length ?? 0)))
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return printed.map((row) => lineOf(row).trimEnd()).join('\n')
}

/** A whole number as people read it, such as 12,500. */
export const amount = (value: number): string => Math.round(value).toLocaleString('en-US')
