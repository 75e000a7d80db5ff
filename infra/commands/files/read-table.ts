/** The reader of CSV and TSV: files of shelters, and exports that somebody has edited. */
import { CsvError, type Options, parse } from 'csv-parse/sync'
import { makePrintable } from '../../command-line/printable.ts'
import { toComparingForm } from './comparing-form.ts'
import { RefusedFileError } from './read-file.ts'

/** A file of rows whose header has been read. */
export interface Table {
  /** Name of the shelter or path of the file, with which a refusal begins. */
  readonly subject: string
  /** Names of the columns, in the comparing form. */
  readonly header: readonly string[]
  readonly delimiter: string
  /** The text, without a first line that names the delimiter. */
  readonly text: string
  /** Number of the line with which `text` begins. */
  readonly firstLine: number
}

const delimiters = [',', ';', '\t']

/** Pattern of a first line such as `sep=;`, which names the delimiter for spreadsheets. It is no row. */
const delimiterLine = /^"?sep=([,;\t])"?[,;\t]*(?:\r\n|\n|\r)/i

/** Number of characters at the beginning of a file in which its header must be. */
const maximumHeaderLength = 100_000

/**
 * Opens a table: finds the delimiter with which its header has most of the columns.
 *
 * @param columns names of the columns that the file should have, in the comparing form
 */
export const openTable = (subject: string, text: string, columns: readonly string[]): Table => {
  const [skippedLine = '', namedDelimiter] = delimiterLine.exec(text) ?? []
  const body = text.slice(skippedLine.length)
  if (body.trim() === '') throw new RefusedFileError(subject, ['the file is empty.'])

  const tables = (namedDelimiter === undefined ? delimiters : [namedDelimiter]).map((delimiter) => {
    const header = readHeader(body, delimiter)
    return { subject, header, delimiter, text: body, firstLine: skippedLine === '' ? 1 : 2 }
  })
  const countColumns = ({ header }: Table): number => columns.filter((column) => header.includes(column)).length
  // The longest header is best among tables with equally many of the columns: a message then shows its names one by
  // one.
  const compare = (one: Table, other: Table): number =>
    countColumns(one) - countColumns(other) || one.header.length - other.header.length
  return tables.reduce((best, table) => (compare(table, best) > 0 ? table : best))
}

const readHeader = (text: string, delimiter: string): readonly string[] => {
  try {
    const options = { ...createOptions(delimiter), to: 1, skip_records_with_empty_values: true }
    const [cells = []] = parse(text.slice(0, maximumHeaderLength), options)
    return cells.map((cell) => readName(cell, delimiter))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // The quotation marks of a file may make no sense with a delimiter that is not its own.
    return []
  }
}

const readName = (cell: string, delimiter: string): string => toComparingForm(readCell(cell, delimiter))

/**
 * Whether the file is TSV. The parser then takes quotation marks as text: many programs that write TSV do not quote,
 * and a name such as `"Bella` would join the next rows to its own.
 */
const isTsv = (delimiter: string): boolean => delimiter === '\t'

const createOptions = (delimiter: string): Options => ({
  delimiter,
  quote: isTsv(delimiter) ? null : '"',
  // A file that several programs have written has several kinds of line ends.
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  // Some programs write quotation marks inside of cells that are not quoted. With `trim`, the parser still refuses
  // quotation marks inside of quoted cells.
  relax_quotes: true,
  trim: true,
})

/**
 * Reads the rows of a table. Empty rows and repetitions of the header are left out.
 *
 * @param readRow picks what is needed of a row, so that the other cells of a large file take no memory
 * @throws RefusedFileError at the first row with a wrong quotation or another length than the header
 */
