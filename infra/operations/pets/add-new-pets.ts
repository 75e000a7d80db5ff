import type { Clock } from '../../../shared/clock.ts'
import { assignPetId, type Pet } from '../../../shared/pets/pet.ts'
import { drawPetId, readDrawTime } from '../../../shared/pets/pet-id.ts'
import type { PetStore } from '../../../shared/pets/pet-store.ts'
import type { Pacer } from '../../command-line/long-work.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit, RecordedChange } from '../environment/audit.ts'
import type { ChangeSummary } from './change-report.ts'
import type { ImportJournal } from './import-journal.ts'
import type { PetTable } from './pet-table.ts'
import type { NewPetRow } from './rows/check-row.ts'

/**
 * Maximum age of an id under which a pet is stored. Callers who follow new pets read back by a minute, so they would
 * miss a pet that appears later under an old id. A process that was suspended has old ids.
 */
const maximumIdAgeMilliseconds = 10_000

/** The parts of an environment that new pets need. */
export interface AdditionContext {
  readonly table: PetTable
  /** The same table, as the functions use it. */
  readonly store: PetStore
  readonly journal: ImportJournal
  readonly audit: Audit
  /** Limits the rate of writes. */
  readonly pacer: Pacer
  /** Clock of the service. */
  readonly clock: Clock
  /** Counts the pets that were added. */
  readonly summary: ChangeSummary
}

/**
 * Adds the pets of rows without an id. Each id is drawn and recorded in the journal just before its pet is written,
 * for as many pets at once as the pacer allows.
 *
 * @throws the first failure, after all writes that had begun have ended
 */
export const addNewPets = async (context: AdditionContext, rows: readonly NewPetRow[]): Promise<void> => {
  const { pacer, journal, clock } = context
  let remaining = [...rows]
  while (remaining.length > 0) {
    const batch = remaining.splice(0, pacer.maximumBatchSize)
    await pacer.waitToBegin(batch.length)

    // Ids that follow each other keep the pets in the order of the file.
    const firstId = drawPetId(clock())
    const additions = batch.map((row, index) => ({ row, pet: assignPetId(firstId + BigInt(index), row.values) }))
    journal.recordDrawn(additions.map(({ row, pet }) => ({ line: row.line, id: pet.id })))

    const rowsToRepeat = await addPetsAtOnce(context, additions)
    remaining = [...rowsToRepeat, ...remaining]
  }
}

/** A new pet with its id. */
interface Addition {
  readonly row: NewPetRow
  readonly pet: Pet
}

/** @returns the rows whose ids were taken */
const addPetsAtOnce = async (
  context: AdditionContext,
  additions: readonly Addition[],
): Promise<readonly NewPetRow[]> => {
  const results = await context.audit.recordThenMakeAll(
    additions.map(({ row, pet }) => ({
      change: { action: 'pets import', ids: [`${pet.id}`], old: null, new: pet },
      make: (recorded) => storePet(context, { row, pet }, recorded),
    })),
  )

  const storedLines: number[] = []
  const rowsToRepeat: NewPetRow[] = []
  const failures: unknown[] = []
  for (const [index, { row }] of additions.entries()) {
    const result = results[index]
    if (result?.status === 'fulfilled') storedLines.push(row.line)
    else if (result?.reason instanceof IdTakenError) rowsToRepeat.push(row)
    else failures.push(result?.reason)
  }
  context.journal.recordStored(storedLines)
  context.summary.count('created', storedLines.length)
  if (failures.length > 0) throw failures[0]
  return rowsToRepeat
}

/** Names the attempt to add the pet of one line. The pet keeps this name, also after it was changed or removed. */
const getAttemptId = ({ importId }: ImportJournal, line: number): string => `${importId}-${line}`

/** The id cannot be used, so the pet was not added. */
class IdTakenError extends UserError {}

/** Stores a pet, unless its id is too old: then the id is made unusable for a late write. */
const storePet = async (
  { table, store, journal, clock }: AdditionContext,
  { row, pet }: Addition,
  recorded: RecordedChange,
): Promise<void> => {
  const attemptId = getAttemptId(journal, row.line)
  const isTooOld = clock() - readDrawTime(pet.id) > maximumIdAgeMilliseconds
  if (isTooOld) {
    const outcome = await store.voidId(pet.id, attemptId)
    if (outcome === 'taken') throw new IdTakenError('its id is too old')
    return
  }

  const written = await table.write({ id: pet.id, item: undefined, pet, attemptId, change: recorded })
  // The SDK has retried a write whose response was lost: the retry finds what the first attempt wrote.
  const isStored = written.met || written.current?.['attemptId'] === attemptId
  if (!isStored) throw new IdTakenError('another pet has the id')
}

/**
 * Finds out which pets of the last batch of an earlier run were stored. An id without a pet is made unusable, because
 * a write of that run may still be on its way, and its row is imported under a new id.
 *
 * @param store undefined in a dry run, which leaves the journal as it is
 */
export const settleEarlierRun = async (
  journal: ImportJournal,
  table: PetTable,
  store: PetStore | undefined,
): Promise<void> => {
  const uncertainIds = journal.listUncertainIds()
  const items = await table.findItems(uncertainIds.map(({ id }) => id))
  for (const { line, id } of uncertainIds) {
    const attemptId = getAttemptId(journal, line)
    const isFound = items.get(id)?.['attemptId'] === attemptId
    const isStored = isFound || (await store?.voidId(id, attemptId)) === 'already_stored'
    if (isStored) journal.recordStored([line])
    else if (store !== undefined) journal.forget([line])
  }
}
