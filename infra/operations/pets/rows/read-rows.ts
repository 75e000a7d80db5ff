import { isUtf8 } from 'node:buffer'
import { CsvError, parse } from 'csv-parse/sync'
import { parseExactJson, RepeatedNameError } from '../../../../shared/exact-json.ts'
import { withId } from '../../../../shared/pets/pet.ts'
import { printable } from '../../../command-line/printable.ts'
import { UserError } from '../../../command-line/user-error.ts'
import { checkRow, type Mistake, type PetRow, type SourceRow } from './check-row.ts'
import { columns, textIn } from './format.ts'
import { isAsOf } from './version.ts'

const shownMistakes = 100

/**
 * The rows of a file.
 *
 * @param overwrites whether a row with an id may have no version
 * @throws UserError with the mistakes of the whole file
 */
export const readRows = (file: Buffer, overwrites: boolean): readonly PetRow[] => {
  const content = file.subarray(file.indexOf('\ufeff') === 0 ? 3 : 0)
  const wrong = isUtf8(content) ? 0 : [...linesOf(content)].findIndex((line) => !isUtf8(line)) + 1
  if (wrong > 0) throw new UserError(`Line ${wrong} is not UTF-8. Save it as UTF-8, in a spreadsheet as "CSV UTF-8".`)
  const beginning = content.toString('utf8', 0, 10_000).trimStart()
  if (beginning === '') throw new UserError('The file is empty.')
  const rows: PetRow[] = []
  const mistakes: Mistake[] = []
  const take = (source: SourceRow | Mistake): void => {
    const row = 'text' in source ? { mistakes: [source] } : checkRow(source)
    if ('mistakes' in row) mistakes.push(...row.mistakes)
    else rows.push(row)
  }
  const isJson = /^[{[]/.test(beginning)
  if (isJson) readJsonLines(content, take)
  else readCsv(content, delimiterOf(beginning), take)
  const all = [...mistakes, ...mistakesOf(rows, isJson, overwrites)].toSorted((one, other) => one.line - other.line)
  if (all.length === 0) return rows
  const lines = all.slice(0, shownMistakes).map(({ line, text }) => `Line ${line}: ${text}.`)
  throw new UserError(
    ['Nothing is written.', ...lines, all.length > shownMistakes ? 'There are more.' : []].flat().join('\n'),
  )
}

/** What is wrong in all rows together. */
function* mistakesOf(rows: readonly PetRow[], isJson: boolean, overwrites: boolean): Generator<Mistake> {
  const lines = new Map<bigint, number>()
  let isBare = false
  for (const { id, line, version } of rows) {
    if (id === undefined) continue
    const same = lines.get(id)
    if (same !== undefined) yield { line, text: `the id ${id} is in line ${same} too` }
    lines.set(id, line)
    // Said once: a file that lacks them lacks all.
    if (version === undefined && !overwrites && !isBare) yield { line, text: withoutVersion }
    isBare ||= version === undefined
  }
  // Spreadsheets keep 15 digits, and write a 0 for each further one.
  const long = isJson ? [] : [...lines].filter(([id]) => id >= 10n ** 15n)
  const [[, line] = [0, 0]] = long
  if (line > 0 && long.every(([id]) => id % 10n === 0n) && !rows.some(isAsExported)) yield { line, text: wasRounded }
}

/** Its version shows that nothing has changed its id. */
const isAsExported = ({ id, version, values }: PetRow): boolean =>
  id !== undefined && id >= 10n ** 15n && version !== undefined && isAsOf(withId(id, values), version)

const withoutVersion =
  'version is missing, so nothing shows whether somebody else has changed the pet. Export the pets again, and change that file; or add --overwrite'

const wasRounded =
  'id has more than 15 digits and ends with 0, as does every such id in the file: a spreadsheet has rounded it. Export the pets as JSON Lines, and import that'

/** Lines end at line feeds alone: a JSON string may hold the other characters that end one. */
function* linesOf(content: Buffer): Generator<Buffer> {
  for (let start = 0, next = 0; start < content.length; start = next) {
    next = content.indexOf('\n', start) + 1 || content.length
    yield content.subarray(start, next)
  }
}

type Take = (row: SourceRow | Mistake) => void

const readJsonLines = (content: Buffer, take: Take): void => {
  let line = 0
  for (const bytes of linesOf(content)) {
    line += 1
    const json = bytes.toString()
    if (json.trim() !== '') take(readObject(json, line))
  }
}

const readObject = (json: string, line: number): SourceRow | Mistake => {
  try {
    const value = parseExactJson(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { line, fields: { ...value }, isText: false }
    }
    return { line, text: 'it is no JSON object' }
  } catch (error) {
    return { line, text: error instanceof RepeatedNameError ? 'it has a field twice' : 'it is not JSON' }
  }
}

/** The one that the header has most. The names of its columns have none. */
const delimiterOf = (beginning: string): string => {
  const [header = ''] = beginning.split(/[\r\n]/)
  const times = (delimiter: string): number => header.split(delimiter).length
  return [',', ';', '\t'].reduce((best, one) => (times(one) > times(best) ? one : best))
}

const readCsv = (content: Buffer, delimiter: string, take: Take): void => {
  let header: readonly string[] | undefined
  // The parser's own number counts some line ends twice.
  let line = 1
  const takeCells = (cells: readonly string[]): void => {
    // Spreadsheets write lines of nothing but delimiters at the end.
    if (cells.every((cell) => cell === '')) return
    if (header === undefined) header = readHeader(cells)
    else if (cells.length !== header.length) {
      const text = `it has ${cells.length} values, but the header has ${header.length} columns. Put a value with a delimiter in quotation marks`
      take({ line, text })
    } else {
      // An empty cell is a value that is not there.
      const present = header.flatMap((name, index) => (cells[index] ? [[name, textIn(cells[index])] as const] : []))
      take({ line, fields: Object.fromEntries(present), isText: true })
    }
  }
  const options = {
    delimiter,
    // Far more than any row has, so that a quotation mark that is never closed does not swallow a whole file.
    max_record_size: 100_000,
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
    parse(content, options)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // What follows would be misread.
    take({ line, text: 'a quotation mark is not closed, or is not doubled within a value in quotation marks' })
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
