import { Readable } from 'node:stream'
import { type Options, stringify } from 'csv-stringify'
import { parseExactJson, stringifyExactJson } from '../../../../shared/exact-json.ts'
import { type Pet, parsePet, petFields } from '../../../../shared/pets/pet.ts'

/** Formats of files that commands read and write: CSV for spreadsheets, or JSON Lines. */
export type Format = 'csv' | 'jsonl'

/** Columns of a file, in the order in which they are written. */
export const columns: readonly string[] = [...petFields, 'version']

/** The state of a pet that a row was made from. An import changes the pet only if this still is its state. */
export interface Version extends Pet {
  /** Name of the import that gave a new pet its id. Undefined in rows of an export. */
  readonly importId?: string | undefined
}

/** A row of a file that a command writes. */
interface WrittenRow {
  readonly pet: Pet
  readonly version: Version | undefined
}

/** Chooses the format of a file that a command writes, by its name. */
export const chooseFormat = (file: string): Format => (/\.jsonl$/i.test(file) ? 'jsonl' : 'csv')

/**
 * Encodes a version as one cell. Spreadsheets read text such as 12e45 as a number. The base64url of a JSON object is no
 * such text, because it starts with `ey`.
 */
const encodeVersion = (version: Version): string => Buffer.from(stringifyExactJson(version)).toString('base64url')

/** @returns undefined for a text that `encodeVersion` did not write */
export const decodeVersion = (text: string): Version | undefined => {
  try {
    const version: Record<string, unknown> = Object(parseExactJson(Buffer.from(text, 'base64url').toString()))
    const importId = version['importId']
    return { ...parsePet(version), importId: importId === undefined ? undefined : String(importId) }
  } catch {
    return undefined
  }
}

/** Writes the text of a file, row by row. */
export const writeRows = (rows: Iterable<WrittenRow> | AsyncIterable<WrittenRow>, format: Format) => {
  const records = Readable.from(rows).map(({ pet, version }: WrittenRow) => ({
    ...pet,
    version: version && encodeVersion(version),
  }))
  return format === 'csv' ? records.compose(stringify(csvOptions)) : records.map(writeJsonLine)
}

/**
 * Writes a line of JSON Lines. JSON allows U+2028 and U+2029 in strings, but some programs read them as the end of
 * a line.
 */
const writeJsonLine = (record: object): string => {
  const json = stringifyExactJson(record).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  return `${json}\n`
}

/**
 * Texts that are written with an apostrophe before them, so that they are read back as they were:
 *
 * - texts that a spreadsheet would run as a formula (OWASP, "CSV Injection"),
 * - the empty text, because an empty cell is no value,
 * - such texts with apostrophes before them, because reading removes one apostrophe.
 */
const escapedText = /^'*([=+\-@\t\r\n＝＋－＠]|$)/

const csvOptions: Options = {
  // Without a byte order mark, spreadsheets do not recognize UTF-8.
  bom: true,
  header: true,
  columns,
  cast: {
    string: (text, { header }) => (!header && escapedText.test(text) ? `'${text}` : text),
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
