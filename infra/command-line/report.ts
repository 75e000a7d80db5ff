/** Output of commands. */
import { formatPrintableJson, makePrintable } from './printable.ts'
import { UserError } from './user-error.ts'

/** Output of a command: an object for scripts, and text for people. */
export interface Report {
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
  /** Exit code of the process; 1 if some items failed. */
  readonly exitCode?: number
}

/** @throws UserError if the output cannot be written, for example to a closed pipe */
export const printReport = async ({ json, text, exitCode }: Report, asJson: boolean): Promise<void> => {
  await writeOutput(`${asJson ? formatPrintableJson(json) : text}\n`)
  if (exitCode !== undefined) process.exitCode = exitCode
}

/**
 * Writes text to standard output, and waits until it is written: an API key is shown only once.
 *
 * @throws UserError if the output cannot be written, for example to a closed pipe
 */
export const writeOutput = async (output: string): Promise<void> => {
  const { promise: written, resolve, reject } = Promise.withResolvers<void>()
  const fail = (cause: Error): void => {
    reject(new UserError(`The output could not be written (${cause.message}).`, { cause }))
  }

  process.stdout.once('error', fail)
  process.stdout.write(output, (error) => (error ? fail(error) : resolve()))
  await written
  process.stdout.off('error', fail)
}

/** Formats rows as lines with aligned columns. All rows have as many cells as the first one. */
export const formatTable = (rows: readonly (readonly string[])[]): string => {
  const printableRows = rows.map((row) => row.map(makePrintable))
  const [firstRow = []] = printableRows
  const widths = firstRow.map((_cell, column) => Math.max(...printableRows.map((row) => row[column]?.length ?? 0)))

  const formatRow = (row: readonly string[]): string => {
    const paddedCells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
    return paddedCells.join('  ').trimEnd()
  }
  return printableRows.map(formatRow).join('\n')
}

/** Formats a whole number for people, for example `12,500`. */
export const formatNumber = (value: number): string => Math.round(value).toLocaleString('en-US')

/**
 * Formats a number of things, for example `1 pet` or `12,500 pets`.
 *
 * @param thing name of one of them
 */
export const formatCount = (value: number, thing: string): string => {
  const things = value === 1 ? thing : `${thing}s`
  return `${formatNumber(value)} ${things}`
}
