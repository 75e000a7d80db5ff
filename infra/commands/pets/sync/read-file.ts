/** Reading a shelter's file: text with a header and a row for each animal. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CsvError, type Options, parse } from 'csv-parse/sync'
import { makePrintable } from '../../../command-line/printable.ts'
import { describeReadError } from '../../../command-line/read-error.ts'
import { formatNumber } from '../../../command-line/report.ts'
import { RefusedFileError } from '../rows/refused-file-error.ts'
import { type MappedColumn, mappedColumns, type SourceSettings } from './settings.ts'

/** A row as the file has it, without white space around its cells. */
export type FileRow = Readonly<Record<MappedColumn, string>>

export interface ShelterFile {
  readonly rows: readonly FileRow[]
  /** SHA-256 of the bytes. */
  readonly hash: string
}

const maximumRows = 200_000

const maximumReferenceLength = 255

const delimiters = [',', ';', '\t']

const csvOptions = {
  // A file that several programs have written has several kinds of line ends.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  // Some programs write quotation marks inside of cells that are not quoted.
  relax_quotes: true,
  skip_empty_lines: true,
  trim: true,
} satisfies Options

/**
 * Reads a file whole, and checks all of it.
 *
 * @throws RefusedFileError that says what is wrong with the file
 */
export const readShelterFile = (file: string, settings: Pick<SourceSettings, 'columns' | 'encoding'>): ShelterFile => {
  const bytes = readBytes(file)
  return { rows: parseRows(bytes, settings), hash: createHash('sha256').update(bytes).digest('base64url') }
}

const readBytes = (file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new RefusedFileError([describeReadError(file, error)])
  }
}

/**
 * Parses the rows of a file.
 *
 * @param mostRows largest number of rows
 * @throws RefusedFileError that says what is wrong with the file
 */
export const parseRows = (
  bytes: Buffer,
  { columns, encoding }: Pick<SourceSettings, 'columns' | 'encoding'>,
  mostRows = maximumRows,
): readonly FileRow[] => {
  const text = decode(bytes, encoding)
  if (text.trim() === '') throw new RefusedFileError(['It is empty.'])

  const { delimiter, header } = findHeader(text, columns)
  const positions = mappedColumns.map((column) => [column, header.indexOf(columns[column])] as const)
  const rows: FileRow[] = []
  let rowNumber = 0
  const addRow = (record: string[]): null => {
    rowNumber += 1
    // The first row is the header, and some programs repeat it.
    const cells = record.map((cell) => cell.trim())
    const isHeader = cells.length === header.length && cells.every((cell, index) => cell === header[index])
    // Spreadsheets write rows of delimiters alone at the end.
    const isEmpty = cells.every((cell) => cell === '')
    if (isHeader || isEmpty) return null
    if (cells.length !== header.length) throw new RefusedFileError([describeLength(rowNumber, cells, header)])

    // The positions are those of all mapped columns.
    const row = Object.fromEntries(positions.map(([column, index]) => [column, cells[index] ?? ''])) as FileRow
    checkReference(rowNumber, columns.reference, row.reference)
    rows.push(row)
    if (rows.length > mostRows) {
      throw new RefusedFileError([`It has more than ${formatNumber(mostRows)} rows. Split the source.`])
    }
    // Null keeps the parser from collecting the records.
    return null
  }
  parseRecords(text, delimiter, addRow)

  if (rows.length === 0) throw new RefusedFileError(['It has a header, but no animal.'])
  return rows
}

const parseRecords = (text: string, delimiter: string, onRecord: (record: string[]) => null): void => {
  try {
    parse(text, { ...csvOptions, delimiter, on_record: onRecord })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new RefusedFileError(['It ends inside a row: a quotation mark is not closed.'])
  }
}

/** Decodes the file by its byte order mark, or else by the encoding of the settings. */
const decode = (bytes: Buffer, encoding = 'utf-8'): string => {
  const actual = findByteOrderMark(bytes) ?? encoding
  try {
    // `fatal` refuses a file that ends inside a character, too. The decoder drops the byte order mark.
    return new TextDecoder(actual, { fatal: true }).decode(bytes)
  } catch {
    throw new RefusedFileError([
      `It is not ${actual}, or it ends inside a character. ` +
        'If it has another encoding, name it in the settings, such as "encoding: windows-1252".',
    ])
  }
}

const findByteOrderMark = ([first, second, third]: Buffer): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

/** Finds the delimiter that separates the mapped columns in the header. */
const findHeader = (text: string, columns: SourceSettings['columns']) => {
  const headers = delimiters.map((delimiter) => {
    const header = readHeader(text, delimiter)
    return { delimiter, header, missing: Object.values(columns).filter((name) => !header.includes(name)) }
  })
  const [best = headers[0]] = headers.toSorted((one, other) => one.missing.length - other.missing.length)
  if (best === undefined || best.missing.length > 0) {
    throw new RefusedFileError([`Its header lacks ${quote(best?.missing ?? [])}. It has ${quote(best?.header ?? [])}.`])
  }
  const repeated = Object.values(columns).filter((name) => best.header.indexOf(name) !== best.header.lastIndexOf(name))
  if (repeated.length > 0) throw new RefusedFileError([`Its header has ${quote(repeated)} twice.`])
  return best
}

const readHeader = (text: string, delimiter: string): readonly string[] => {
  try {
    const [cells = []] = parse(text, { ...csvOptions, delimiter, to: 1 })
    return cells.map((cell) => cell.trim())
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // The quotation marks of a file may make no sense with a delimiter that is not its own.
    return []
  }
}

const maximumShownNames = 30

const quote = (names: readonly string[]): string => {
  const shown = names.slice(0, maximumShownNames).map((name) => makePrintable(`"${name.slice(0, 50)}"`))
  return names.length > maximumShownNames ? `${shown.join(', ')} and more` : shown.join(', ')
}

const describeLength = (rowNumber: number, cells: readonly string[], header: readonly string[]): string =>
  `Row ${rowNumber}, which begins with ${quote(cells.slice(0, 1))}, has ${cells.length} cells in place of ` +
  `${header.length}. If it is the last row, the file is cut.`

const checkReference = (rowNumber: number, column: string, reference: string): void => {
  if (reference === '') {
    throw new RefusedFileError([`Row ${rowNumber} has no reference: its ${quote([column])} is empty.`])
  }
  // DynamoDB's sort key takes 1,024 bytes, and a character has at most four.
  if ([...reference].length > maximumReferenceLength) {
    throw new RefusedFileError([
      `The ${quote([column])} of row ${rowNumber} has more than ${maximumReferenceLength} characters.`,
    ])
  }
}
