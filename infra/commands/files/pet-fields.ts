/** Checks of the values of pets that files and command lines give. */
import { createPet as contract } from '../../../shared/contract/generated/create-pet.ts'
import type { ValueKind } from '../../../shared/http/operation-contract.ts'
import { readValue } from '../../../shared/http/request/read-input.ts'
import { type NewPet, type NewPetField, newPetDefaults } from '../../../shared/pets/pet.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'

/** Result of checking one value. */
interface CheckedField {
  /** The value in the type of the contract. */
  readonly value?: unknown
  /** The mistake in the value, as a predicate: a sentence that lacks the field's name at its beginning. */
  readonly mistake?: string
  /** What the value must be, if there is a mistake. */
  readonly rule?: string | undefined
}

export const petIdRule = 'a whole number from 1 to 9007199254740991'

/** Parses the id of a pet; undefined for any other text. */
export const parsePetId = (text: string): bigint | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined

/** A valid pet. With one value replaced, the contract's validator finds mistakes in that value alone. */
const validPet: NewPet = { name: 'Bella', categoryId: 1n, status: 'available' }

/**
 * Checks the value of one field of a pet that exists, so that the defaults of a new pet do not count.
 *
 * @param given a text, as CSV has all values, or the value; undefined if there is none
 */
export const checkField = (field: NewPetField, given: unknown): CheckedField => {
  const rules: Readonly<Record<string, string>> = contract.rules
  const rule = rules[`/body/${field}`]
  const value = interpretValue(field, given)
  const body = { ...validPet, [field]: value }
  // The validator accepts a body without a field that has a default, as that of a new pet.
  const hasDefault = field in newPetDefaults
  const isValid = contract.validate({ path: {}, query: {}, headers: {}, body })
  if (given === undefined && (hasDefault || !isValid)) return { mistake: `is missing; it must be ${rule}`, rule }
  if (isValid) return { value }
  return { mistake: `must be ${rule}; it is ${quoteValue(given)}`, rule }
}

/** Reads a text as the kind of its field. */
const interpretValue = (field: NewPetField, given: unknown): unknown => {
  const kinds: Readonly<Record<string, ValueKind>> = contract.kinds.body
  return typeof given === 'string' ? readValue(given, kinds[field] ?? 'text') : given
}

/** Quotes a value in a message. */
export const quoteValue = (value: unknown): string => formatPrintableJson(value).slice(0, 50)
