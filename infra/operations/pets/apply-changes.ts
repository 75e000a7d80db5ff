import type { PetFields } from '../../../shared/pets/pet.ts'
import { findPetFields, type PetTable } from '../../../shared/pets/pet-table.ts'
import { processInBatches } from '../../command-line/long-work.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit, Change, RecordedChange } from '../environment/audit.ts'
import {
  type ChangeRules,
  type DesiredPet,
  isWrite,
  type Outcome,
  type PlannedChange,
  planChange,
} from './plan-change.ts'

export interface ChangeRequest extends ChangeRules {
  readonly table: PetTable
  /** Records each change before it is made. Without an audit nothing is written: a dry run. */
  readonly audit: Audit | undefined
  /** Name of the command in the audit, such as `pets set`. */
  readonly action: string
  readonly desired: readonly DesiredPet[]
  /** Maximum writes per second. Default: no limit. */
  readonly perSecond?: number | undefined
  readonly signal: AbortSignal
}

/** A change with its outcome. */
export interface AppliedChange {
  readonly desired: DesiredPet
  readonly outcome: Outcome
  /** Reason of a conflict. */
  readonly reason: string | undefined
  /** The pet before the change. In a conflict, the pet as somebody else has left it. */
  readonly currentPet: PetFields | undefined
}

/**
 * Brings pets to their desired states. Each change is one conditional write, audited first. Without an audit it is
 * a dry run.
 *
 * @returns the changes with their outcomes, in the order of the request
 * @throws Error if a change fails, or once the signal is aborted. Changes until then are made; a repeated request finds
 *   their pets unchanged.
 */
export const applyChanges = async (request: ChangeRequest): Promise<readonly AppliedChange[]> => {
  const { table, audit, desired, perSecond, signal } = request
  const changes: AppliedChange[] = []

  const applyBatch = async (batch: readonly DesiredPet[]): Promise<void> => {
    const items = await table.findItems(batch.map(({ id }) => id))
    const planned = batch.map((pet) => planChange(request, pet, items.get(pet.id)))
    const made = audit === undefined ? [] : await makeChanges(request, audit, planned.filter(needsWrite))
    const endedChanges = new Map(made.map((change) => [change.desired, change]))
    changes.push(...planned.map((change) => summarizeChange(endedChanges.get(change.desired) ?? change)))
  }
  await processInBatches('pets', desired, applyBatch, { perSecond, signal })
  return changes
}

/** Drops the item: of a million changes, the items alone would take some hundred megabytes. */
const summarizeChange = ({ desired, outcome, reason, item }: PlannedChange): AppliedChange => ({
  desired,
  outcome,
  reason,
  currentPet: findPetFields(item),
})

const needsWrite = ({ outcome }: PlannedChange): boolean => isWrite(outcome)

/**
 * Makes changes concurrently. A change whose pet has changed since it was looked up is planned again on the current
 * item: it is made in a second round, with lines of its own in the audit, or it is a conflict.
 *
 * @throws the first failure, after all changes have ended
 */
const makeChanges = async (
  request: ChangeRequest,
  audit: Audit,
  writes: readonly PlannedChange[],
): Promise<readonly PlannedChange[]> => {
  if (writes.length === 0) return []
  const results = await audit.recordThenMakeAll(
    writes.map((change) => ({
      change: describeForAudit(request, change),
      make: (recorded) => makeChange(request, change, recorded),
    })),
  )

  const made: PlannedChange[] = []
  const newPlans: PlannedChange[] = []
  for (const result of results) {
    if (result.status === 'fulfilled') made.push(result.value)
    else if (result.reason instanceof PetChangedError) newPlans.push(result.reason.newPlan)
    else throw result.reason
  }
  const conflicts = newPlans.filter((change) => !needsWrite(change))
  const madeAgain = await makeChanges(request, audit, newPlans.filter(needsWrite))
  return [...made, ...conflicts, ...madeAgain]
}

/** The pet has changed since it was looked up, so the change was not made. */
class PetChangedError extends UserError {
  /** The change as it is planned on the current item. */
  readonly newPlan: PlannedChange

  constructor(newPlan: PlannedChange, cause: unknown) {
    super('changed meanwhile', { cause })
    this.newPlan = newPlan
  }
}

/** Writes one item. */
const makeChange = async (
  request: ChangeRequest,
  change: PlannedChange,
  recorded: RecordedChange,
): Promise<PlannedChange> => {
  const { id, pet, version } = change.desired
  const attemptId = version?.importId ?? 'restore'
  const written = await request.table.write({ id, item: change.item, pet, attemptId, change: recorded })
  if (written.met) return change

  const newPlan = planChange(request, change.desired, written.current)
  // The SDK has retried a write whose response was lost: the retry finds what the first attempt wrote.
  if (newPlan.outcome === 'unchanged') return change
  throw new PetChangedError(newPlan, written.error)
}

const describeForAudit = ({ action }: ChangeRequest, { desired, item }: PlannedChange): Change => ({
  action,
  ids: [`${desired.id}`],
  old: findPetFields(item) ?? null,
  new: desired.pet ?? null,
})
