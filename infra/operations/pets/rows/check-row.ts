import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import { parseInt64 } from '../../../../shared/int64.ts'
import { type NewPet, newPetFields } from '../../../../shared/pets/pet.ts'
import { printableJson } from '../../../command-line/printable.ts'
import { readVersion, type Version } from './format.ts'

/** A row that the contract allows. */
export interface PetRow {
  readonly line: number
  /** Undefined for a new pet. */
  readonly id: bigint | undefined
  readonly version: Version | undefined
  readonly values: NewPet
}

/** Says what is wrong in a line of a file, without the full stop at its end. */
export type Tell = (line: number, mistake: string) => void

/** The values of a row by their columns, as a file has them. */
export type Fields = Readonly<Record<string, unknown>>

/** Reads a row. Where something is wrong in it, that is told, and the result is not to be used. */
export const checkRow = (line: number, fields: Fields, tell: Tell): PetRow => {
  const { id: number, version: mark, ...given } = fields
  const id = readId(String(number))
  const version = mark === undefined ? undefined : readVersion(String(mark))
  const values: Record<string, unknown> = {}
  for (const column of new Set([...newPetFields, ...Object.keys(given)])) {
    const { value, mistake } = checkValue(column, given[column])
    // What the contract fills in is for new pets.
    const isFilledIn = number !== undefined && given[column] === undefined && value !== undefined
    if (mistake !== undefined) tell(line, `${column} ${mistake}`)
    else if (isFilledIn) tell(line, `${column} is missing in a row with an id`)
    values[column] = value
  }
  if (mark !== undefined && version === undefined) tell(line, `version must be as it was exported, not ${shown(mark)}`)
  if (number !== undefined && id === undefined) tell(line, `id must be ${idRule}, not ${shown(number)}. ${asText}`)
  else if (version !== undefined && version.id !== id)
    tell(line, `id is not that of the version. ${asText}; for a new pet empty both`)
  // The validators have judged each value by the schema that the type is of.
  return { line, id, version, values: values as unknown as NewPet }
}

export const idRule = 'a whole number from 1 to 9007199254740991'

/** Reads an id of the contract. */
export const readId = (text: string): bigint | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined

const asText = 'If a spreadsheet has rounded it, export again and give the column the format "text" or "0"'

/** Each of its values is allowed, so that a mistake in it with another value is one of that value. */
const aPet: NewPet = { name: 'Bella', categoryId: 1n, status: 'available' }

/** A value as the contract has it, with what it fills in; or what is wrong with it. A text may be that of a number. */
export const checkValue = (column: string, given: unknown): { readonly value?: unknown; readonly mistake?: string } => {
  for (const candidate of typeof given === 'string' ? [given, parseInt64(given) ?? given] : [given]) {
    const body: Record<string, unknown> = { ...aPet, [column]: candidate }
    if (contract.validate({ path: {}, query: {}, headers: {}, body })) return { value: body[column] }
  }
  const { [`/body/${column}`]: rule }: Readonly<Record<string, string>> = contract.rules
  if (rule === undefined) return { mistake: 'is no field of a pet' }
  return { mistake: given === undefined ? `is missing; it must be ${rule}` : `must be ${rule}, not ${shown(given)}` }
}

const shown = (value: unknown): string => printableJson(value).slice(0, 50)
