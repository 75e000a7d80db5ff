/** Reading a shelter's file of one night by the settings of the shelter. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { createPet } from '../../../shared/contract/generated/create-pet.ts'
import { makePrintable } from '../../command-line/printable.ts'
import { formatCount } from '../../command-line/report.ts'
import { maximumNumberLength, type RowFields } from '../changes/stored-pet.ts'
import { toComparingForm } from '../files/comparing-form.ts'
import { decodeText, RefusedFileError, readBytes } from '../files/read-file.ts'
import { lineEnd, mayBeJoinedRows, openTable, quoteNames, readRows, type Table } from '../files/read-table.ts'
import { type MappedColumn, readSettings, type SourceSettings } from './settings.ts'

/** An animal as the file of its shelter has it. */
export interface FileAnimal extends RowFields {
  readonly number: string
}

/** An animal whose row cannot be understood, so that its pet stays as it is. */
interface UnknownAnimal {
  readonly number: string
  readonly line: number
  /** A sentence without its full stop. */
  readonly reason: string
}

/** The animals of a file. Each number is either in `animals` or in `unknown`. */
interface FileContent {
  /** Animals by their numbers, which are in the comparing form. */
  readonly animals: ReadonlyMap<string, FileAnimal>
  readonly unknown: readonly UnknownAnimal[]
  /** Sentences about the file that a person should read. */
  readonly findings: readonly string[]
  /** Sentences about the file that need nobody's attention. */
  readonly notes: readonly string[]
}

/** The input of `pets sync` for one night: the content of the shelter's file, and the settings that apply to it. */
export interface Night extends FileContent, Pick<SourceSettings, 'source' | 'lossPercent'> {
  /** SHA-256 of the settings' bytes. */
  readonly settingsHash: string
  readonly fileName: string
  /** SHA-256 of the file's bytes. */
  readonly fileHash: string
}

/**
 * Reads a file whole, and checks all of it.
 *
 * @param paths absolute paths
 * @throws UsageError about the settings
 * @throws RefusedFileError that says what is wrong with the file
 */
export const readNight = async (paths: { readonly file: string; readonly settings: string }): Promise<Night> => {
  const settings = readSettings(paths.settings)
  const { source, lossPercent, hash } = settings
  const bytes = await readBytes(paths.file, source)
  return {
    source,
    lossPercent,
    settingsHash: hash,
    fileName: basename(paths.file),
    fileHash: createHash('sha256').update(bytes).digest('base64url'),
    ...parseShelterFile(bytes, settings),
  }
}

/** The settings that the content of a file depends on. */
type ReadingSettings = Pick<SourceSettings, 'source' | 'columns' | 'categories' | 'statuses' | 'encoding'>

/** @throws RefusedFileError that says what is wrong with the file */
export const parseShelterFile = (bytes: Buffer, settings: ReadingSettings): FileContent => {
  const { source, encoding } = settings
  const decoded = decodeText(bytes, encoding)
  // UTF-16 without a byte order mark looks like UTF-8 with a NUL at each letter.
  if (decoded === undefined || decoded.text.includes('\0')) {
    throw new RefusedFileError(source, [
      `the file is not ${encoding ?? 'UTF-8'}, or it ends inside of a character. ` +
        'If it has another encoding, name it in the settings, such as "encoding: windows-1252".',
    ])
  }
  const rows = parseRows(decoded.text, settings)
  const { animals, unknown } = mapRows(rows, settings)
  const findings = [...Map.groupBy(unknown, ({ reason }) => reason)].map(([reason, group]) =>
    formatFinding(reason, group),
  )
  if (decoded.isUnexpectedUtf8) {
    findings.unshift(`the file is UTF-8, and is read so. Take "encoding: ${encoding}" out of the settings.`)
  }
  const nameless = rows.filter(({ name, number }) => name === '' && animals.has(number))
  const notes = nameless.length === 0 ? [] : [formatFinding('without a name, so shown by number', nameless)]
  return { animals, unknown, findings, notes }
}

/** The cells of a row that the settings name. */
interface ShelterRow extends Readonly<Record<MappedColumn, string>> {
  readonly line: number
}

const parseRows = (text: string, settings: ReadingSettings): readonly ShelterRow[] => {
  const { source, columns } = settings
  const table = openTable(source, text, Object.values(columns))
  checkHeader(table, columns)
  return readRows(table, (cells, line) => {
    const row = pickCells(table, columns, cells)
    if (hasJoinedRows(table, settings, cells)) {
      throw new RefusedFileError(source, [
        `line ${line}: a quotation mark joins this row with later ones. Close it in its own cell, or double it if it ` +
          'is part of the text.',
      ])
    }
    const number = toComparingForm(row.number)
    checkNumber(source, number, columns.number, line)
    return {
      line,
      number,
      // The name is shown to people, so it keeps its inner white space and invisible characters, such as those that
      // join emoji. A name that has nothing else counts as empty.
      name: toComparingForm(row.name) === '' ? '' : row.name.normalize('NFC').trim(),
      category: toComparingForm(row.category),
      status: toComparingForm(row.status),
    }
  })
}

