import { Readable } from 'node:stream'
import type { Options } from 'csv-stringify'
import { stringify } from 'csv-stringify/sync'
import { parseExactJson, stringifyExactJson } from '../../../../shared/exact-json.ts'
import { type Pet, parsePet, petFields } from '../../../../shared/pets/pet.ts'

/** Formats of files that commands read and write: CSV for spreadsheets, or JSON Lines. */
export type Format = 'csv' | 'jsonl'

/** Columns of a file, in the order in which they are written. */
export const columns: readonly string[] = [...petFields, 'version']

/** Column of a file of conflicts that says why a row was not applied. An import ignores it. */
export const conflictColumn = 'conflict'

/** A row of a file that a command writes. */
export interface WrittenRow {
  readonly pet: Pet
  /** The state of the pet that the row is made from. An import changes the pet only if this still is its state. */
  readonly version: Pet | undefined
  /** Why the row was not applied, in a file of conflicts. */
  readonly conflict?: string
}

/** Chooses the format of a file that a command writes, by its name. */
export const chooseFormat = (file: string): Format => (/\.jsonl$/i.test(file) ? 'jsonl' : 'csv')

/**
 * Encodes a version as one cell. Spreadsheets read text such as 12e45 as a number. The base64url of a JSON object is no
 * such text, because it starts with `ey`.
 */
const encodeVersion = (version: Pet): string => Buffer.from(stringifyExactJson(version)).toString('base64url')

/** @returns undefined for a text that `encodeVersion` did not write */
export const decodeVersion = (text: string): Pet | undefined => {
  try {
    const version: Record<string, unknown> = Object(parseExactJson(Buffer.from(text, 'base64url').toString()))
    return parsePet(version)
  } catch {
    return undefined
  }
}

/**
 * Writes the text of an export, for pets in any number.
 *
 * @param pets the JSON of each pet
 */
export const writeExport = (pets: AsyncIterable<string>, format: Format): Readable =>
  format === 'csv' ? writeRows(parseRows(pets), format) : Readable.from(formatExportedLines(pets))

async function* parseRows(pets: AsyncIterable<string>): AsyncGenerator<WrittenRow> {
  for await (const json of pets) {
    const pet = parsePet(Object(parseExactJson(json)))
    yield { pet, version: pet }
  }
}

/** Formats lines without parsing the pets. To parse them would take most of the time of an export. */
async function* formatExportedLines(pets: AsyncIterable<string>): AsyncGenerator<string> {
  let lines: string[] = []
  for await (const json of pets) {
    const version = Buffer.from(json).toString('base64url')
    lines.push(escapeLineSeparators(`${json.slice(0, -1)},"version":"${version}"}\n`))
    if (lines.length < rowsPerChunk) continue
    yield lines.join('')
    lines = []
  }
  if (lines.length > 0) yield lines.join('')
}

/** Rows that are formatted at once. A stream has costs for each of its chunks. */
const rowsPerChunk = 500

/** Writes the text of a file, for rows in any number. */
export const writeRows = (
  rows: Iterable<WrittenRow> | AsyncIterable<WrittenRow>,
  format: Format,
  writtenColumns: readonly string[] = columns,
): Readable => Readable.from(formatFile(rows, format, writtenColumns))

async function* formatFile(
  rows: Iterable<WrittenRow> | AsyncIterable<WrittenRow>,
  format: Format,
  writtenColumns: readonly string[],
): AsyncGenerator<string> {
  const formatRecords = format === 'csv' ? formatCsv : formatJsonLines
  if (format === 'csv') yield formatHeader(writtenColumns)

  let records: object[] = []
  for await (const { pet, version, conflict } of rows) {
    records.push({ ...pet, version: version && encodeVersion(version), conflict })
    if (records.length < rowsPerChunk) continue
    yield formatRecords(records, writtenColumns)
    records = []
  }
  if (records.length > 0) yield formatRecords(records, writtenColumns)
}

/** Formats the first line. Without the byte order mark, spreadsheets do not recognize UTF-8. */
const formatHeader = (writtenColumns: readonly string[]): string => `\ufeff${writtenColumns.join(',')}\n`

const formatCsv = (records: readonly object[], writtenColumns: readonly string[]): string =>
  stringify([...records], { ...csvOptions, columns: writtenColumns })

const formatJsonLines = (records: readonly object[]): string =>
  records.map((record) => escapeLineSeparators(`${stringifyExactJson(record)}\n`)).join('')

/** JSON allows U+2028 and U+2029 in strings, but some programs read them as the end of a line. */
const escapeLineSeparators = (json: string): string =>
  json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')

/**
 * Texts that are written with an apostrophe before them, so that they are read back as they were:
 *
 * - texts that a spreadsheet would run as a formula (OWASP, "CSV Injection"),
 * - texts that a spreadsheet could take for a number or a date, such as 007, 3E2 and 1/2,
 * - the empty text, because an empty cell is no value,
 * - such texts with apostrophes before them, because reading removes one apostrophe.
 */
const escapedText = /^'*([=+\-@\t\r\n＝＋－＠\d.,]|$)/

const csvOptions: Options = {
  cast: {
    string: (text) => (escapedText.test(text) ? `'${text}` : text),
    // Without this, false would be an empty cell, which is no value.
    boolean: String,
  },
  // Semicolon and tab are the delimiters of spreadsheets in some countries: unquoted, a formula could follow them.
  // Carriage return and line feed would end the line.
  quoted_match: /[;\t\r\n]/,
}

/** Reads the text that was written as this cell: removes the apostrophe that `writeRows` has added. */
export const unescapeCell = (cell: string): string =>
  cell.startsWith("'") && escapedText.test(cell) ? cell.slice(1) : cell
