import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { MemberNameError, parseExactJson } from '../../../../shared/exact-json.ts'
import { makePrintable } from '../../../command-line/printable.ts'
import { UserError } from '../../../command-line/user-error.ts'
import { checkRow, type PetRow, type RowValues } from './check-row.ts'
import { columns, unescapeCell } from './format.ts'

const maximumShownMistakes = 100

const missingVersion =
  'version is missing, so nothing shows whether somebody else has changed the pet. ' +
  'Export the pets again, and change that file; or add --overwrite'

interface Mistake {
  readonly line: number
  /** A sentence without its full stop. */
  readonly text: string
}

/** Receives the rows of a file and the mistakes in its syntax, in the order of the file. */
interface RowReceiver {
  readonly addRow: (line: number, values: RowValues) => void
  readonly addMistake: (line: number, text: string) => void
}

/**
 * Reads the rows of a file, CSV or JSON Lines.
 *
 * @param overwrite whether rows with an id may lack a version
 * @throws UserError that lists the mistakes of the whole file
 */
export const readRows = (file: Buffer, overwrite: boolean): readonly PetRow[] => {
  const text = decodeText(file)
  const rows: PetRow[] = []
  const mistakes: Mistake[] = []

  const addMistake = (line: number, mistake: string): void => {
    mistakes.push({ line, text: mistake })
  }
  const addRow = (line: number, values: RowValues): void => {
    const checked = checkRow(line, values)
    if (checked.mistakes.length === 0) {
      rows.push(checked.row)
      return
    }
    for (const mistake of checked.mistakes) addMistake(line, mistake)
  }

  // An array is not accepted, but is reported as JSON, not as CSV.
  const isJson = /^\s*[{[]/.test(text)
  if (isJson) readJsonLines(text, { addRow, addMistake })
  else readCsv(text, { addRow, addMistake })

  const missingVersions = overwrite ? [] : findMissingVersions(rows)
  const allMistakes = [...mistakes, ...findRepeatedIds(rows), ...missingVersions]
  if (allMistakes.length > 0) throw new UserError(describeMistakes(allMistakes))
  return rows
}

const describeMistakes = (mistakes: readonly Mistake[]): string => {
  const sorted = mistakes.toSorted((one, other) => one.line - other.line)
  const lines = sorted.slice(0, maximumShownMistakes).map(({ line, text }) => `Line ${line}: ${text}.`)
  const hasMore = mistakes.length > maximumShownMistakes
  return ['Nothing is written.', ...lines, ...(hasMore ? ['There are more.'] : [])].join('\n')
}

/** @throws UserError if the file is empty, or not UTF-8 */
const decodeText = (file: Buffer): string => {
  if (!isUtf8(file)) {
    throw new UserError(
      `Line ${findUndecodableLine(file)} is not UTF-8. Save it as UTF-8, in a spreadsheet as "CSV UTF-8".`,
    )
  }
  const text = file.toString().replace(/^\ufeff/, '')
  if (text.trim() === '') throw new UserError('The file is empty.')
  return text
}

/** Finds the number of the first line that is not UTF-8. */
const findUndecodableLine = (file: Buffer): number => {
  // Latin 1 has a character for each byte, so its text has the same lines, and is encoded back without a loss.
  const lines = file.toString('latin1').split('\n')
  return lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1'))) + 1
}

const findRepeatedIds = (rows: readonly PetRow[]): readonly Mistake[] => {
  const lineOfId = new Map<bigint, number>()
  const mistakes: Mistake[] = []
  for (const { id, line } of rows) {
    if (id === undefined) continue
    const earlierLine = lineOfId.get(id)
    if (earlierLine !== undefined) mistakes.push({ line, text: `the id ${id} is in line ${earlierLine} too` })
    lineOfId.set(id, line)
  }
  return mistakes
}

/**
 * Returns one mistake, for the first row with an id that lacks a version, or none. One is enough: in a file without
 * versions all rows lack theirs.
 */
const findMissingVersions = (rows: readonly PetRow[]): readonly Mistake[] => {
  const row = rows.find(({ id, version }) => id !== undefined && version === undefined)
  return row === undefined ? [] : [{ line: row.line, text: missingVersion }]
}

/** Reads JSON Lines. Only a line feed ends a line, because a JSON string may contain other line separators. */
const readJsonLines = (text: string, { addRow, addMistake }: RowReceiver): void => {
  for (const [index, json] of text.split('\n').entries()) {
    if (json.trim() === '') continue
    const line = index + 1
    const values = parseJsonLine(json)
    if (typeof values === 'string') addMistake(line, values)
    else addRow(line, values)
  }
}

/** @returns the values, or the mistake in the syntax of the line */
const parseJsonLine = (json: string): RowValues | string => {
  try {
    const value: unknown = parseExactJson(json)
    return isJsonObject(value) ? value : 'it is no JSON object'
  } catch (error) {
    return error instanceof MemberNameError ? `it ${error.message}` : 'it is not JSON'
  }
}

const isJsonObject = (value: unknown): value is RowValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readCsv = (text: string, { addRow, addMistake }: RowReceiver): void => {
  let header: readonly string[] | undefined
  // The parser has a line number too, but counts some line ends twice.
  let line = 1

  const readRecord = (cells: readonly string[]): void => {
    // Spreadsheets write lines of delimiters alone at the end.
    const isEmpty = cells.every((cell) => cell === '')
    if (isEmpty) return
    if (header === undefined) {
      header = readHeader(cells)
      return
    }
    if (cells.length !== header.length) {
      const lengths = `it has ${cells.length} values, but the header has ${header.length} columns`
      addMistake(line, `${lengths}. Put a value with a delimiter in quotation marks`)
      return
    }
    addRow(line, readCells(header, cells))
  }

  const options = {
    delimiter: chooseDelimiter(text),
    // A file that several programs have edited has several kinds of line ends.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    on_record: (cells: string[]) => {
      readRecord(cells)
      line += 1 + countLineEnds(cells)
      // Null keeps the parser from collecting the records.
      return null
    },
  }
  try {
    parse(text, options)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // Do not read on: after this mistake the parser would take opening quotation marks for closing ones.
    addMistake(line, 'a quotation mark is not closed, or is not doubled within a value in quotation marks')
  }
}

const countLineEnds = (cells: readonly string[]): number => cells.join('').match(/\r\n|\n|\r/g)?.length ?? 0

/** Chooses the delimiter that the first line contains most often. No column has one in its name. */
const chooseDelimiter = (text: string): string => {
  const [header = ''] = text.trimStart().split(/[\r\n]/, 1)
  const countParts = (delimiter: string): number => header.split(delimiter).length

  let chosen = ','
  for (const delimiter of [';', '\t']) {
    if (countParts(delimiter) > countParts(chosen)) chosen = delimiter
  }
  return chosen
}

/** @throws UserError if a name is no column, or is repeated */
const readHeader = (cells: readonly string[]): readonly string[] => {
  const header = cells.map((cell) => cell.trim())
  const wrongNames = header.filter((name, index) => !columns.includes(name) || header.indexOf(name) !== index)
  if (wrongNames.length === 0) return header

  const shownNames = wrongNames.map((name) => `"${makePrintable(name)}"`).join(', ')
  throw new UserError(`Line 1 must name the columns of a pet, each once: ${columns.join(', ')}. It has ${shownNames}.`)
}

/** Reads the values of a row by their columns. An empty cell is a missing value. */
const readCells = (header: readonly string[], cells: readonly string[]): RowValues => {
  const values: Record<string, string> = {}
  for (const [index, column] of header.entries()) {
    const cell = cells[index] ?? ''
    if (cell !== '') values[column] = unescapeCell(cell)
  }
  return values
}
