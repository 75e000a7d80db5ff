/** Output of commands. */
import measureWidth from 'fast-string-width'
import { formatPrintableJson, makePrintable } from './printable.ts'
import { UserError } from './user-error.ts'

/** Output of a command: an object for scripts, and text for people. */
export interface Report {
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
  /** One of `exitCodes`; undefined for `done`. */
  readonly exitCode?: number
}

/**
 * An error of the output after the program that reads it has ended, for example `head`. A command that has done its
 * work does not fail then (`runCommand`).
 */
export class ClosedOutputError extends UserError {
  override readonly name: string = 'ClosedOutputError'
}

/** @throws UserError if the output cannot be written, for example to a full disk */
export const printReport = async ({ json, text, exitCode }: Report, asJson: boolean): Promise<void> => {
  if (exitCode !== undefined) process.exitCode = exitCode
  await writeOutput(`${asJson ? formatPrintableJson(json) : text}\n`)
}

/**
 * Writes text to standard output, and waits until it is written: an API key is shown only once.
 *
 * @throws UserError if the output cannot be written, for example to a full disk
 */
export const writeOutput = async (output: string | Uint8Array): Promise<void> => {
  const { promise: written, resolve, reject } = Promise.withResolvers<void>()
  const fail = (cause: Error): void => reject(explainOutputError(cause))

  process.stdout.once('error', fail)
  process.stdout.write(output, (error) => (error ? fail(error) : resolve()))
  await written
  process.stdout.off('error', fail)
}

/** Turns an error of standard output into a message for the operator. */
const explainOutputError = (cause: Error): UserError => {
  const isClosed = 'code' in cause && cause.code === 'EPIPE'
  if (isClosed) return new ClosedOutputError('Nothing reads the output any more.', { cause })
  return new UserError(`The output could not be written (${cause.message}).`, { cause })
}

/**
 * Formats rows as lines with columns that a terminal aligns: a character such as 犬 takes two columns there, and
 * a combining mark takes none. All rows have as many cells as the first one.
 */
export const formatTable = (rows: readonly (readonly string[])[]): string => {
  const printableRows = rows.map((row) => row.map(makePrintable))
  const [firstRow = []] = printableRows
  const widths = firstRow.map((_cell, column) =>
    printableRows.reduce((widest, row) => Math.max(widest, measureWidth(row[column] ?? '')), 0),
  )

  const formatRow = (row: readonly string[]): string => {
    const paddedCells = row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - measureWidth(cell)))
    return paddedCells.join('  ').trimEnd()
  }
  return printableRows.map(formatRow).join('\n')
}

/** Formats the properties of an object as lines with two columns: `usedToday` becomes `used today`. */
export const formatProperties = (properties: Readonly<Record<string, unknown>>): string => {
  const present = Object.entries(properties).filter(([, value]) => value !== null && value !== undefined)
  return formatTable(present.map(([name, value]) => [splitIntoWords(name), `${value}`]))
}

/** Splits the name of a property into words: `categoryId` becomes `category id`. */
export const splitIntoWords = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/**
 * Formats a whole number for people, for example `12,500`: a comma stands wherever a multiple of three digits follows.
 * `toLocaleString` would load the data of all languages, which take 8 MB of memory.
 */
export const formatNumber = (value: number): string => String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ',')

/**
 * Formats a number of things, for example `1 pet` or `12,500 pets`.
 *
 * @param thing name of one of them
 */
export const formatCount = (value: number, thing: string): string => {
  const things = value === 1 ? thing : `${thing}s`
  return `${formatNumber(value)} ${things}`
}
