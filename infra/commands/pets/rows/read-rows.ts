/** Reading files of pets: CSV or JSON Lines. */
import { parseExactJson } from '../../../../shared/exact-json.ts'
import { makePrintable } from '../../../command-line/printable.ts'
import { formatNumber } from '../../../command-line/report.ts'
import { checkRow, type FileRow, type PetRow, type RowValues } from './check-row.ts'
import { columns } from './columns.ts'
import { type CsvRecord, chooseDelimiter, parseCsv } from './csv.ts'
import { readText } from './read-text.ts'
import { RefusedFileError } from './refused-file-error.ts'
import { readCell } from './spreadsheet-text.ts'

/** Most rows of a file: it is read as a whole. */
const maximumRows = 200_000

/** A mistake in one line, as a sentence without its full stop. */
interface RowMistake {
  readonly line: number
  readonly mistake: string
}

/**
 * Reads and checks the rows of a file.
 *
 * @param file absolute path, or `-` for standard input
 * @param findMistake finds a mistake in a row that the contract allows, as a sentence without its full stop
 * @param mostRows largest number of rows
 * @throws RefusedFileError that lists the mistakes
 */
export const readRows = async (
  file: string,
  findMistake: (row: PetRow) => string | undefined,
  mostRows = maximumRows,
): Promise<readonly PetRow[]> => {
  const rows: PetRow[] = []
  const mistakes: string[] = []
  const linesById = new Map<bigint, number>()

  const checkFileRow = (fileRow: FileRow): readonly string[] => {
    const row = checkRow(fileRow)
    if (!('id' in row)) return row
    const earlierLine = linesById.get(row.id)
    if (earlierLine !== undefined) return [`the id ${row.id} is in line ${earlierLine} too`]
    linesById.set(row.id, row.line)
    rows.push(row)
    const mistake = findMistake(row)
    return mistake === undefined ? [] : [mistake]
  }

  let rowCount = 0
  parseRows(await readText(file), (fileRow) => {
    rowCount += 1
    if (rowCount > mostRows) throw new RefusedFileError([`It has more than ${formatNumber(mostRows)} rows. Split it.`])
    const rowMistakes = 'mistake' in fileRow ? [fileRow.mistake] : checkFileRow(fileRow)
    mistakes.push(...rowMistakes.map((mistake) => `Line ${fileRow.line}: ${mistake}.`))
  })
  if (mistakes.length > 0) throw new RefusedFileError(mistakes)
  return rows
}

type HandleRow = (row: FileRow | RowMistake) => void

const parseRows = (text: string, handleRow: HandleRow): void => {
  const [firstCharacter] = text.trimStart()
  if (firstCharacter === '[') {
    throw new RefusedFileError(['It is a JSON array. Write JSON Lines: one object on each line, without brackets.'])
  }
  const parse = firstCharacter === '{' ? parseJsonLines : parseCsvRows
  parse(text, handleRow)
}

/** Parses JSON Lines. Only a line feed ends a line, because a JSON string may contain other line separators. */
const parseJsonLines = (text: string, handleRow: HandleRow): void => {
  for (const [index, json] of text.split('\n').entries()) {
    const line = index + 1
    if (json.trim() === '') continue
    const values = parseJsonLine(json)
    handleRow(typeof values === 'string' ? { line, mistake: values } : { line, values, exposedColumns: [] })
  }
}

/** @returns the values, or the mistake in the line */
const parseJsonLine = (json: string): RowValues | string => {
  try {
    const value: unknown = parseExactJson(json)
    return isJsonObject(value) ? value : 'it is no JSON object'
  } catch {
    return 'it is not JSON. Write one object on each line'
  }
}

const isJsonObject = (value: unknown): value is RowValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseCsvRows = (text: string, handleRow: HandleRow): void => {
  let header: readonly string[] | undefined
  parseCsv(text, chooseDelimiter(text), (record) => {
    const cells = dropEmptyCells(record.cells, header?.length ?? 0)
    // Spreadsheets write lines of delimiters alone at the end.
    const isEmpty = cells.every((cell) => cell === '')
    const isDelimiterLine = header === undefined && /^sep=/i.test(cells[0] ?? '')
    if (isEmpty || isDelimiterLine) return
    if (header === undefined) header = readHeader({ line: record.line, cells })
    else handleRow(readRecord(header, { line: record.line, cells }))
  })
}

/** Drops empty cells at the end of a record that are beyond a number of cells. Spreadsheets write them. */
const dropEmptyCells = (cells: readonly string[], keptCount: number): readonly string[] => {
  let length = cells.length
  while (length > keptCount && cells[length - 1]?.trim() === '') length -= 1
  return cells.slice(0, length)
}

/** @throws RefusedFileError if a name is no column, or is repeated */
const readHeader = ({ line, cells }: CsvRecord): readonly string[] => {
  const header = cells.map((cell) => cell.trim())
  const wrongNames = header.filter((name, index) => !columns.includes(name) || header.indexOf(name) !== index)
  if (wrongNames.length === 0) return header

  const shownNames = wrongNames.map((name) => `"${makePrintable(name)}"`).join(', ')
  throw new RefusedFileError([
    `Line ${line} must name the columns of a pet, each once: ${columns.join(', ')}. It has ${shownNames}.`,
  ])
}

const readRecord = (header: readonly string[], { line, cells }: CsvRecord): FileRow | RowMistake => {
  if (cells.length !== header.length) {
    const lengths = `it has ${cells.length} values, but the header has ${header.length} columns`
    return { line, mistake: `${lengths}. Put a value with a delimiter in quotation marks` }
  }

  const values: Record<string, string | undefined> = {}
  const exposedColumns: string[] = []
  for (const [index, column] of header.entries()) {
    const cell = readCell(cells[index] ?? '')
    values[column] = cell?.text
    if (cell?.isExposed === true) exposedColumns.push(column)
  }
  return { line, values, exposedColumns }
}
