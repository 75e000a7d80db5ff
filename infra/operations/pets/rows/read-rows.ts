import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { MemberNameError, parseExactJson } from '../../../../shared/exact-json.ts'
import { makePrintable } from '../../../command-line/printable.ts'
import { UserError } from '../../../command-line/user-error.ts'
import { checkRow, type PetRow, type RowValues, readId } from './check-row.ts'
import { columns, conflictColumn, unescapeCell } from './format.ts'
import { decodeLines } from './read-lines.ts'

const maximumShownMistakes = 100

/** Longest record of CSV, in bytes. A quotation mark that is not closed would make the rest of the file one record. */
const maximumRecordBytes = 1_000_000

const missingVersion =
  'version is missing, so nothing shows whether somebody else has changed the pet. ' +
  'Export the pets again, and change that file; or add --overwrite'

interface ReadOptions {
  /** Whether rows with an id may lack a version. */
  readonly overwrite: boolean
  /**
   * Gets each row that has no mistake, in the order of the file.
   *
   * @returns a mistake that only shows among other rows, as a sentence without its full stop
   */
  readonly addRow: (row: PetRow | ExportedRow) => string | undefined
}

/** A row with an id that is exactly as an export has written it. */
export interface ExportedRow {
  readonly line: number
  readonly id: bigint
  /** JSON of the pet, in the row as in its version. */
  readonly json: string
}

/**
 * Reads the rows of a file, CSV or JSON Lines, of any size.
 *
 * @throws UserError that lists the mistakes of the file, at most a hundred
 */
export const readRows = async (chunks: AsyncIterable<Buffer>, { overwrite, addRow }: ReadOptions): Promise<void> => {
  const mistakes = new Mistakes()
  const addMistake = (line: number, text: string): void => mistakes.add(line, text)
  let isVersionMissing = false

  const addValues = (line: number, values: RowValues): void => {
    const { row, mistakes: rowMistakes } = checkRow(line, values)
    for (const mistake of rowMistakes) addMistake(line, mistake)
    if (row === undefined) return

    // One such mistake is enough: in a file without versions all rows lack theirs.
    const lacksVersion = row.id !== undefined && row.version === undefined
    if (lacksVersion && !overwrite && !isVersionMissing) {
      isVersionMissing = true
      addMistake(line, missingVersion)
    }
    const mistake = addRow(row)
    if (mistake !== undefined) addMistake(line, mistake)
  }

  const addExported = (row: ExportedRow): void => {
    const mistake = addRow(row)
    if (mistake !== undefined) addMistake(row.line, mistake)
  }

  await readText(chunks, { addValues, addExported, addMistake })
  mistakes.throwIfAny()
}

/**
 * Checks rows that nobody has edited, which `readRows` does not parse. The contract may have changed since their
 * export.
 *
 * @throws UserError that lists the mistakes of the rows, at most a hundred
 */
export const checkExportedRows = async (rows: AsyncIterable<ExportedRow>): Promise<void> => {
  const mistakes = new Mistakes()
  for await (const { line, json } of rows) {
    const values = parseJsonLine(json)
    if (typeof values === 'string') mistakes.add(line, values)
    else for (const mistake of checkRow(line, values).mistakes) mistakes.add(line, mistake)
  }
  mistakes.throwIfAny()
}

/** The mistakes of a file, in the order of their lines. */
class Mistakes {
  readonly #sentences: string[] = []

  /**
   * @param text the mistake as a sentence without its full stop
   * @throws UserError that lists the mistakes, if they are too many
   */
  add(line: number, text: string): void {
    if (this.#sentences.length === maximumShownMistakes) {
      this.#sentences.push('There are more.')
      this.throwIfAny()
    }
    this.#sentences.push(`Line ${line}: ${text}.`)
  }

