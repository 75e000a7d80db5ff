import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { type Info, parse } from 'csv-parse'
import { parseExactJson, RepeatedNameError } from '../../../shared/exact-json.ts'
import { parseInt64 } from '../../../shared/int64.ts'
import { suggestNearest } from '../../command-line/nearest.ts'
import { UserError } from '../../command-line/user-error.ts'
import { columns, unescapeFormula } from './format.ts'

/** What is wrong in a file, and where. */
export interface Mistake {
  readonly line: number
  readonly column?: string
  readonly text: string
}

/** One row of a file. `id` is its source text; the other values are as the contract's validators take them. */
export interface Row {
  readonly line: number
  readonly id: string | undefined
  readonly values: Readonly<Record<string, unknown>>
}

/** Far more than any row has, so that a quotation mark that is never closed does not swallow a whole file. */
const longestRow = 100_000

/**
 * Reads the rows of a CSV or JSON Lines file, one at a time. A row that cannot be read is a mistake.
 *
 * @throws UserError when nothing in the file can be read: it is empty, or its encoding or header is wrong
 */
export async function* readRows(file: string): AsyncGenerator<Row | Mistake> {
  const beginning = await readBeginning(file)
  if (beginning.trim() === '') throw new UserError('The file is empty.')
  yield* /^\s*[{[]/.test(beginning) ? readJsonLines(file) : readCsv(file, findDelimiter(beginning))
}

/** @throws UserError at the first line that is not UTF-8 */
export const checkEncoding = async (file: string): Promise<void> => {
  let number = 0
  // No byte of a character of several bytes is that of a line break.
  for await (const line of createInterface({ input: createReadStream(file, 'latin1') })) {
    number += 1
    if (isUtf8(Buffer.from(line, 'latin1'))) continue
    throw new UserError(`Line ${number} is not UTF-8. Save it as UTF-8, in a spreadsheet as "CSV UTF-8".`)
  }
}

const readBeginning = async (file: string): Promise<string> => {
  await using handle = await open(file)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(10_000))
  return buffer.toString('utf8', 0, bytesRead).replace(/^\ufeff/, '')
}

/** The delimiter that gives the header the most columns of a pet. */
const findDelimiter = (beginning: string): string => {
  const [header = ''] = beginning.split(/[\r\n]/)
  const known = (delimiter: string): number =>
    header.split(delimiter).filter((name) => columns.some((column) => column === nameOf(name))).length
  const delimiters = [',', ';', '\t']
  return delimiters.reduce((best, one) => (known(one) > known(best) ? one : best))
}

/** The name of a column in a header, in quotes or not. */
const nameOf = (cell: string): string => cell.trim().replace(/^"(.*)"$/, '$1')

async function* readCsv(file: string, delimiter: string): AsyncGenerator<Row | Mistake> {
  let linesRead = 0
  let mistake: Mistake | undefined
  const parser = parse({
    bom: true,
    delimiter,
    info: true,
    max_record_size: longestRow,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_record: (record: string[], { lines }) => {
      linesRead = lines
      return record
    },
    // What follows a wrong quotation mark is misread too, so only the first is reported.
    on_skip: () => {
      mistake ??= { line: linesRead + 1, text: wrongQuotation }
    },
  })
  const input = createReadStream(file).on('error', (error) => parser.destroy(error))
  input.pipe(parser)
  let header: readonly string[] | undefined
  const longIds: Row[] = []
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
      // Spreadsheets write lines of nothing but delimiters at the end.
      if (record.every((cell) => cell === '')) continue
      if (header === undefined) {
        header = readHeader(record)
        continue
      }
      const row = readRecord(header, record, info.lines - linesWithin(record))
      if ('id' in row && longId.test(row.id ?? '')) longIds.push(row)
      yield row
    }
  } finally {
    input.destroy()
  }
  if (mistake !== undefined) yield mistake
  const [first] = longIds
  if (first !== undefined && longIds.every(({ id }) => id?.endsWith('0'))) {
    yield { line: first.line, column: 'id', text: roundedIds }
  }
}

/** Spreadsheets keep 15 digits, and write a 0 for each further one. */
const longId = /^\d{16,}$/

const roundedIds =
  'has more than 15 digits and ends with 0, as does every such id in the file: a spreadsheet has rounded it. Export the pets as JSON Lines, and import that'

const wrongQuotation = 'a quotation mark is not closed, or is not doubled within a value in quotation marks'

const linesWithin = (record: readonly string[]): number => record.join('').match(/\r\n|\n|\r/g)?.length ?? 0

/** @throws UserError that names every column that is unknown, doubled or missing */
const readHeader = (record: readonly string[]): readonly string[] => {
  const header = record.map((cell) => cell.trim())
  const wrong = [
    ...header
      .filter((name) => !columns.some((column) => column === name))
      .map((name) => `"${name}" is no column of a pet. ${suggestNearest(name, columns)}`.trimEnd()),
    ...columns
      .filter((column) => header.filter((name) => name === column).length > 1)
      .map((name) => `${name} is there twice.`),
    ...['name', 'categoryId', ...(header.includes('id') ? ['status'] : [])]
      .filter((column) => !header.includes(column))
      .map((column) => `${column} is missing.`),
  ]
  if (wrong.length === 0) return header
  throw new UserError(`The header in line 1 must have the columns ${columns.join(', ')}: ${wrong.join(' ')}`)
}

const readRecord = (header: readonly string[], record: readonly string[], line: number): Row | Mistake => {
  if (record.length !== header.length) {
    const text = `it has ${record.length} values, but the header has ${header.length} columns. Put a value with a delimiter in quotation marks`
    return { line, text }
  }
  // An empty cell is a value that is not there.
  const cells = new Map(header.map((name, index) => [name, record[index] || undefined]))
  const [id, name, categoryId, status] = columns.map((column) => cells.get(column))
  return {
    line,
    id,
    values: {
      name: unescapeFormula(name ?? ''),
      ...(categoryId !== undefined && { categoryId: parseInt64(categoryId) ?? categoryId }),
      ...(status !== undefined && { status }),
    },
  }
}

async function* readJsonLines(file: string): AsyncGenerator<Row | Mistake> {
  let line = 0
  for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
    line += 1
    const json = line === 1 ? text.replace(/^\ufeff/, '') : text
    if (json.trim() !== '') yield readObject(json, line)
  }
}

const readObject = (json: string, line: number): Row | Mistake => {
  try {
    const object = parseExactJson(json)
    if (typeof object !== 'object' || object === null || Array.isArray(object)) {
      return { line, text: 'it must be a JSON object' }
    }
    const { id: value, ...values } = { id: undefined, ...object }
    // By JSON Schema 2.44E+14 is an integer too.
    const [, id] = value === undefined ? [] : (/"id"\s*:\s*("[^"]*"|[^\s,}]+)/.exec(json) ?? ['', String(value)])
    return { line, id, values }
  } catch (error) {
    if (error instanceof RepeatedNameError) return { line, text: 'it has a field twice' }
    if (error instanceof SyntaxError) return { line, text: 'it is not JSON' }
    throw error
  }
}
