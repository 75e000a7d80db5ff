import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { parse } from 'csv-parse'
import { parseExactJson, RepeatedNameError } from '../../../../shared/exact-json.ts'
import { UserError } from '../../../command-line/user-error.ts'
import { checkRow, type Mistake, type PetRow, requiredColumns, type WrongRow } from './check-row.ts'
import { columns, textIn } from './format.ts'

/** Far more than any row has, so that a quotation mark that is never closed does not swallow a whole file. */
const longestRow = 100_000

/**
 * The rows of a file that `checkText` has passed.
 *
 * @throws UserError when the header is wrong
 */
export async function* readRows(file: string): AsyncGenerator<PetRow | WrongRow> {
  const beginning = await readBeginning(file)
  yield* /^\s*[{[]/.test(beginning) ? readJsonLines(file) : readCsv(file, findDelimiter(beginning))
}

/** @throws UserError when the file is empty, or at the first line that is not UTF-8 */
export const checkText = async (file: string): Promise<void> => {
  let line = 0
  for await (const bytes of linesOf(file)) {
    line += 1
    if (isUtf8(bytes)) continue
    throw new UserError(`Line ${line} is not UTF-8. Save it as UTF-8, in a spreadsheet as "CSV UTF-8".`)
  }
  if ((await readBeginning(file)).trim() === '') throw new UserError('The file is empty.')
}

const readBeginning = async (file: string): Promise<string> => {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(10_000))
  return withoutMark(buffer.toString('utf8', 0, bytesRead))
}

/** Without a byte order mark. */
const withoutMark = (text: string): string => text.replace(/^\ufeff/, '')

/** Lines end at line feeds alone: Node.js's `readline` also splits a JSON string at U+2028. */
export async function* linesOf(file: string): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      yield Buffer.concat([...begun, chunk.subarray(start, end)])
      begun = []
      start = end + 1
    }
    begun.push(chunk.subarray(start))
  }
  const last = Buffer.concat(begun)
  if (last.length > 0) yield last
}

/** The delimiter that gives the header the most columns of a pet. */
const findDelimiter = (beginning: string): string => {
  const [header = ''] = beginning.split(/[\r\n]/)
  const known = (delimiter: string): number =>
    header.split(delimiter).filter((name) => columns.includes(name.trim().replace(/^"(.*)"$/, '$1'))).length
  return [',', ';', '\t'].reduce((best, one) => (known(one) > known(best) ? one : best))
}

async function* readCsv(file: string, delimiter: string): AsyncGenerator<PetRow | WrongRow> {
  let line = 1
  let mistake: Mistake | undefined
  const parser = parse({
    bom: true,
    delimiter,
    max_record_size: longestRow,
    // A file that was edited by several programs has several kinds.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_records_with_error: true,
    // The first cell will be the number of the line: the parser's own counts some line ends twice.
    on_record: (cells: string[]) => {
      const begun = line
      line += 1 + (cells.join('').match(/\r\n|\n|\r/g)?.length ?? 0)
      // Spreadsheets write lines of nothing but delimiters at the end.
      return mistake !== undefined || cells.every((cell) => cell === '') ? null : [`${begun}`, ...cells]
    },
    // What follows a wrong quotation mark is misread too, so only the first is reported.
    on_skip: () => {
      mistake ??= { line, text: 'a quotation mark is not closed, or is not doubled within a value in quotation marks' }
    },
  })
  const input = createReadStream(file).on('error', (error) => parser.destroy(error))
  input.pipe(parser)
  let header: readonly string[] | undefined
  const longIds: { readonly line: number; readonly id: string }[] = []
  try {
    for await (const [number, ...cells] of parser as AsyncIterable<string[]>) {
      if (header === undefined) {
        header = readHeader(cells)
        continue
      }
      const line = Number(number)
      const id = cells[header.indexOf('id')] ?? ''
      if (/^\d{16,}$/.test(id)) longIds.push({ line, id })
      yield readCells(header, cells, line)
    }
  } finally {
    input.destroy()
  }
  if (mistake !== undefined) yield { mistakes: [mistake] }
  const [first] = longIds
  // Spreadsheets keep 15 digits, and write a 0 for each further one.
  if (first === undefined || !longIds.every(({ id }) => id.endsWith('0'))) return
  const text =
    'has more than 15 digits and ends with 0, as does every such id in the file: a spreadsheet has rounded it. Export the pets as JSON Lines, and import that'
  yield { mistakes: [{ line: first.line, column: 'id', text }] }
}

/** @throws UserError that names every column that is unknown, doubled or missing */
const readHeader = (cells: readonly string[]): readonly string[] => {
  const header = cells.map((cell) => cell.trim())
  const wrong = [
    ...header.filter((name) => !columns.includes(name)).map((name) => `"${name}" is no column of a pet.`),
    ...columns
      .filter((column) => header.filter((name) => name === column).length > 1)
      .map((name) => `${name} is there twice.`),
    ...requiredColumns(header.includes('id'))
      .filter((column) => !header.includes(column))
      .map((column) => `${column} is missing.`),
  ]
  if (wrong.length === 0) return header
  throw new UserError(`The header in line 1 must have the columns ${columns.join(', ')}: ${wrong.join(' ')}`)
}

const readCells = (header: readonly string[], cells: readonly string[], line: number): PetRow | WrongRow => {
  if (cells.length !== header.length) {
    const text = `it has ${cells.length} values, but the header has ${header.length} columns. Put a value with a delimiter in quotation marks`
    return { mistakes: [{ line, text }] }
  }
  // An empty cell is a value that is not there.
  const present = header.flatMap((name, index) => (cells[index] ? [[name, textIn(cells[index])] as const] : []))
  const { id, version, ...values } = { id: undefined, version: undefined, ...Object.fromEntries(present) }
  return checkRow({ line, id, version, values, isText: true })
}

async function* readJsonLines(file: string): AsyncGenerator<PetRow | WrongRow> {
  let line = 0
  for await (const bytes of linesOf(file)) {
    line += 1
    const json = withoutMark(bytes.toString())
    if (json.trim() !== '') yield readObject(json, line)
  }
}

const readObject = (json: string, line: number): PetRow | WrongRow => {
  const wrong = (text: string): WrongRow => ({ mistakes: [{ line, text }] })
  try {
    const object = parseExactJson(json)
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return wrong('it must be a JSON object')
    const { id: number, version, ...values } = { id: undefined, version: undefined, ...object }
    // By JSON Schema 2.44E+14 is an integer too.
    const [, id] = number === undefined ? [] : (/"id"\s*:\s*("[^"]*"|[^\s,}]+)/.exec(json) ?? ['', String(number)])
    return checkRow({ line, id, version: version === undefined ? version : String(version), values, isText: false })
  } catch (error) {
    if (error instanceof RepeatedNameError) return wrong('it has a field twice')
    if (error instanceof SyntaxError) return wrong('it is not JSON')
    throw error
  }
}
