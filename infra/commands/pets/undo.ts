/**
 * `npm run pets -- undo`: takes changes of pets back.
 *
 * The changes of a pet form a chain, in which each record names the one before as `previous`; times are never compared.
 * An undo is a merge: what the file has said since the undone changes stays in force.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { mergeFile, takeOffList } from '../changes/merge.ts'
import type { Decision, Plan, Rule, Wish } from '../changes/plan-changes.ts'
import { type AuditRecord, type ChangeId, parseChangeId, readPetId } from '../changes/record.ts'
import { reportChanges } from '../changes/report.ts'
import {
  type FileFields,
  fileFields,
  formatPetState,
  isInState,
  type PetState,
  readPetState,
  type StoredPet,
} from '../changes/stored-pet.ts'
import { type ChangeRequest, changePets } from './change-pets.ts'

/**
 * Undoes changes. Those of one pet are taken back together if they follow each other, up to its latest change; records
 * of `pets sync` between them that left the pet as it was do not count. Otherwise the pet stays as it is. So the same
 * command can be repeated.
 *
 * @throws UserError that names the ids without a change of a pet
 */
export const undoChanges = async (request: ChangeRequest, changeIds: readonly ChangeId[]): Promise<Report> => {
  const listedByPet = Map.groupBy(changeIds, findPetId)
  const ofNoPet = listedByPet.get(undefined) ?? []
  const wishes = [...listedByPet].flatMap(([id, listed]): Wish | readonly [] =>
    id === undefined ? [] : { id, readsRecords: true, rule: createUndoRule(new Set(listed)) },
  )
  const plans = await changePets(request, 'pets undo', wishes, (planned) => requireChanges(planned, ofNoPet))
  return reportChanges(plans, { isDryRun: request.operator === undefined })
}

/** Finds the pet of a change; undefined for the change of a key. */
const findPetId = (changeId: ChangeId): bigint | undefined => {
  const target = parseChangeId(changeId)?.target
  return target && readPetId(target)
}

const unknownReason = 'the audit has no change '

const requireChanges = (plans: readonly Plan[], ofNoPet: readonly ChangeId[]): void => {
  const unknown = plans.flatMap(({ decision }) =>
    decision.kind === 'conflict' && decision.reason.startsWith(unknownReason)
      ? [decision.reason.slice(unknownReason.length)]
      : [],
  )
  const missing = [...ofNoPet, ...unknown].join(', ')
  if (missing === '') return
  throw new UserError(`The audit has no change of a pet with the id ${missing}. Nothing is undone.`)
}

const createUndoRule =
  (listed: ReadonlySet<ChangeId>): Rule =>
  (stored, records) => {
    const unknown = findUnknown(listed, records)
    if (unknown.length > 0) return { kind: 'conflict', reason: `${unknownReason}${unknown.join(', ')}` }
    if (stored === undefined) return { kind: 'conflict', reason: 'its item is not there' }
    return planUndo(stored, listed, followPrevious(stored, records))
  }

/**
 * Decides the undo of some changes of a pet.
 *
 * @param chain the changes that have led to the pet, the latest first
 */
const planUndo = (stored: StoredPet, listed: ReadonlySet<ChangeId>, chain: readonly AuditRecord[]): Decision => {
  const undone = chain.filter(({ changeId }) => listed.has(changeId))
  if (undone.length < listed.size) {
    return { kind: 'conflict', reason: 'the pet does not have the change any more, for example after a restore' }
  }
  const state = computeUndone(stored, undone, stored.state.file)
  if (typeof state === 'string') return { kind: 'conflict', reason: state }
  const oldestUndone = chain.findLastIndex(({ changeId }) => listed.has(changeId))
  const laterRecords = chain.slice(0, oldestUndone)
  const others = laterRecords.filter((record) => !listed.has(record.changeId) && !leavesPet(record))
  if (isInState(stored, state) || isSameUndo(stored, others, undone)) return { kind: 'unchanged' }
  return decideUndo(stored, state, others)
}

const findUnknown = (listed: ReadonlySet<ChangeId>, records: readonly AuditRecord[]): readonly ChangeId[] => [
  ...listed.difference(new Set(records.map(({ changeId }) => changeId))),
]

const decideUndo = (stored: StoredPet, state: PetState, [other]: readonly AuditRecord[]): Decision => {
  if (other === undefined) return { kind: 'write', state }
  return { kind: 'conflict', reason: `change ${other.changeId} came after`, yours: describeState(stored, state) }
}

