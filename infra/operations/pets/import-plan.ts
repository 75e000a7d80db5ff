import type { Pet } from '../../../shared/pets/pet.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type CheckedRow, checkRow } from './check-row.ts'
import { isSamePet, type PetTable } from './pet-table.ts'
import { type Mistake, readRows } from './read-rows.ts'

/** What an import does with a row. */
export type Step =
  | { readonly kind: 'create'; readonly row: CheckedRow }
  | { readonly kind: 'change'; readonly row: CheckedRow; readonly old: Pet; readonly pet: Pet }
  | { readonly kind: 'restore' | 'leave'; readonly row: CheckedRow; readonly pet: Pet }

/** Rows that are worked on together. */
export interface Block {
  readonly rows: readonly CheckedRow[]
  readonly mistakes: readonly Mistake[]
}

export const blockSize = 1_000

const maximumRows = 1_000_000

/**
 * The blocks of a file: the same at each call.
 *
 * @throws UserError when the file cannot be read as one of pets
 */
export async function* blocksOf(file: string): AsyncGenerator<Block> {
  const lineOf = new Map<bigint, number>()
  let rows: CheckedRow[] = []
  let mistakes: Mistake[] = []
  let count = 0
  for await (const row of readRows(file)) {
    count += 1
    if (count > maximumRows) {
      throw new UserError(
        `The file has more than ${maximumRows.toLocaleString('en-US')} rows, from line ${row.line} on. Split it into smaller ones.`,
      )
    }
    const checked = 'text' in row ? { mistakes: [row] } : checkRow(row, rows.length)
    if ('mistakes' in checked) mistakes.push(...checked.mistakes)
    else {
      const { id, line } = checked
      const same = id === undefined ? undefined : lineOf.get(id)
      if (same !== undefined) mistakes.push({ line, column: 'id', text: `${id} is in line ${same} too` })
      if (id !== undefined) lineOf.set(id, line)
      rows.push(checked)
    }
    if (rows.length === blockSize) {
      yield { rows, mistakes }
      rows = []
      mistakes = []
    }
  }
  yield { rows, mistakes }
}

/** What to do with rows, by what the table has at the moment. */
export const plan = async (
  table: PetTable,
  rows: readonly CheckedRow[],
  restores: boolean,
): Promise<{ readonly steps: readonly Step[]; readonly mistakes: readonly Mistake[] }> => {
  const found = await table.find(rows.flatMap(({ id }) => id ?? []))
  const mistakes: Mistake[] = []
  const steps = rows.flatMap((row): Step[] => {
    const { id, line, values } = row
    if (id === undefined) return [{ kind: 'create', row }]
    const [old, pet] = [found.get(id), { id, ...values }]
    if (old !== undefined)
      return [isSamePet(old, pet) ? { kind: 'leave', row, pet } : { kind: 'change', row, old, pet }]
    if (restores) return [{ kind: 'restore', row, pet }]
    mistakes.push({ line, column: 'id', text: `no pet has the id ${id}. If it was removed, --restore brings it back` })
    return []
  })
  return { steps, mistakes }
}
