import type { Pet } from '../../../shared/pets/pet.ts'
import { newPetId } from '../../../shared/pets/pet-id.ts'
import { inParallel } from '../../command-line/in-parallel.ts'
import type { Progress } from '../../command-line/progress-report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit, Change } from '../target/audit.ts'
import type { CheckedRow } from './check-row.ts'
import type { ImportJournal } from './import-journal.ts'
import { blockSize, blocksOf, plan, type Step } from './import-plan.ts'
import type { PetTable } from './pet-table.ts'
import { checkEncoding, type Mistake } from './read-rows.ts'

/** How many rows an import creates, changes, adds again and leaves as they are. */
export type Counts = Readonly<Record<Step['kind'], number>>

export const noCounts: Counts = { create: 0, change: 0, restore: 0, leave: 0 }

const maximumMistakes = 100

/**
 * Checks a whole file, and reads the pets of its ids. Nothing is written.
 *
 * @param show is called with each row that something would be done with
 * @throws UserError with the mistakes of the file
 */
export const checkFile = async (
  table: PetTable,
  file: string,
  restores: boolean,
  show?: (step: Step) => void,
): Promise<Counts> => {
  await checkEncoding(file)
  const counts = { ...noCounts }
  const mistakes: Mistake[] = []
  for await (const block of blocksOf(file)) {
    const planned = await plan(table, block.rows, restores)
    mistakes.push(...block.mistakes, ...planned.mistakes)
    for (const step of planned.steps) {
      counts[step.kind] += 1
      if (mistakes.length === 0) show?.(step)
    }
    if (mistakes.length > maximumMistakes) break
  }
  if (mistakes.length > 0) throw new UserError(`Nothing is written.\n${textOf(mistakes)}`)
  return counts
}

const textOf = (mistakes: readonly Mistake[]): string => {
  const lines = mistakes
    .toSorted((one, other) => one.line - other.line)
    .slice(0, maximumMistakes)
    .map(({ line, column, text }) => `Line ${line}${column === undefined ? '' : `, column ${column}`}: ${text}.`)
  return [...lines, ...(mistakes.length > maximumMistakes ? ['There are more.'] : [])].join('\n')
}

export interface ImportWork {
  readonly table: PetTable
  readonly file: string
  readonly restores: boolean
  /** Undefined where the file creates no pets: changes and restores can be repeated without it. */
  readonly journal: ImportJournal | undefined
  /** Whether the pets of all rows are given back, also of those that were imported before an interruption. */
  readonly givesBack: boolean
  readonly audit: Audit
  readonly pace: (pets: number) => Promise<void>
  readonly progress: Progress
  readonly signal: AbortSignal
  readonly clock: () => number
}

/**
 * Writes the rows of a file that was checked, and gives back the pet of each.
 *
 * @throws UserError after the last row, where somebody else changed pets meanwhile; those are left
 */
export async function* importRows(work: ImportWork): AsyncGenerator<Pet> {
  const { table, journal, restores, audit, signal } = work
  const conflicts: Mistake[] = []
  let number = -1
  for await (const { rows } of blocksOf(work.file)) {
    number += 1
    const isDone = number < (journal?.done ?? 0)
    if (isDone && !work.givesBack) continue
    signal.throwIfAborted()
    const time = journal?.begin(number, work.clock()) ?? 0
    const { steps, mistakes } = isDone ? planDone(rows) : await plan(table, rows, restores)
    // Written before the changes, so that none is without its line. After an interruption a line may be there twice.
    if (!isDone) await audit(steps.flatMap((step) => changeOf(step, time)))
    const results = await inParallel(steps, async (step) => {
      if (step.kind !== 'leave') await work.pace(1)
      signal.throwIfAborted()
      return carryOut(work, step, time)
    })
    await audit(results.flatMap(({ corrections = [] }) => corrections))
    conflicts.push(...mistakes, ...results.flatMap(({ conflict = [] }) => conflict))
    journal?.end(number)
    if (!isDone) work.progress.advance(rows.length)
    yield* results.map(({ pet }) => pet)
  }
  journal?.complete()
  if (conflicts.length > 0) throw new UserError(`All other rows are imported.\n${textOf(conflicts)}`)
}

/** The rows of a block that an earlier run has done: only the new ids are looked up again. */
const planDone = (rows: readonly CheckedRow[]): { readonly steps: readonly Step[]; readonly mistakes: [] } => ({
  steps: rows.map((row) =>
    row.id === undefined ? { kind: 'create', row } : { kind: 'leave', row, pet: { id: row.id, ...row.values } },
  ),
  mistakes: [],
})

/** The new pet of a row, in the millisecond of its block or, where others have its id, some later one. */
const newPet = ({ values, place }: CheckedRow, time: number): Pet => ({
  id: newPetId(time, (ids) => Math.floor((place * ids) / blockSize)),
  ...values,
})

const changeOf = (step: Step, time: number): Change[] => {
  if (step.kind === 'leave') return []
  const pet = step.kind === 'create' ? newPet(step.row, time) : step.pet
  return [{ action: 'pets import', ids: [String(pet.id)], old: step.kind === 'change' ? step.old : null, new: pet }]
}

interface Result {
  readonly pet: Pet
  readonly conflict?: readonly Mistake[]
  /** What the lines of the audit that were written before have wrong. */
  readonly corrections?: readonly Change[]
}

const carryOut = async ({ table, journal }: ImportWork, step: Step, time: number): Promise<Result> => {
  if (step.kind === 'leave') return { pet: step.pet }
  const planned = changeOf(step, time)
  const refused = (reason: string) => planned.map((change) => ({ ...change, refused: reason }))
  if (step.kind === 'create') {
    const attemptId = journal?.attemptId(step.row.line) ?? ''
    for (let attempt = 0; ; attempt += 1) {
      const pet = newPet(step.row, time + attempt)
      if ((await table.store.put(pet, attemptId)) === 'taken') continue
      // An id that is taken stays taken, so each run comes to the same one.
      return attempt === 0
        ? { pet }
        : { pet, corrections: [...refused('the id is taken'), ...changeOf(step, time + attempt)] }
    }
  }
  const written = await (step.kind === 'change' ? table.change(step.old, step.pet) : table.restore(step.pet))
  if (written === 'written') return { pet: step.pet }
  const text = `somebody else has ${written} the pet ${step.pet.id} meanwhile; it is left as it is`
  return { pet: step.pet, conflict: [{ line: step.row.line, text }], corrections: refused(written) }
}
