import { createPet as contract } from '../../../shared/contract/generated/create-pet.ts'
import type { NewPet } from '../../../shared/pets/pet.ts'
import { printable } from '../../command-line/printable.ts'
import type { Mistake, Row } from './read-rows.ts'

/** A row whose values the contract allows. */
export interface CheckedRow {
  readonly line: number
  /** In its block, from 0 on. */
  readonly place: number
  /** Undefined for a pet to create. */
  readonly id: bigint | undefined
  readonly values: NewPet
}

/** Values that the contract allows, in place of one that it does not, so that the next mistake of a row is found. */
const allowed: Readonly<Record<string, unknown>> = { name: 'Bella', categoryId: 1n, status: 'available' }

/** The values as the contract has them, with its defaults; or what is wrong with each. */
export const checkValues = (
  values: Readonly<Record<string, unknown>>,
): { readonly values: NewPet } | { readonly mistakes: readonly Omit<Mistake, 'line'>[] } => {
  const body: Record<string, unknown> = { ...values }
  const mistakes: Omit<Mistake, 'line'>[] = []
  for (;;) {
    // The validators' own type, of the same schema.
    if (contract.validate({ path: {}, query: {}, headers: {}, body })) {
      return mistakes.length === 0 ? { values: body as unknown as NewPet } : { mistakes }
    }
    const { instancePath = '', keyword, params = {} } = contract.validate.errors?.[0] ?? {}
    if (keyword === 'additionalProperties') {
      const name = String(params['additionalProperty'])
      mistakes.push({ column: name, text: 'is no field of a pet' })
      delete body[name]
      continue
    }
    const column = keyword === 'required' ? String(params['missingProperty']) : instancePath.split('/').at(-1)
    if (column === undefined || !Object.hasOwn(allowed, column)) throw new Error('The contract refuses a valid pet.')
    const rules: Readonly<Record<string, string>> = contract.rules
    const rule = `must be ${rules[`/body/${column}`]}`
    mistakes.push({
      column,
      text: keyword === 'required' ? `is missing; it ${rule}` : `${rule}, not ${shown(body[column])}`,
    })
    body[column] = allowed[column]
  }
}

const longestShown = 40

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? `"${value}"` : String(value)
  return printable(text.length > longestShown ? `${text.slice(0, longestShown)}...` : text)
}

/** Reads an id of the contract: of its source text, so that nothing is rounded. */
export const readId = (text: string): bigint | undefined =>
  /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? BigInt(text) : undefined

const idRule =
  'must be a whole number from 1 to 9007199254740991 in digits, as it was exported. A spreadsheet may have rounded it: give the column the format "text" or "0"'

export const checkRow = (
  { line, id: text, values }: Row,
  place: number,
): CheckedRow | { readonly mistakes: readonly Mistake[] } => {
  const id = text === undefined ? undefined : readId(text)
  const isWithoutStatus = text !== undefined && !Object.hasOwn(values, 'status')
  const checked = checkValues(values)
  const mistakes = [
    ...(text !== undefined && id === undefined ? [{ column: 'id', text: `${idRule}; it is ${shown(text)}` }] : []),
    // The contract's default is for new pets.
    ...(isWithoutStatus ? [{ column: 'status', text: 'is missing in a row with an id' }] : []),
    ...('mistakes' in checked ? checked.mistakes : []),
  ]
  if ('values' in checked && mistakes.length === 0) return { line, place, id, values: checked.values }
  return { mistakes: mistakes.map((mistake) => ({ line, ...mistake })) }
}
