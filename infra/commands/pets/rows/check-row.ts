import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import type { ValueKind } from '../../../../shared/http/operation-contract.ts'
import { readValue } from '../../../../shared/http/request/read-value.ts'
import { type NewPet, type NewPetField, newPetDefaults, newPetFields } from '../../../../shared/pets/pet.ts'
import { formatPrintableJson } from '../../../command-line/printable.ts'
import { columns, computeVersion } from './columns.ts'

/** A row whose values the contract allows. */
export interface PetRow {
  /** Number of its line in the file. */
  readonly line: number
  readonly id: bigint
  /** Values by field. Undefined erases the value of an optional field. A field that the row lacks is not there. */
  readonly values: Partial<NewPet>
  readonly source: string | undefined
  readonly reference: string | undefined
  readonly version: string | undefined
  /** Whether nobody has edited the row since its export: its version is that of its values. */
  readonly isAsExported: boolean
  /** Fields whose text a spreadsheet may have made of another one. */
  readonly exposedFields: readonly NewPetField[]
}

/** Values of a row by column, as the file has them. Undefined is an empty cell. */
export type RowValues = Readonly<Record<string, unknown>>

/** A row as the file has it. */
export interface FileRow {
  readonly line: number
  readonly values: RowValues
  /** Columns whose cells a spreadsheet may have changed. */
  readonly exposedColumns: readonly string[]
}

/** Result of checking one value. */
interface CheckedValue {
  /** The value in the type of the contract. */
  readonly value?: unknown
  /** The mistake in the value, as a predicate: a sentence that lacks the column's name at its beginning. */
  readonly mistake?: string
}

export const idRule = 'a whole number from 1 to 9007199254740991'

export const repairAdvice = 'If a spreadsheet has changed it, export again and give the column the format "text" or "0"'

const missingId = 'it has no id. "pets sync" adds the animals of a shelter\'s file, and "pets add" adds one'

/** A valid pet. With one value replaced, the contract's validator finds mistakes in that value alone. */
const validPet: NewPet = { name: 'Bella', categoryId: 1n, status: 'available' }

/**
 * Checks a row.
 *
 * @returns the row, or its mistakes as sentences without their full stops
 */
export const checkRow = ({ line, values: given, exposedColumns }: FileRow): PetRow | readonly string[] => {
  const id = readId(String(given['id']))
  const { values, mistakes } = checkValues(given)
  if (given['id'] === undefined) mistakes.push(missingId)
  else if (id === undefined) mistakes.push(`id must be ${idRule}; it is ${describeValue(given['id'])}. ${repairAdvice}`)
  if (id === undefined || mistakes.length > 0) return mistakes

  const source = readText(given['source'])
  const reference = readText(given['reference'])
  const version = readText(given['version'])
  return {
    line,
    id,
    values,
    source,
    reference,
    version,
    isAsExported: version === computeVersion({ ...values, id, source, reference }),
    exposedFields: newPetFields.filter((field) => exposedColumns.includes(field)),
  }
}

const checkValues = (given: RowValues) => {
  const mistakes = Object.keys(given)
    .filter((column) => !columns.includes(column))
    .map((column) => `${column} is no field of a pet`)
  const values: Record<string, unknown> = {}
  for (const field of newPetFields.filter((name) => name in given)) {
    const { value, mistake } = checkValue(field, given[field])
    const advice = getKind(field) === 'integer' ? `. ${repairAdvice}` : ''
    if (mistake !== undefined) mistakes.push(`${field} ${mistake}${advice}`)
    values[field] = value
  }
  // Without mistakes each value is valid by the schema that NewPet is generated from.
  return { values: values as Partial<NewPet>, mistakes }
}

/** Reads a value that is a text where nobody has changed it. */
const readText = (value: unknown): string | undefined => (value === undefined ? undefined : String(value))

/** Reads an id as the contract allows it, or returns undefined. */
export const readId = (text: string): bigint | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined

/** Checks the value of one field of a pet that exists, so that the defaults of a new pet do not count. */
export const checkValue = (field: NewPetField, given: unknown): CheckedValue => {
  const rules: Readonly<Record<string, string>> = contract.rules
  const rule = rules[`/body/${field}`]
  const value = interpretValue(field, given)
  const body = { ...validPet, [field]: value }
  const hasDefault = field in newPetDefaults
  const isValid = contract.validate({ path: {}, query: {}, headers: {}, body })
  if (given === undefined && (hasDefault || !isValid)) return { mistake: `is missing; it must be ${rule}` }
  if (isValid) return { value }
  return { mistake: `must be ${rule}; it is ${describeValue(given)}` }
}

/** Reads a text as the kind of its field: all values in CSV are texts. */
const interpretValue = (field: NewPetField, given: unknown): unknown =>
  typeof given === 'string' ? readValue(given, getKind(field)) : given

const getKind = (field: NewPetField): ValueKind => {
  const kinds: Readonly<Record<string, ValueKind>> = contract.kinds.body
  return kinds[field] ?? 'text'
}

/** Describes a value for a message. */
export const describeValue = (value: unknown): string => formatPrintableJson(value).slice(0, 50)
