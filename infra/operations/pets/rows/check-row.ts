import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import type { ValueKind } from '../../../../shared/http/operation-contract.ts'
import { readValue } from '../../../../shared/http/request/read-value.ts'
import { assignPetId, type NewPet, type NewPetField, newPetFields, type Pet } from '../../../../shared/pets/pet.ts'
import { formatPrintableJson } from '../../../command-line/printable.ts'
import { conflictColumn, decodeVersion } from './format.ts'
import { findSpreadsheetDamage } from './spreadsheet-damage.ts'

/** A row that the contract allows. */
export type PetRow = NewPetRow | ExistingPetRow

/** A row without an id. */
export interface NewPetRow {
  /** Line number in the imported file. */
  readonly line: number
  readonly id: undefined
  readonly values: NewPet
}

/** A row with an id. */
export interface ExistingPetRow {
  readonly line: number
  readonly id: bigint
  /** The pet that the row was made from; undefined if no export has written the row. */
  readonly version: Pet | undefined
  /** The pet as the row has it. */
  readonly pet: Pet
}

/**
 * Values of a row by the names of their columns, as the file has them. Undefined is an empty cell. A column that the
 * file lacks is not there.
 */
export type RowValues = Readonly<Record<string, unknown>>

/** Result of checking a row. */
type CheckedRow =
  | { readonly row: PetRow; readonly mistakes: readonly [] }
  | {
      readonly row: undefined
      /** Each mistake as a sentence without its full stop. */
      readonly mistakes: readonly string[]
    }

/** Result of checking one value. */
interface CheckedValue {
  /** The value in the type of the contract, with the contract's default if none was given. */
  readonly value?: unknown
  /** The mistake in the value, as a predicate: a sentence that lacks the column's name at its beginning. */
  readonly mistake?: string
}

export const idRule = 'a whole number from 1 to 9007199254740991'

const repairAdvice = 'If a spreadsheet has rounded it, export again and give the column the format "text" or "0"'

/** A valid pet. With one value replaced, the contract's validator finds mistakes in that value alone. */
const validPet: NewPet = { name: 'Bella', categoryId: 1n, status: 'available' }

/** Reads a row, and finds all mistakes in it. */
export const checkRow = (line: number, rowValues: RowValues): CheckedRow => {
  const { id: idValue, version: versionValue, [conflictColumn]: _conflict, ...petValues } = rowValues
  const id = readId(String(idValue))
  const version = versionValue === undefined ? undefined : decodeVersion(String(versionValue))
  const isNew = idValue === undefined
  const { values, mistakes } = checkPetValues(petValues, { isNew, version })

  if (versionValue !== undefined && version === undefined) {
    mistakes.push(`version must be as it was exported, not ${describeValue(versionValue)}`)
  }
  if (!isNew && id === undefined) {
    mistakes.push(`id must be ${idRule}, not ${describeValue(idValue)}. ${repairAdvice}`)
  } else if (version !== undefined && version.id !== id) {
    mistakes.push(`id is not that of the version. ${repairAdvice}; for a new pet empty both`)
  }

  if (mistakes.length > 0) return { row: undefined, mistakes }
  if (id === undefined) return { row: { line, id, values }, mistakes: [] }
  return { row: { line, id, version, pet: assignPetId(id, values) }, mistakes: [] }
}

/** The row whose values are checked. */
interface RowKind {
  readonly isNew: boolean
  readonly version: Pet | undefined
}

const checkPetValues = (petValues: RowValues, kind: RowKind) => {
  const values: Record<string, unknown> = {}
  const mistakes: string[] = []
  const unknownColumns = Object.keys(petValues).filter((column) => !isNewPetField(column))

  for (const column of unknownColumns) mistakes.push(`${column} is no field of a pet`)
  for (const field of newPetFields) {
    const { value, mistake } = checkField(field, petValues, kind)
    if (mistake !== undefined) mistakes.push(`${field} ${mistake}`)
    values[field] = value
  }

  // Without mistakes each value is valid by the schema that NewPet is generated from.
  return { values: values as unknown as NewPet, mistakes }
}

/** Checks the value of one field of a row. */
const checkField = (field: NewPetField, petValues: RowValues, { isNew, version }: RowKind): CheckedValue => {
  const given = petValues[field]
  const isColumnMissing = !(field in petValues)
  // The file says nothing about this field.
  if (isColumnMissing && version !== undefined) return { value: version[field] }

  const checked = checkValue(field, given)
  if (checked.mistake !== undefined || isNew) return checked

  // Defaults of the contract are for new pets only.
  const isDefault = given === undefined && checked.value !== undefined
  if (isDefault) return { mistake: 'is missing in a row with an id' }

  const damage = findSpreadsheetDamage(given, version?.[field])
  return damage === undefined ? checked : { mistake: `${damage}. ${repairAdvice}` }
}

const isNewPetField = (column: string): column is NewPetField => newPetFields.some((field) => field === column)

/** Reads an id as the contract allows it, or returns undefined. */
export const readId = (text: string): bigint | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined

/** Checks the value of one field against the contract. */
export const checkValue = (field: NewPetField, given: unknown): CheckedValue => {
  const rules: Readonly<Record<string, string>> = contract.rules
  const rule = rules[`/body/${field}`]
  const value = interpretValue(field, given)
  const body = { ...validPet, [field]: value }
  if (contract.validate({ path: {}, query: {}, headers: {}, body })) return { value }
  if (given === undefined) return { mistake: `is missing; it must be ${rule}` }
  return { mistake: `must be ${rule}, not ${describeValue(given)}` }
}

/** Fills in the default, and reads a text as the kind of its field: all values in CSV are texts. */
const interpretValue = (field: NewPetField, given: unknown): unknown => {
  const kinds: Readonly<Record<string, ValueKind>> = contract.kinds.body
  const defaults: Readonly<Record<string, unknown>> = contract.defaults.body
  if (given === undefined) return defaults[field]
  return typeof given === 'string' ? readValue(given, kinds[field] ?? 'text') : given
}

const describeValue = (value: unknown): string => formatPrintableJson(value).slice(0, 50)