const describeState = ({ id, origin }: StoredPet, state: PetState) => formatPetState(id, state, origin)

/** Lists the changes that have led to a pet, the latest first. */
const followPrevious = ({ changeId }: StoredPet, records: readonly AuditRecord[]): readonly AuditRecord[] => {
  const recordsById = new Map(records.map((record) => [record.changeId, record] as const))
  const chain: AuditRecord[] = []
  let next = changeId && recordsById.get(changeId)
  while (next !== undefined) {
    chain.push(next)
    next = next.previous && recordsById.get(next.previous)
  }
  return chain
}

/** Whether a record is that of a night that has left the pet as it was, and only noted what the file says of it. */
const leavesPet = (record: AuditRecord): boolean => {
  if (record.action !== 'pets sync' || record.old === null || record.new === null) return false
  const old = readPetState(record.old)
  const next = readPetState(record.new)
  if (old.kind === 'removed') return next.kind === 'removed'
  return old.kind === 'shown' && next.kind === 'shown' && isDeepStrictEqual(old.pet, next.pet)
}

/** Whether the only other change is the undo of the same changes, which an earlier run of the command has made. */
const isSameUndo = (stored: StoredPet, others: readonly AuditRecord[], undone: readonly AuditRecord[]): boolean => {
  const [other] = others
  if (others.length !== 1 || other?.action !== 'pets undo' || other.old === null) return false
  const before: StoredPet = { ...stored, state: readPetState(other.old) }
  const state = computeUndone(before, undone, before.state.file)
  if (typeof state === 'string') return false
  return isDeepStrictEqual(readPetState(other.new ?? {}), readPetState(describeState(stored, state)))
}

/**
 * Computes the pet without some changes.
 *
 * @param undone the changes, the latest first
 * @param theirs what the file says now
 * @returns a reason if it cannot be computed
 */
const computeUndone = (
  stored: StoredPet,
  undone: readonly AuditRecord[],
  theirs: Partial<FileFields>,
): PetState | string => {
  const { old = null, new: added } = undone.at(-1) ?? {}
  // The undo of an addition removes the pet as it was added.
  const ours =
    old === null ? takeOffList({ ...stored, state: readPetState(added ?? {}) }, 'by hand') : readPetState(old)
  if (ours.kind === 'malformed') return `before the change, the pet had no valid ${ours.attribute}`

  const base = readPetState(undone[0]?.new ?? {}).file
  const merged = mergeLaterFiles(stored.id, undone, ours, theirs)
  if (undone.some(isFileChangedByHand)) return giveFileBack(merged, ours, { base, theirs })
  const isTakenOff = merged.kind === 'removed' && stored.state.kind === 'shown'
  return isTakenOff ? { ...merged, removed: 'by hand' } : merged
}

/** Merges into a pet what its file has said between the undone changes (the latest first), and after them. */
const mergeLaterFiles = (
  id: bigint,
  undone: readonly AuditRecord[],
  ours: PetState,
  theirs: Partial<FileFields>,
): PetState => {
  const oldestFirst = undone.toReversed()
  let state = ours
  for (const [index, change] of oldestFirst.entries()) {
    const next = oldestFirst[index + 1]
    const base = readPetState(change.new ?? {}).file
    const fileBeforeNext = next === undefined ? theirs : readPetState(next.old ?? {}).file
    state = mergeFile(id, { base, theirs: fileBeforeNext, ours: state })
  }
  return state
}

/** Whether a change by hand, such as that of `pets restore`, has also changed what the file says of the pet. */
const isFileChangedByHand = (record: AuditRecord): boolean => {
  if (record.action === 'pets sync' || record.source === undefined || record.old === null) return false
  return !isDeepStrictEqual(readPetState(record.old).file, readPetState(record.new ?? {}).file)
}

/** Gives a pet what its file said before the undone changes, except where the file has changed since. */
const giveFileBack = (
  merged: PetState,
  ours: PetState,
  { base, theirs }: Readonly<Record<'base' | 'theirs', Partial<FileFields>>>,
): PetState => {
  const fields = fileFields.filter((field) => theirs[field] === base[field] && ours.file[field] !== undefined)
  // Each value is that of its field.
  const file = Object.fromEntries(fields.map((field) => [field, ours.file[field]])) as Partial<FileFields>
  if (merged.kind === 'shown') return { ...merged, file: { ...merged.file, ...file } }
  return { ...merged, file: { ...merged.file, ...file } }
}