const checkHeader = ({ subject, header }: Table, columns: SourceSettings['columns']): void => {
  const names = Object.values(columns)
  const missing = names.filter((name) => !header.includes(name))
  if (missing.length > 0) {
    throw new RefusedFileError(subject, [`the header lacks ${quoteNames(missing)}. It has ${quoteNames(header)}.`])
  }
  const repeated = names.filter((name) => header.indexOf(name) !== header.lastIndexOf(name))
  if (repeated.length > 0) throw new RefusedFileError(subject, [`the header has ${quoteNames(repeated)} twice.`])
}

const pickCells = (
  { header }: Table,
  columns: SourceSettings['columns'],
  cells: readonly string[],
): Readonly<Record<MappedColumn, string>> => {
  // A row may lack empty cells at its end.
  const pick = (column: MappedColumn): string => cells[header.indexOf(columns[column])] ?? ''
  return { number: pick('number'), name: pick('name'), category: pick('category'), status: pick('status') }
}

/**
 * Whether a quotation mark has joined rows: a cell that the settings name has the end of a line and a delimiter, or
 * several lines of the row have a category and a status of the settings. Line ends and delimiters in other cells are
 * text.
 */
const hasJoinedRows = (
  table: Table,
  { columns, categories, statuses }: ReadingSettings,
  cells: readonly string[],
): boolean => {
  const { delimiter } = table
  if (Object.values(pickCells(table, columns, cells)).some((cell) => mayBeJoinedRows(cell, delimiter))) return true
  const lines = cells.join(delimiter).split(lineEnd)
  if (lines.length === 1) return false
  const rows = lines.filter((line) => {
    const { category, status } = pickCells(table, columns, line.split(delimiter))
    return categories.has(toComparingForm(category)) && statuses.has(toComparingForm(status))
  })
  return rows.length > 1
}

const checkNumber = (subject: string, number: string, column: string, line: number): void => {
  if (number === '') {
    throw new RefusedFileError(subject, [`line ${line} has no number: its ${quoteNames([column])} is empty.`])
  }
  if ([...number].length > maximumNumberLength) {
    throw new RefusedFileError(subject, [
      `line ${line}: its ${quoteNames([column])} has more than ${maximumNumberLength} characters.`,
    ])
  }
}

/** Maps rows to animals. Equal rows are one animal. If rows with one number differ, the animal is unknown. */
const mapRows = (rows: readonly ShelterRow[], settings: ReadingSettings): Pick<FileContent, 'animals' | 'unknown'> => {
  const animals = new Map<string, FileAnimal>()
  const unknown = new Map<string, UnknownAnimal>()
  for (const row of rows) {
    const { number, line } = row
    const animal = mapRow(row, settings)
    const earlier = animals.get(number)
    // Only an unknown animal has a reason.
    if ('reason' in animal) unknown.set(number, animal)
    else if (earlier === undefined) animals.set(number, animal)
    else if (!isSameAnimal(animal, earlier))
      unknown.set(number, { number, line, reason: 'rows with the same number differ' })
  }
  // An animal with an unknown row is unknown, even if another row of it can be understood.
  for (const number of unknown.keys()) animals.delete(number)
  return { animals, unknown: [...unknown.values()] }
}

const isSameAnimal = (one: FileAnimal, other: FileAnimal): boolean =>
  toComparingForm(one.name) === toComparingForm(other.name) &&
  one.categoryId === other.categoryId &&
  one.status === other.status

/** Maps a row to its animal, which is unknown if the settings lack a word of the row, or the name is not valid. */
const mapRow = (row: ShelterRow, { categories, statuses }: ReadingSettings): FileAnimal | UnknownAnimal => {
  const { number, line } = row
  const status = statuses.get(row.status)
  if (status === undefined) return { number, line, reason: `the settings lack the status ${quoteNames([row.status])}` }
  const categoryId = categories.get(row.category)
  if (categoryId === undefined)
    return { number, line, reason: `the settings lack the category ${quoteNames([row.category])}` }

  const name = row.name === '' ? number : row.name
  const isValid = createPet.validate({ path: {}, query: {}, headers: {}, body: { name, categoryId } })
  if (!isValid) return { number, line, reason: `the name must be ${createPet.rules['/body/name']}` }
  return { number, name, categoryId, status }
}

/** Maximum number of animals that a finding names. */
const maximumShown = 3

/**
 * Formats what was found about animals: one line, however many they are.
 *
 * @example formatFinding('the settings lack the status "Hold"', animals) // '...: 250 animals (D1, D2, D3 and others).'
 */
const formatFinding = (text: string, animals: readonly { readonly number: string }[]): string => {
  const shown = animals.slice(0, maximumShown).map(({ number }) => number)
  const others = animals.length > maximumShown ? ' and others' : ''
  return makePrintable(`${text}: ${formatCount(animals.length, 'animal')} (${shown.join(', ')}${others}).`)
}
