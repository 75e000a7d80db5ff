/** Writing files of pets: CSV for spreadsheets, or JSON Lines. */
import { stringify } from 'csv-stringify/sync'
import { stringifyExactJson } from '../../../../shared/exact-json.ts'
import type { PetWithOrigin } from '../pet-table.ts'
import { columns, computeVersion } from './columns.ts'
import { protectText } from './spreadsheet-text.ts'

export type Format = 'csv' | 'jsonl'

/** Chooses the format of a file by its name. */
export const chooseFormat = (file: string): Format => (/\.jsonl$/i.test(file) ? 'jsonl' : 'csv')

/** Rows that are formatted at once: a stream has costs for each of its chunks. */
const rowsPerChunk = 500

/** Formats an export, chunk by chunk. */
export function* formatRows(pets: readonly PetWithOrigin[], format: Format): Generator<string> {
  // Without the byte order mark, spreadsheets do not recognize UTF-8.
  if (format === 'csv') yield `\ufeff${columns.join(',')}\n`

  const formatChunk = format === 'csv' ? formatCsv : formatJsonLines
  for (let begin = 0; begin < pets.length; begin += rowsPerChunk) {
    const rows = pets.slice(begin, begin + rowsPerChunk).map((pet) => ({ ...pet, version: computeVersion({ ...pet }) }))
    yield formatChunk(rows)
  }
}

const formatCsv = (rows: readonly object[]): string =>
  stringify([...rows], {
    columns: [...columns],
    cast: {
      // A version begins with a letter that no spreadsheet takes for anything else.
      string: (text, { column }) => (column === 'version' ? text : protectText(text)),
      // Without this, false would be an empty cell, which is no value.
      boolean: String,
    },
    // Semicolon and tab are the delimiters of spreadsheets in some countries: unquoted, a formula could follow them.
    // Carriage return and line feed would end the line.
    quoted_match: /[;\t\r\n]/,
  })

const formatJsonLines = (rows: readonly object[]): string =>
  rows.map((row) => escapeLineSeparators(`${stringifyExactJson(row)}\n`)).join('')

/** JSON allows U+2028 and U+2029 in strings, but some programs read them as the end of a line. */
const escapeLineSeparators = (json: string): string =>
  json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
