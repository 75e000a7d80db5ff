import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import { type NewPet, newPetFields } from '../../../../shared/pets/pet.ts'
import { printableJson } from '../../../command-line/printable.ts'
import { valueIn } from './format.ts'
import { readVersion, type Version } from './version.ts'

/** What is wrong in a file, and where. */
export interface Mistake {
  readonly line: number
  /** Without the full stop at its end. */
  readonly text: string
}

/** A row as a file has it. */
export interface SourceRow {
  readonly line: number
  readonly fields: Readonly<Record<string, unknown>>
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

/** @returns what is wrong in the row, where something is */
export const checkRow = ({ line, fields, isText }: SourceRow): PetRow | readonly Mistake[] => {
  const { id: number, version: mark, ...given } = fields
  const id = readId(String(number))
  const version = mark === undefined ? undefined : readVersion(String(mark))
  const mistakes: Mistake[] = []
  const add = (column: string, text: string) => mistakes.push({ line, text: `${column} ${text}` })
  const values: Record<string, unknown> = {}
  for (const column of new Set([...newPetFields, ...Object.keys(given)])) {
    const checked = checkValue(column, given[column], isText)
    if ('mistake' in checked) add(column, checked.mistake)
    // What the contract fills in is for new pets.
    else if (given[column] === undefined && checked.value !== undefined && number !== undefined)
      add(column, 'is missing in a row with an id')
    else values[column] = checked.value
  }
  if (mark !== undefined && version === undefined) add('version', `must be as it was exported, not ${shown(mark)}`)
  if (number !== undefined && id === undefined) add('id', `must be ${idRule}, not ${shown(number)}. ${asText}`)
  else if (version !== undefined && version.pet.id !== id)
    add('id', `is not that of the version. ${asText}; for a new pet empty both`)
  // The validators have judged each value by the schema that the type is of.
  return mistakes.length > 0 ? mistakes : { line, id, version, values: values as unknown as NewPet }
}

export const idRule = 'a whole number from 1 to 9007199254740991'

/** Reads an id of the contract. */
export const readId = (text: string): bigint | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined

const asText = 'If a spreadsheet has rounded it, export again and give the column the format "text" or "0"'

/** Each of its values is allowed, so that a mistake in it with another value is one of that value. */
const aPet: NewPet = { name: 'Bella', categoryId: 1n, status: 'available' }

/**
 * A value as the contract has it, with what it fills in; or what is wrong with it.
 *
 * @param isText whether it is the text of a cell. It stays one where the contract takes a text.
 */
export const checkValue = (
  column: string,
  value: unknown,
  isText: boolean,
): { readonly value: unknown } | { readonly mistake: string } => {
  for (const candidate of isText && typeof value === 'string' ? [value, valueIn(value)] : [value]) {
    const body: Record<string, unknown> = { ...aPet, [column]: candidate }
    if (contract.validate({ path: {}, query: {}, headers: {}, body })) return { value: body[column] }
  }
  const { [`/body/${column}`]: rule }: Readonly<Record<string, string>> = contract.rules
  if (rule === undefined) return { mistake: 'is no field of a pet' }
  return { mistake: value === undefined ? `is missing; it must be ${rule}` : `must be ${rule}, not ${shown(value)}` }
}

const shown = (value: unknown): string => printableJson(value).slice(0, 50)
