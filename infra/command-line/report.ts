import { printable, printableJson } from './printable.ts'
import { UserError } from './user-error.ts'

/** What a command prints: an object for scripts, lines for people. */
export interface Report {
  readonly json: Readonly<Record<string, unknown>>
  readonly text: string
  /** Of the process, where not all was done. */
  readonly exitCode?: number
}

/**
 * Prints what a command found or did, and waits until it is written: an API key is shown once.
 *
 * @throws UserError when nothing reads the output any more
 */
export const printReport = async ({ json, text, exitCode }: Report, asJson: boolean): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = (cause: Error): void =>
    reject(new UserError(`The output could not be written (${cause.message}).`, { cause }))
  process.stdout.once('error', fail)
  process.stdout.write(`${asJson ? printableJson(json) : text}\n`, (error) => (error ? fail(error) : resolve()))
  await promise
  process.stdout.off('error', fail)
  if (exitCode !== undefined) process.exitCode = exitCode
}

/** Lines with aligned columns. */
export const formatTable = (rows: readonly (readonly string[])[]): string => {
  const printed = rows.map((row) => row.map(printable))
  const widths = (printed[0] ?? []).map((_, column) => Math.max(...printed.map((row) => row[column]?.length ?? 0)))
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return printed.map((row) => lineOf(row).trimEnd()).join('\n')
}

/** A whole number as people read it, such as 12,500. */
export const formatNumber = (value: number): string => Math.round(value).toLocaleString('en-US')

/** Such as 1 pet, or 12,500 pets. */
export const formatCount = (value: number, thing: string): string =>
  `${formatNumber(value)} ${thing}${value === 1 ? '' : 's'}`
