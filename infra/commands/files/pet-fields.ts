/** Checks of the values of pets that files and command lines give. */
import { createPet as contract } from '../../../shared/contract/generated/create-pet.ts'
import type { ValueKind } from '../../../shared/http/operation-contract.ts'
import { readValue } from '../../../shared/http/request/read-input.ts'
import { type NewPet, type NewPetField, newPetDefaults } from '../../../shared/pets/pet.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'

type FieldCheck =
  /** `value` is in the type of the contract. */
  | { readonly kind: 'valid'; readonly value: unknown }
  /** `mistake` is a sentence without the field's name at its beginning; `rule` is what the value must be. */
  | { readonly kind: 'mistaken'; readonly mistake: string; readonly rule: string | undefined }

export const petIdRule = 'a whole number from 1 to 9007199254740991'

/** Parses the id of a pet; undefined for any other text. */
export const parsePetId = (text: string): bigint | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined

/** A valid pet. If the contract's validator rejects it with one value replaced, the mistake is in this value. */
const validPet: NewPet = { name: 'Bella', categoryId: 1n, status: 'available' }

/**
 * Checks the value of one field. The defaults of new pets do not count: a field with a default must have a value.
 *
 * @param given the value, or its text, as CSV has all values; undefined if there is none
 */
export const checkField = (field: NewPetField, given: unknown): FieldCheck => {
  const rules: Readonly<Record<string, string>> = contract.rules
  const rule = rules[`/body/${field}`]
  const value = interpretValue(field, given)
  const body = { ...validPet, [field]: value }
  // The validator checks a new pet, so it accepts a body that lacks a field with a default.
  const hasDefault = field in newPetDefaults
  const isValid = contract.validate({ path: {}, query: {}, headers: {}, body })
  if (given === undefined && (hasDefault || !isValid)) {
    return { kind: 'mistaken', mistake: `is missing; it must be ${rule}`, rule }
  }
  if (isValid) return { kind: 'valid', value }
  return { kind: 'mistaken', mistake: `must be ${rule}; it is ${quoteValue(given)}`, rule }
}

/** Reads a text as the kind of value that its field has. */
const interpretValue = (field: NewPetField, given: unknown): unknown => {
  const kinds: Readonly<Record<string, ValueKind>> = contract.kinds.body
  return typeof given === 'string' ? readValue(given, kinds[field] ?? 'text') : given
}

/** Quotes a value in a message. */
export const quoteValue = (value: unknown): string => formatPrintableJson(value).slice(0, 50)
