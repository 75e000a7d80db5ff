import { Readable } from 'node:stream'
import { type Options, stringify } from 'csv-stringify'
import { stringifyExactJson } from '../../../../shared/exact-json.ts'
import { parseInt64 } from '../../../../shared/int64.ts'
import { type Pet, petFields } from '../../../../shared/pets/pet.ts'
import { type Version, writeVersion } from './version.ts'

/** Of the files that commands read and write: CSV for spreadsheets, or JSON Lines. */
export type Format = 'csv' | 'jsonl'

/** The format of a file that a command writes. */
export const formatOf = (file: string): Format => (/\.jsonl$/i.test(file) ? 'jsonl' : 'csv')

export const columns: readonly string[] = [...petFields, 'version']

interface WrittenRow {
  readonly pet: Pet
  readonly version: Version | undefined
}

type WrittenRows = Iterable<WrittenRow> | AsyncIterable<WrittenRow>

/** The text of a file with these pets. */
export const textOf = (rows: WrittenRows, format: Format): NodeJS.ReadableStream => {
  const records = Readable.from(recordsOf(rows, format))
  return format === 'csv' ? records.compose(stringify(csvOptions)) : records
}

async function* recordsOf(rows: WrittenRows, format: Format): AsyncGenerator<object | string> {
  for await (const { pet, version } of rows) {
    const record = { ...pet, version: version && writeVersion(version) }
    yield format === 'csv' ? record : jsonLine(record)
  }
}

/** JSON allows two characters in a string that some programs take for the end of a line. */
const jsonLine = (record: object): string =>
  `${stringifyExactJson(record).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`

/**
 * The beginnings of a cell that a spreadsheet runs as a formula (OWASP, "CSV Injection"); and the empty text, as an empty cell
 * is no value. Apostrophes before them are those of an escaped one.
 */
const escaped = /^'*([=+\-@\t\r\n＝＋－＠]|$)/

const csvOptions: Options = {
  // Spreadsheets take a file without it for one of another encoding.
  bom: true,
  header: true,
  columns,
  cast: {
    bigint: String,
    boolean: String,
    string: (text, { header }) => (!header && escaped.test(text) ? `'${text}` : text),
  },
  // A spreadsheet of another country takes the first two for delimiters, and a formula may follow. The others end a line.
  quoted_match: /[;\t\r\n]/,
}

/** The text that was written as this cell. */
export const textIn = (cell: string): string => (cell.startsWith("'") && escaped.test(cell) ? cell.slice(1) : cell)

/** The value that was written as this cell, where it was no text. */
export const valueIn = (cell: string): unknown =>
  /^(true|false)$/.test(cell) ? cell === 'true' : (parseInt64(cell) ?? cell)
