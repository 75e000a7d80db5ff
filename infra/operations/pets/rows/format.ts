import { Readable } from 'node:stream'
import { type Options, stringify } from 'csv-stringify'
import { parseExactJson, stringifyExactJson } from '../../../../shared/exact-json.ts'
import { type Pet, parsePet, petFields } from '../../../../shared/pets/pet.ts'

/** Of the files that commands read and write: CSV for spreadsheets, or JSON Lines. */
export type Format = 'csv' | 'jsonl'

/** The format of a file that a command writes. */
export const formatOf = (file: string): Format => (/\.jsonl$/i.test(file) ? 'jsonl' : 'csv')

export const columns: readonly string[] = [...petFields, 'version']

/** What a row was made from: the pet as it was then, or as an import wrote the row of a new one. */
export interface Version extends Pet {
  /** The import that gave a new pet its id. */
  readonly importId?: string | undefined
}

/** It begins with a letter: a spreadsheet takes 12e45 for a number. */
const writeVersion = (version: Version): string => Buffer.from(stringifyExactJson(version)).toString('base64url')

/** @returns undefined where the text is not one that was written */
export const readVersion = (text: string): Version | undefined => {
  try {
    const written: Record<string, unknown> = Object(parseExactJson(Buffer.from(text, 'base64url').toString()))
    const { importId } = written
    return { ...parsePet(written), importId: importId === undefined ? undefined : String(importId) }
  } catch {
    return undefined
  }
}

type WrittenRow = { readonly pet: Pet; readonly version: Version | undefined }

/** The text of a file with these pets. */
export const textOf = (rows: Iterable<WrittenRow> | AsyncIterable<WrittenRow>, format: Format) => {
  const record = ({ pet, version }: WrittenRow) => ({ ...pet, version: version && writeVersion(version) })
  const records = Readable.from(rows).map(record)
  return format === 'csv' ? records.compose(stringify(csvOptions)) : records.map(jsonLine)
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
  cast: { string: (text, { header }) => (!header && escaped.test(text) ? `'${text}` : text) },
  // A spreadsheet of another country takes the first two for delimiters, and a formula may follow. The others end a line.
  quoted_match: /[;\t\r\n]/,
}

/** The text that was written as this cell. */
export const textIn = (cell: string): string => (cell.startsWith("'") && escaped.test(cell) ? cell.slice(1) : cell)
