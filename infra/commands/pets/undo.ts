/**
 * `npm run pets -- undo`: takes changes of pets back.
 *
 * The changes of a pet form a chain, in which each record names the change before it as `previous`. Times are never
 * compared, because clocks differ. The changes of a pet that are undone together must be its latest ones. The pet then
 * gets the state that it had before the oldest of them.
 */
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { readRecordsOf } from '../changes/audit-table.ts'
import { type Decision, planChanges, type Rule, type Wish } from '../changes/plan-changes.ts'
import { type AuditRecord, type ChangeId, formatPetTarget, parseChangeId, readPetId } from '../changes/record.ts'
import {
  createRemovedState,
  goneRowHash,
  isInState,
  type MalformedPet,
  type PetState,
  readPetState,
  type StoredPet,
} from '../changes/stored-pet.ts'
import { type ChangeRequest, finishChanges } from './edit-pets.ts'

/** Number of pets whose records are read at the same time. */
const petsPerLookup = 50

/**
 * Undoes changes. Those of one pet are taken back together. The same command can be repeated.
 *
 * @throws UserError that names the ids without a change of a pet
 */
export const undoChanges = async (request: ChangeRequest, changeIds: readonly ChangeId[]): Promise<Report> => {
  const changesByPet = [...Map.groupBy(changeIds, findPetOfChange)]
  const wishes: Wish[] = []
  const unknownIds: ChangeId[] = []
  for (let begin = 0; begin < changesByPet.length; begin += petsPerLookup) {
    const batch = changesByPet.slice(begin, begin + petsPerLookup)
    const lookups = batch.map(async ([id, givenIds]) => {
      // The change of a key has no pet and so no record here: its id is then among the unknown ones.
      const records = id === undefined ? [] : await readRecordsOf(request.environment, formatPetTarget(id))
      return { id, givenIds: new Set(givenIds), records }
    })
    for (const { id, givenIds, records } of await Promise.all(lookups)) {
      unknownIds.push(...givenIds.difference(new Set(records.map(({ changeId }) => changeId))))
      wishes.push({ id, rule: createUndoRule(givenIds, records) })
    }
  }
  if (unknownIds.length > 0) {
    throw new UserError(`The audit has no change of a pet with the id ${unknownIds.join(', ')}. Nothing is undone.`)
  }
  const plans = await Array.fromAsync(planChanges(request.environment, wishes))
  return finishChanges(request, 'pets undo', plans)
}

/** Finds the id of the pet that a change is about; undefined for the change of a key. */
const findPetOfChange = (changeId: ChangeId): bigint | undefined => {
  const target = parseChangeId(changeId)?.target
  return target && readPetId(target)
}

/**
 * Creates the rule that undoes some changes of a pet.
 *
 * @param records all records of the pet. They are read before the pet, so a change that is made meanwhile is not among
 * them
 */
export const createUndoRule =
  (givenIds: ReadonlySet<ChangeId>, records: readonly AuditRecord[]): Rule =>
  (stored): Decision => {
    if (stored === undefined) return { kind: 'conflict', reason: 'its item is not there' }
    const chain = listLatestFirst(stored, records)
    const oldest = chain.findLast(({ changeId }) => givenIds.has(changeId))
    if (oldest === undefined) return explainMissingChange(stored, records)

    const state = findStateBefore(oldest)
    if (state.kind === 'malformed') {
      return { kind: 'conflict', reason: `before the change, the pet had no valid ${state.attribute}` }
    }
    if (isInState(stored, state)) return { kind: 'unchanged' }
    const laterIds = chain.slice(0, chain.indexOf(oldest)).map(({ changeId }) => changeId)
    const missingIds = laterIds.filter((changeId) => !givenIds.has(changeId))
    if (missingIds.length > 0) {
      return { kind: 'conflict', reason: `undo what came after as well: ${missingIds.join(' ')}` }
    }
    return { kind: 'write', state }
  }

/** Lists the changes that have led to a pet, the latest first. */
const listLatestFirst = ({ changeId }: StoredPet, records: readonly AuditRecord[]): readonly AuditRecord[] => {
  const recordsById = new Map(records.map((record) => [record.changeId, record]))
  const chain: AuditRecord[] = []
  let next = changeId && recordsById.get(changeId)
  while (next !== undefined) {
    chain.push(next)
    next = next.previous && recordsById.get(next.previous)
  }
  return chain
}

/** Explains why none of the given changes has led to the pet. */
const explainMissingChange = ({ changeId }: StoredPet, records: readonly AuditRecord[]): Decision => {
  const isNewer = changeId !== undefined && records.every((record) => record.changeId !== changeId)
  const reason = isNewer
    ? `somebody has just changed the pet (${changeId})`
    : 'the pet does not have the change any more, for example after its table was restored'
  return { kind: 'conflict', reason }
}

/**
 * Finds the state of a pet before a change. Before its addition, a pet of a source counts as gone from its file, so
 * that the next file that has the animal brings it back.
 */
const findStateBefore = ({ old, new: next, source }: AuditRecord): PetState | MalformedPet => {
  if (old !== null) return readPetState(old)
  const state = readPetState(next)
  return source === undefined
    ? createRemovedState({ state }, 'by hand')
    : { ...createRemovedState({ state }, 'by source'), rowHash: goneRowHash }
}