export const readRows = <Row>(
  table: Table,
  readRow: (cells: readonly string[], line: number) => Row,
): readonly Row[] => {
  const { subject, header, delimiter, text, firstLine } = table
  const rows: Row[] = []
  // The parser has a line number too, but counts some line ends twice.
  let line = firstLine
  const handleRecord = (record: string[]): null => {
    const recordLine = line
    line += 1 + countLineEnds(record)
    const isHeader =
      record.length === header.length && record.every((cell, index) => readName(cell, delimiter) === header[index])
    const isEmpty = record.every((cell) => cell === '')
    if (!isHeader && !isEmpty) {
      requireFit(table, record, recordLine)
      const cells = record.map((cell) => readCell(cell, delimiter))
      rows.push(readRow(cells, recordLine))
    }
    // Null keeps the parser from collecting the records.
    return null
  }
  try {
    parse(text, { ...createOptions(delimiter), on_record: handleRecord })
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new RefusedFileError(subject, [describeQuotation(error, header, line)])
  }
  return rows
}

const countLineEnds = (cells: readonly string[]): number =>
  cells.reduce((count, cell) => count + (cell.match(lineEnd)?.length ?? 0), 0)

export const lineEnd = /\r\n|\n|\r/g

/** Whether the text of a cell may be parts of rows that a wrong quotation mark has joined. */
export const mayBeJoinedRows = (cell: string, delimiter: string): boolean =>
  cell.includes(delimiter) && cell.match(lineEnd) !== null

/**
 * Checks that a row has a cell for each name of the header, and no other cells. Empty cells and names at the end do not
 * count: some programs end each row with a delimiter but not the header, and some spreadsheets with several.
 *
 * @throws RefusedFileError if it has not
 */
const requireFit = ({ subject, header }: Table, record: readonly string[], line: number): void => {
  const leastLength = header.findLastIndex((name) => name !== '') + 1
  const usedLength = record.findLastIndex((cell) => cell !== '') + 1
  if (record.length >= leastLength && usedLength <= header.length) return
  throw new RefusedFileError(subject, [
    `line ${line}, which begins with ${quoteNames(record.slice(0, 1))}, has ${record.length} cells, and the header ` +
      `has ${header.length}. If it is the last line, the file is cut; else put the cell that has a delimiter into ` +
      'quotation marks.',
  ])
}

const describeQuotation = (error: CsvError, header: readonly string[], line: number): string => {
  // The error has the index of the cell that the parser was reading.
  const { column: index } = error
  const name = quoteNames([(typeof index === 'number' ? header[index] : undefined) ?? ''])
  return error.code === 'CSV_QUOTE_NOT_CLOSED'
    ? `line ${line}: the cell ${name} begins with a quotation mark that is never closed. The file may be cut.`
    : `line ${line}: the cell ${name} has a quotation mark inside of quotation marks. It must be doubled.`
}

/** Maximum number of names that a message shows, and of characters of each. */
const maximumShownNames = 30
const maximumShownLength = 50

/** Quotes names for a message. */
export const quoteNames = (names: readonly string[]): string => {
  const shown = names
    .slice(0, maximumShownNames)
    .map((name) => makePrintable(`"${[...name].slice(0, maximumShownLength).join('')}"`))
  return names.length > maximumShownNames ? `${shown.join(', ')} and more` : shown.join(', ')
}

/**
 * Pattern of a text that gets an apostrophe before it: a spreadsheet would run a cell such as `=1+1` as a formula. A
 * text that begins with an apostrophe gets another one, so that each cell is read back as it was.
 */
const formulaBeginning = /^[=+\-@'\t\r]/

/** Pattern of a text that has got such an apostrophe. */
const escapedBeginning = /^'[=+\-@'\t\r]/

/** Puts an apostrophe before a text that a spreadsheet would run as a formula. */
export const escapeFormula = (text: string): string => (formulaBeginning.test(text) ? `'${text}` : text)

/** A text in quotation marks, within which a quotation mark is doubled. */
const quotedText = /^"((?:[^"]|"")*)"$/

/** A formula such as `="007"`, by which some programs keep spreadsheets from reading a text as a number. */
const textFormula = /^="((?:[^"]|"")*)"$/

/** Reads the text of a cell. The parser leaves the quotation marks of TSV around it. */
const readCell = (cell: string, delimiter: string): string => {
  if (escapedBeginning.test(cell)) return cell.slice(1)
  const text = isTsv(delimiter) ? unwrap(cell, quotedText) : cell
  return unwrap(text, textFormula)
}

const unwrap = (cell: string, wrapped: RegExp): string => wrapped.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell
