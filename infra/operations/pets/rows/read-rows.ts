import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { parseExactJson } from '../../../../shared/exact-json.ts'
import { printable } from '../../../command-line/printable.ts'
import { UserError } from '../../../command-line/user-error.ts'
import { checkRow, type Fields, type PetRow, type Tell } from './check-row.ts'
import { columns, textIn } from './format.ts'

const shownMistakes = 100

/**
 * The rows of a file.
 *
 * @param overwrites whether a row with an id may have no version
 * @throws UserError with the mistakes of the whole file
 */
export const readRows = (file: Buffer, overwrites: boolean): readonly PetRow[] => {
  const text = textOf(file)
  const rows: PetRow[] = []
  const mistakes: { readonly line: number; readonly text: string }[] = []
  const tell: Tell = (line, mistake) => void mistakes.push({ line, text: `Line ${line}: ${mistake}.` })
  const take = (line: number, fields: Fields): void => {
    const before = mistakes.length
    const row = checkRow(line, fields, tell)
    if (mistakes.length === before) rows.push(row)
  }
  const read = /^\s*[{[]/.test(text) ? readJsonLines : readCsv
  read(text, take, tell)
  compareRows(rows, overwrites, tell)
  if (mistakes.length === 0) return rows
  const lines = mistakes.toSorted((one, other) => one.line - other.line).map((mistake) => mistake.text)
  if (lines.length > shownMistakes) lines.splice(shownMistakes, lines.length, 'There are more.')
  throw new UserError(['Nothing is written.', ...lines].join('\n'))
}

const textOf = (file: Buffer): string => {
  if (!isUtf8(file)) {
    // Each byte is a character of Latin 1.
    const lines = file.toString('latin1').split('\n')
    const wrong = lines.findIndex((line) => !isUtf8(Buffer.from(line, 'latin1')))
    throw new UserError(`Line ${wrong + 1} is not UTF-8. Save it as UTF-8, in a spreadsheet as "CSV UTF-8".`)
  }
  const text = file.toString().replace(/^\ufeff/, '')
  if (text.trim() === '') throw new UserError('The file is empty.')
  return text
}

/** Tells what is wrong in all rows together. */
const compareRows = (rows: readonly PetRow[], overwrites: boolean, tell: Tell): void => {
  const lines = new Map<bigint, number>()
  for (const { id, line } of rows) {
    if (id === undefined) continue
    const same = lines.get(id)
    if (same !== undefined) tell(line, `the id ${id} is in line ${same} too`)
    lines.set(id, line)
  }
  // Said once: a file that lacks them lacks all.
  const bare = rows.find(({ id, version }) => id !== undefined && version === undefined)
  if (bare !== undefined && !overwrites) tell(bare.line, withoutVersion)
}

const withoutVersion =
  'version is missing, so nothing shows whether somebody else has changed the pet. Export the pets again, and change that file; or add --overwrite'

type Read = (text: string, take: (line: number, fields: Fields) => void, tell: Tell) => void

/** Lines end at line feeds alone: a JSON string may hold the other characters that end one. */
const readJsonLines: Read = (text, take, tell) => {
  for (const [index, json] of text.split('\n').entries()) {
    const line = index + 1
    try {
      const value: unknown = json.trim() === '' ? undefined : parseExactJson(json)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) take(line, { ...value })
      else if (value !== undefined) tell(line, 'it is no JSON object')
    } catch {
      tell(line, 'it is not JSON, or has a field twice')
    }
  }
}

/** The one that the header has most. The names of its columns have none. */
const delimiterOf = (text: string): string => {
  const [header = ''] = text.trimStart().split(/[\r\n]/, 1)
  const times = (delimiter: string): number => header.split(delimiter).length
  return [',', ';', '\t'].reduce((best, one) => (times(one) > times(best) ? one : best))
}

const readCsv: Read = (text, take, tell) => {
  let header: readonly string[] | undefined
  // The parser's own number counts some line ends twice.
  let line = 1
  const takeCells = (cells: readonly string[]): void => {
    // Spreadsheets write lines of nothing but delimiters at the end.
    if (cells.every((cell) => cell === '')) return
    if (header === undefined) header = readHeader(cells)
    else if (cells.length !== header.length) {
      const lengths = `it has ${cells.length} values, but the header has ${header.length} columns`
      tell(line, `${lengths}. Put a value with a delimiter in quotation marks`)
    } else {
      // An empty cell is a value that is not there.
      const present = header.flatMap((name, index) => (cells[index] ? [[name, textIn(cells[index])] as const] : []))
      take(line, Object.fromEntries(present))
    }
  }
  const options = {
    delimiter: delimiterOf(text),
    // A file that was edited by several programs has several kinds.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    on_record: (cells: string[]) => {
      takeCells(cells)
      line += 1 + (cells.join('').match(/\r\n|\n|\r/g)?.length ?? 0)
      return null
    },
  }
  try {
    parse(text, options)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // What follows would be misread.
    tell(line, 'a quotation mark is not closed, or is not doubled within a value in quotation marks')
  }
}

const readHeader = (cells: readonly string[]): readonly string[] => {
  const header = cells.map((cell) => cell.trim())
  const wrong = header.filter((name, index) => !columns.includes(name) || header.indexOf(name) !== index)
  if (wrong.length === 0) return header
  const names = wrong.map((name) => `"${printable(name)}"`)
  throw new UserError(
    `Line 1 must name the columns of a pet, each once: ${columns.join(', ')}. It has ${names.join(', ')}.`,
  )
}
