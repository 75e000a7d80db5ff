import { randomBytes, randomInt } from 'node:crypto'
import type { Clock } from '../../../shared/clock.ts'
import { withId } from '../../../shared/pets/pet.ts'
import { newPetId } from '../../../shared/pets/pet-id.ts'
import { workThrough } from '../../command-line/work-through.ts'
import type { Audit, Change } from '../target/audit.ts'
import { type CompleteRow, conflict, decide, type Step } from './decide.ts'
import { keysAtOnce, type PetItems } from './pet-items.ts'
import { failOn } from './rows/check-file.ts'
import type { Mistake, PetRow } from './rows/check-row.ts'
import { versionOf } from './rows/version.ts'

interface Completing {
  /** Whether rows get the version that their pets have now, and so change them whatever others did before. */
  readonly overwrite: boolean
  readonly restore: boolean
  readonly clock: Clock
}

/**
 * Gives each row what it lacks: an id to a new pet, and a version to the others.
 *
 * @throws UserError after the last row, where no pet has the id of a row without a version that is not to be restored
 */
export async function* completeRows(
  items: PetItems,
  rows: AsyncIterable<PetRow>,
  { overwrite, restore, clock }: Completing,
): AsyncGenerator<CompleteRow> {
  const attemptId = `import-${randomBytes(8).toString('hex')}`
  const newIds = freeIds(items, clock)
  const mistakes: Mistake[] = []
  for await (const batch of batchesOf(rows)) {
    const found = await items.find(overwrite ? batch.flatMap(({ id }) => id ?? []) : [])
    for (const row of batch) {
      const id = row.id ?? (await newIds.next()).value
      const pet = withId(id, row.values)
      const theirs = found.get(id)?.pet
      if (row.id === undefined) yield { ...row, id, version: versionOf(pet, attemptId) }
      else if (theirs !== undefined) yield { ...row, id, version: versionOf(theirs) }
      else if (row.version !== undefined || restore) yield { ...row, id, version: row.version ?? versionOf(pet) }
      else mistakes.push({ line: row.line, column: 'id', text: `no pet has the id ${id}; --restore would add it` })
    }
  }
  failOn(mistakes)
}

/** The service draws ids of the present moment. Those of a moment that has passed are free, or have an item by now. */
const passedMilliseconds = 1_000

/** Ids that no item has, each higher than the one before. They begin anywhere, so that two imports rarely draw the same. */
async function* freeIds(items: PetItems, clock: Clock): AsyncGenerator<bigint, never> {
  for (let next = newPetId(clock() - passedMilliseconds + randomInt(passedMilliseconds / 2)); ; ) {
    const ids = Array.from({ length: keysAtOnce }, () => next++)
    const taken = await items.find(ids)
    yield* ids.filter((id) => !taken.has(id))
  }
}

async function* batchesOf<Item>(items: AsyncIterable<Item>): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < keysAtOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** What to do with rows, some at a time, by what the table has at that moment. */
export async function* stepsOf(
  items: PetItems,
  rows: AsyncIterable<CompleteRow>,
  restore: boolean,
): AsyncGenerator<readonly Step[]> {
  for await (const batch of batchesOf(rows)) {
    const found = await items.find(batch.map(({ id }) => id))
    yield batch.map((row) => decide(row, found.get(row.id), restore))
  }
}

interface Applying {
  readonly items: PetItems
  readonly steps: AsyncIterable<readonly Step[]>
  readonly audit: Audit
  /** Called with each step that is done, or is a conflict. */
  readonly settle: (step: Step) => void
  /** Pets that are written a second, at most. */
  readonly perSecond: number | undefined
  readonly signal: AbortSignal
}

/** Does what was decided, until the signal. Each change is recorded before it is made, so that none is without its line. */
export const applySteps = async ({ items, steps, audit, settle, perSecond, signal }: Applying): Promise<void> => {
  async function* writes(): AsyncGenerator<Step> {
    for await (const batch of steps) {
      for (const step of batch) if (!isWrite(step)) settle(step)
      await audit(batch.filter(isWrite).map(changeOf))
      yield* batch.filter(isWrite)
    }
  }
  const work = async (step: Step): Promise<void> => {
    const done = await write(items, step)
    if (done.kind === 'conflict') await audit([{ ...changeOf(step), refused: 'changed meanwhile' }])
    settle(done)
  }
  await workThrough(writes(), work, { perSecond, signal })
  signal.throwIfAborted()
}

const isWrite = ({ kind }: Step): boolean => kind !== 'leave' && kind !== 'conflict'

const changeOf = (step: Step): Change => ({
  action: 'pets import',
  ids: [`${step.pet.id}`],
  old: step.kind === 'change' ? step.old : null,
  new: step.pet,
})

/** @returns the step, or the conflict that it has become */
const write = async (items: PetItems, step: Step): Promise<Step> => {
  const { row, pet } = step
  if (step.kind === 'create') {
    const isTaken = (await items.store.put(pet, step.attemptId)) === 'taken'
    return isTaken ? conflict(row, (await items.find([row.id])).get(row.id)?.pet, true) : step
  }
  const written = await (step.kind === 'change' ? items.change(step.old, pet) : items.restore(pet))
  return written.isWritten ? step : conflict(row, written.theirs)
}
