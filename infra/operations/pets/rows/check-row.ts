import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import type { NewPet } from '../../../../shared/pets/pet.ts'
import { printable } from '../../../command-line/printable.ts'
import { valueIn } from './format.ts'
import { readVersion, type Version } from './version.ts'

/** What is wrong in a file, and where. */
export interface Mistake {
  readonly line: number
  readonly column?: string
  readonly text: string
}

/** A row as a file has it. */
interface Row {
  readonly line: number
  /** Source text. */
  readonly id: string | undefined
  readonly version: string | undefined
  readonly values: Readonly<Record<string, unknown>>
  /** Whether every value is the text of a cell. */
  readonly isText: boolean
}

/** A row that the contract allows. */
export interface PetRow {
  readonly line: number
  /** Undefined for a new pet. */
  readonly id: bigint | undefined
  readonly version: Version | undefined
  readonly values: NewPet
}

export interface WrongRow {
  readonly mistakes: readonly Mistake[]
}

type WrongValues = readonly { readonly column: string; readonly text: string }[]

export const checkRow = (row: Row): PetRow | WrongRow => {
  const { line, values, isText } = row
  const id = row.id === undefined ? undefined : readId(row.id)
  const version = row.version === undefined ? undefined : readVersion(row.version)
  const checked = checkValues(values, isText)
  const wrong = 'mistakes' in checked ? [...checked.mistakes] : []
  if (row.id !== undefined && id === undefined) wrong.push({ column: 'id', text: `${idRule}; it is ${shown(row.id)}` })
  // What the contract fills in is for new pets.
  for (const column of row.id === undefined || !('values' in checked) ? [] : Object.keys(checked.values)) {
    if (!(column in values)) wrong.push({ column, text: 'is missing in a row with an id' })
  }
  if (row.version !== undefined && version === undefined) {
    wrong.push({ column: 'version', text: `must be as it was exported, not ${shown(row.version)}` })
  }
  if (row.version !== undefined && row.id === undefined) {
    wrong.push({ column: 'version', text: 'must be empty in a row without an id, which is a new pet' })
  }
  if ('values' in checked && wrong.length === 0) return { line, id, version, values: checked.values }
  return { mistakes: wrong.map((mistake) => ({ line, ...mistake })) }
}

/** Reads an id of the contract: of its source text, so that nothing is rounded. */
export const readId = (text: string): bigint | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined

const idRule =
  'must be a whole number from 1 to 9007199254740991 in digits, as it was exported. A spreadsheet may have rounded it: give the column the format "text" or "0"'

const aPet: NewPet = { name: 'Bella', categoryId: 1n, status: 'available' }

/** A value that the contract allows, in place of one that it does not, so that the next mistake of a row is found. */
const allowed = (column: string): unknown => Object.entries(aPet).find(([name]) => name === column)?.[1]

/**
 * The values as the contract has them, with what it fills in; or what is wrong with each.
 *
 * @param isText whether each value is the text of a cell. It stays one where the contract takes a text.
 */
export const checkValues = (
  values: Readonly<Record<string, unknown>>,
  isText: boolean,
): { readonly values: NewPet } | { readonly mistakes: WrongValues } => {
  const body: Record<string, unknown> = { ...values }
  const mistakes: WrongValues[number][] = []
  const rules: Readonly<Record<string, string>> = contract.rules
  while (!contract.validate({ path: {}, query: {}, headers: {}, body })) {
    const { instancePath = '', keyword, params = {} } = contract.validate.errors?.[0] ?? {}
    const column = String(params['additionalProperty'] ?? params['missingProperty'] ?? instancePath.split('/')[2])
    const value = body[column]
    if (keyword === 'additionalProperties') {
      mistakes.push({ column, text: 'is no field of a pet' })
      delete body[column]
    } else if (isText && typeof value === 'string' && valueIn(value) !== value) body[column] = valueIn(value)
    else if (mistakes.some((mistake) => mistake.column === column))
      throw new Error(`A pet's ${column} is unknown here.`)
    else {
      const rule = `must be ${rules[`/body/${column}`]}`
      mistakes.push({ column, text: value === undefined ? `is missing; it ${rule}` : `${rule}, not ${shown(value)}` })
      body[column] = allowed(column)
    }
  }
  // The validators' own type, of the same schema.
  return mistakes.length === 0 ? { values: body as unknown as NewPet } : { mistakes }
}

const columnsOf = (checked: ReturnType<typeof checkValues>): readonly string[] =>
  'values' in checked ? Object.keys(checked.values) : checked.mistakes.map(({ column }) => column)

const ofNewPets = columnsOf(checkValues({}, false))
const ofAllPets = columnsOf(checkValues(Object.fromEntries(ofNewPets.map((name) => [name, allowed(name)])), false))

/** The columns that a file needs. A row with an id says also what the contract would fill in. */
export const requiredColumns = (hasIds: boolean): readonly string[] => (hasIds ? ofAllPets : ofNewPets)

const longestShown = 40

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? `"${value}"` : String(value)
  return printable(text.length > longestShown ? `${text.slice(0, longestShown)}...` : text)
}
