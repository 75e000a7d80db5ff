/** Exports as CSV, which people edit in spreadsheets, and `pets import` reads. */
import { createHash } from 'node:crypto'
import { stringify } from 'csv-stringify/sync'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { type NewPet, type NewPetField, newPetFields, type Pet, petFields } from '../../../shared/pets/pet.ts'
import { checkField, parsePetId, petIdRule, quoteValue } from './pet-fields.ts'
import { nameFile, RefusedFileError, readText } from './read-file.ts'
import { escapeFormula, mayBeJoinedRows, openTable, quoteNames, readRows, type Table } from './read-table.ts'

/** A pet that lists show, with its source and number. */
type SheetPet = Pet & { readonly source?: string | undefined; readonly number?: string | undefined }

const columns: readonly string[] = [...petFields, 'source', 'number', 'version']

/**
 * Computes the version of a pet: a hash of its id and fields. Fields without a value do not count, so an optional field
 * that is added to the contract later does not change the versions of earlier exports.
 *
 * The letter at the beginning keeps spreadsheets from reading a version such as 12E45 as a number.
 */
export const computeVersion = (pet: Readonly<Record<string, unknown>>): string => {
  const presentValues = petFields
    .toSorted()
    .map((field) => [field, pet[field]])
    .filter(([, value]) => value !== undefined)
  const hash = createHash('sha256').update(stringifyExactJson(presentValues)).digest()
  return `v${hash.subarray(0, 12).toString('base64url')}`
}

/** Number of rows of a chunk: each chunk is one write to the file or to standard output. */
const rowsPerChunk = 500

/** Formats pets as CSV, chunk by chunk. */
export function* formatSheet(pets: readonly SheetPet[]): Generator<string> {
  // Without the byte order mark, spreadsheets do not recognize UTF-8.
  yield `\ufeff${columns.join(',')}\n`
  for (let begin = 0; begin < pets.length; begin += rowsPerChunk) {
    const rows = pets.slice(begin, begin + rowsPerChunk).map((pet) => ({ ...pet, version: computeVersion({ ...pet }) }))
    yield stringify(rows, {
      columns: [...columns],
      // Spreadsheets of some countries take a semicolon for the delimiter: without quotation marks, one in a text would
      // split its cell.
      quoted_string: true,
      cast: { string: escapeFormula },
    })
  }
}

/** A row of an export, which somebody may have edited. The contract allows its values. */
export interface Edit {
  /** Number of the line in the file. */
  readonly line: number
  readonly id: bigint
  /** Values by field. Undefined erases the value of an optional field. A field that the file lacks is left out. */
  readonly values: Partial<NewPet>
  /** The version that the pet had when it was exported. */
  readonly version: string
  /** Whether nobody has edited the row since its export: its version is that of its values. */
  readonly isAsExported: boolean
}

/**
 * Reads the rows of an export, which somebody may have edited.
 *
 * @param file absolute path, or `-` for standard input
 * @throws RefusedFileError that lists the mistakes
 */
export const readEdits = async (file: string): Promise<readonly Edit[]> =>
  parseEdits(nameFile(file), await readText(file))

/** Parses the text of an export as `readEdits` does. */
export const parseEdits = (subject: string, text: string): readonly Edit[] => {
  const table = openTable(subject, text, columns)
  checkHeader(table)
  const editsById = new Map<bigint, Edit>()
  const mistakes: string[] = []
  readRows(table, (cells, line) => {
    const row = readEdit(table, cells, line)
    if (row.kind === 'mistaken') {
      mistakes.push(...row.mistakes.map((mistake) => `line ${line}: ${mistake}.`))
      return
    }
    const { edit } = row
    const earlier = editsById.get(edit.id)
    if (earlier === undefined) editsById.set(edit.id, edit)
    else mistakes.push(`line ${line}: the id ${edit.id} is in line ${earlier.line} too.`)
  })
  if (mistakes.length > 0) throw new RefusedFileError(subject, mistakes)
  return [...editsById.values()]
}

const checkHeader = ({ subject, header }: Table): void => {
  const names = header.filter((name) => name !== '')
  // A name is wrong if no export has it, or if it is there twice.
  const wrongNames = names.filter((name, index) => !columns.includes(name) || names.indexOf(name) !== index)
  const missing = ['id', 'version'].filter((name) => !names.includes(name))
  if (wrongNames.length === 0 && missing.length === 0) return
  const faults = [
    ...(missing.length === 0 ? [] : [`lacks ${quoteNames(missing)}`]),
    ...(wrongNames.length === 0 ? [] : [`has ${quoteNames(wrongNames)}`]),
  ]
  throw new RefusedFileError(subject, [
    `the header must have id and version, and may have ${newPetFields.join(', ')}, source and number, each once. It ${faults.join(' and ')}.`,
  ])
}

/** A row that was read, or its mistakes as sentences without their full stops. */
type EditReading =
  | { readonly kind: 'read'; readonly edit: Edit }
  | { readonly kind: 'mistaken'; readonly mistakes: readonly string[] }

const readEdit = ({ header, delimiter }: Table, cells: readonly string[], line: number): EditReading => {
  // An empty cell is no value.
  const given = new Map(header.map((name, index) => [name, cells[index] === '' ? undefined : cells[index]]))
  const { values, mistakes } = readValues(given)
  const idText = given.get('id') ?? ''
  const id = parsePetId(idText)
  if (id === undefined) mistakes.push(`id must be ${petIdRule}; it is ${quoteValue(idText)}`)
  const version = given.get('version')
  if (version === undefined)
    mistakes.push('it has no version, so a change by somebody else cannot be seen. Export again')
  if (id === undefined || version === undefined || mistakes.length > 0) return { kind: 'mistaken', mistakes }

  const isAsExported = version === computeVersion({ ...values, id })
  // A wrong quotation mark may have joined two rows in one cell. A version that fits the values shows that it has not.
  if (!isAsExported && cells.some((cell) => mayBeJoinedRows(cell, delimiter))) {
    const mistake =
      'a cell has the end of a line and a delimiter: a quotation mark may have joined two rows. Use "pets set"'
    return { kind: 'mistaken', mistakes: [mistake] }
  }
  return { kind: 'read', edit: { line, id, values, version, isAsExported } }
}

const readValues = (given: ReadonlyMap<string, string | undefined>) => {
  const mistakes: string[] = []
  const values: Partial<Record<NewPetField, unknown>> = {}
  for (const field of newPetFields.filter((name) => given.has(name))) {
    const check = checkField(field, given.get(field))
    if (check.kind === 'valid') values[field] = check.value
    else mistakes.push(`${field} ${check.mistake}`)
  }
  // Each value is valid by the schema that NewPet is generated from.
  return { values: values as Partial<NewPet>, mistakes }
}
