import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import type { ValueKind } from '../../../../shared/http/operation-contract.ts'
import { readValue } from '../../../../shared/http/read-value.ts'
import { type NewPet, newPetFields } from '../../../../shared/pets/pet.ts'
import { formatPrintableJson } from '../../../command-line/printable.ts'
import { decodeVersion, type Version } from './format.ts'

/** A row that the contract allows. */
export interface PetRow {
  /** Line number in the imported file. */
  readonly line: number
  /** Undefined for a new pet. */
  readonly id: bigint | undefined
  /** The state of the pet that the row was made from. */
  readonly version: Version | undefined
  readonly values: NewPet
}

/** Values of a row by the names of their columns, as the file has them. */
export type RowValues = Readonly<Record<string, unknown>>

/** Result of checking a row. The row is usable only if there are no mistakes. */
interface CheckedRow {
  readonly row: PetRow
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
  const { id: idValue, version: versionValue, ...petValues } = rowValues
  const id = readId(String(idValue))
  const version = versionValue === undefined ? undefined : decodeVersion(String(versionValue))
  const isNew = idValue === undefined
  const { values, mistakes } = checkPetValues(petValues, isNew)

  if (versionValue !== undefined && version === undefined) {
    mistakes.push(`version must be as it was exported, not ${describeValue(versionValue)}`)
  }
  if (!isNew && id === undefined) {
    mistakes.push(`id must be ${idRule}, not ${describeValue(idValue)}. ${repairAdvice}`)
  } else if (version !== undefined && version.id !== id) {
    mistakes.push(`id is not that of the version. ${repairAdvice}; for a new pet empty both`)
  }

  return { row: { line, id, version, values }, mistakes }
}

const checkPetValues = (petValues: RowValues, isNew: boolean) => {
  const values: Record<string, unknown> = {}
  const mistakes: string[] = []

  for (const column of new Set([...newPetFields, ...Object.keys(petValues)])) {
    const given = petValues[column]
    const { value, mistake } = checkValue(column, given)
    const isDefault = given === undefined && value !== undefined
    if (mistake !== undefined) mistakes.push(`${column} ${mistake}`)
    // Defaults of the contract are for new pets only.
    else if (isDefault && !isNew) mistakes.push(`${column} is missing in a row with an id`)
    values[column] = value
  }

  // Without mistakes each value is valid by the schema that NewPet is generated from.
  return { values: values as unknown as NewPet, mistakes }
}

/** Reads an id as the contract allows it, or returns undefined. */
export const readId = (text: string): bigint | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined

/** Checks the value of one column against the contract. */
export const checkValue = (column: string, given: unknown): CheckedValue => {
  const rules: Readonly<Record<string, string>> = contract.rules
  const rule = rules[`/body/${column}`]
  if (rule === undefined) return { mistake: 'is no field of a pet' }

  const value = interpretValue(column, given)
  const body = { ...validPet, [column]: value }
  if (contract.validate({ path: {}, query: {}, headers: {}, body })) return { value }
  if (given === undefined) return { mistake: `is missing; it must be ${rule}` }
  return { mistake: `must be ${rule}, not ${describeValue(given)}` }
}

/** Fills in the default, and reads a text as the kind of its column: all values in CSV are texts. */
const interpretValue = (column: string, given: unknown): unknown => {
  const kinds: Readonly<Record<string, ValueKind>> = contract.kinds.body
  const defaults: Readonly<Record<string, unknown>> = contract.defaults.body
  if (given === undefined) return defaults[column]
  return typeof given === 'string' ? readValue(given, kinds[column] ?? 'text') : given
}

const describeValue = (value: unknown): string => formatPrintableJson(value).slice(0, 50)
