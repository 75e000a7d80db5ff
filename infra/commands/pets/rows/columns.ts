/** The columns of files of pets, and the version of a row. */
import { createHash } from 'node:crypto'
import { stringifyExactJson } from '../../../../shared/exact-json.ts'
import { petFields } from '../../../../shared/pets/pet.ts'

/** Columns with values of a pet. `source` and `reference` name its shelter, and its number there. */
const valueColumns: readonly string[] = [...petFields, 'source', 'reference']

/** Columns of a file, in the order in which they are written. */
export const columns: readonly string[] = [...valueColumns, 'version']

/**
 * Computes the version of a row: a hash of the values that are present. An optional field that is added to the contract
 * later is not present in pets without it, so the versions of earlier exports stay the same.
 *
 * The letter at the beginning keeps spreadsheets from reading a version such as 12E45 as a number.
 *
 * @example computeVersion({ id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }) // 'v' and 16 characters
 */
export const computeVersion = (values: Readonly<Record<string, unknown>>): string => {
  const presentValues = valueColumns
    .toSorted()
    .map((column) => [column, values[column]])
    .filter(([, value]) => value !== undefined)
  const hash = createHash('sha256').update(stringifyExactJson(presentValues)).digest()
  return `v${hash.subarray(0, 12).toString('base64url')}`
}