  throwIfAny(): void {
    if (this.#sentences.length > 0) throw new UserError(['Nothing is written.', ...this.#sentences].join('\n'))
  }
}

/** Receives the values of each row, and the mistakes in the syntax of a file, in the order of the file. */
interface ValuesReceiver {
  readonly addValues: (line: number, values: RowValues) => void
  readonly addExported: (row: ExportedRow) => void
  readonly addMistake: (line: number, text: string) => void
}

/** @throws UserError if the file is empty */
const readText = async (chunks: AsyncIterable<Buffer>, receiver: ValuesReceiver): Promise<void> => {
  const blocks = decodeLines(chunks)
  const first = await blocks.next()
  const firstBlock = first.done === true ? '' : first.value.replace(/^\ufeff/, '')
  if (firstBlock.trim() === '') throw new UserError('The file is empty.')

  async function* listBlocks() {
    yield firstBlock
    yield* blocks
  }
  // An array is not accepted, but is reported as JSON, not as CSV.
  const isJson = /^\s*[{[]/.test(firstBlock)
  if (isJson) await readJsonLines(listBlocks(), receiver)
  else await readCsv(listBlocks(), chooseDelimiter(firstBlock), receiver)
}

/** The JSON of a pet, with its version as the last member. */
const exportedLine = /^(\{"id":(\d+),.*),"version":"([\w-]+)"\}$/

/** Reads JSON Lines. Only a line feed ends a line, because a JSON string may contain other line separators. */
const readJsonLines = async (blocks: AsyncIterable<string>, receiver: ValuesReceiver): Promise<void> => {
  let line = 0
  for await (const block of blocks) {
    for (const json of block.replace(/\n$/, '').split('\n')) {
      line += 1
      if (json.trim() !== '') readJsonLine(line, json, receiver)
    }
  }
}

const readJsonLine = (line: number, json: string, { addValues, addExported, addMistake }: ValuesReceiver): void => {
  const exported = findExportedRow(line, json)
  if (exported !== undefined) {
    addExported(exported)
    return
  }
  const values = parseJsonLine(json)
  if (typeof values === 'string') addMistake(line, values)
  else addValues(line, values)
}

/** Recognizes a line that nobody has edited. To parse and check such a line would take ten times as long. */
const findExportedRow = (line: number, text: string): ExportedRow | undefined => {
  const [, begin = '', digits = '', version = ''] = exportedLine.exec(text) ?? []
  const json = `${begin}}`
  const id = readId(digits)
  const isUnedited = Buffer.from(version, 'base64url').toString() === json
  return isUnedited && id !== undefined ? { line, id, json } : undefined
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

const readCsv = async (
  blocks: AsyncIterable<string>,
  delimiter: string,
  { addValues, addMistake }: ValuesReceiver,
): Promise<void> => {
  let header: readonly string[] | undefined
  // The parser has a line number too, but counts some line ends twice.
  let line = 1

  const readFirstRecord = (record: readonly string[]): void => {
    const cells = dropEmptyCells(record, 0)
    const isDelimiterLine = /^sep=/i.test(cells[0] ?? '')
    if (cells.length > 0 && !isDelimiterLine) header = readHeader(line, cells)
  }
  const readRow = (names: readonly string[], record: readonly string[]): void => {
    const cells = dropEmptyCells(record, names.length)
    // Spreadsheets write lines of delimiters alone at the end.
    const isEmpty = cells.every((cell) => cell === '')
    if (isEmpty) return
    if (cells.length === names.length) {
      addValues(line, readCells(names, cells))
      return
    }
    const lengths = `it has ${cells.length} values, but the header has ${names.length} columns`
    addMistake(line, `${lengths}. Put a value with a delimiter in quotation marks`)
  }

  const parser = parse({
    delimiter,
    // A file that several programs have edited has several kinds of line ends.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: maximumRecordBytes,
    on_record: (cells: string[]) => {
      if (header === undefined) readFirstRecord(cells)
      else readRow(header, cells)
      line += 1 + countLineEnds(cells)
      // Null keeps the parser from collecting the records.
      return null
    },
  })
  // Nothing reads the records, of which there are none.
  parser.resume()
  try {
    await pipeline(blocks, parser)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // Do not read on: after this mistake the parser would take opening quotation marks for closing ones.
    addMistake(line, 'a quotation mark is not closed, or is not doubled within a value in quotation marks')
  }
}

/** Drops empty cells at the end of a record that are beyond a number of cells. Spreadsheets write them. */
const dropEmptyCells = (cells: readonly string[], keptCount: number): readonly string[] => {
  let length = cells.length
  while (length > keptCount && cells[length - 1]?.trim() === '') length -= 1
  return cells.slice(0, length)
}

const countLineEnds = (cells: readonly string[]): number => {
  const text = cells.join('')
  return /[\r\n]/.test(text) ? (text.match(/\r\n|\n|\r/g)?.length ?? 0) : 0
}

/**
 * Chooses the delimiter: the one that a first line such as `sep=;` names, otherwise the one that the first line
 * contains most often. No column has one in its name.
 */
const chooseDelimiter = (text: string): string => {
  const [firstLine = ''] = text.trimStart().split(/[\r\n]/, 1)
  const namedDelimiter = /^"?sep=([,;\t])/i.exec(firstLine)?.[1]
  if (namedDelimiter !== undefined) return namedDelimiter

  const countParts = (delimiter: string): number => firstLine.split(delimiter).length
  let chosen = ','
  for (const delimiter of [';', '\t']) {
    if (countParts(delimiter) > countParts(chosen)) chosen = delimiter
  }
  return chosen
}

/** @throws UserError if a name is no column, or is repeated */
const readHeader = (line: number, cells: readonly string[]): readonly string[] => {
  const header = cells.map((cell) => cell.trim())
  const knownNames = [...columns, conflictColumn]
  const wrongNames = header.filter((name, index) => !knownNames.includes(name) || header.indexOf(name) !== index)
  if (wrongNames.length === 0) return header

  const shownNames = wrongNames.map((name) => `"${makePrintable(name)}"`).join(', ')
  const rule = `Line ${line} must name the columns of a pet, each once: ${columns.join(', ')}`
  throw new UserError(`${rule}. It has ${shownNames}.`)
}

/** Reads the values of a row by their columns. An empty cell is a value that was removed: undefined. */
const readCells = (header: readonly string[], cells: readonly string[]): RowValues => {
  const values: Record<string, string | undefined> = {}
  for (const [index, column] of header.entries()) {
    const cell = cells[index] ?? ''
    values[column] = cell === '' ? undefined : unescapeCell(cell)
  }
  return values
}
