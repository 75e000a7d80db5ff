import { isDeepStrictEqual } from 'node:util'
import type { Pet, PetFields } from '../../../shared/pets/pet.ts'
import { createPacer, type Pacer, startProgress } from '../../command-line/long-work.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit, Change, RecordedChange } from '../environment/audit.ts'
import { findPetFields, lastChange, type PetTable } from './pet-table.ts'
import {
  type ChangeRules,
  type DesiredPet,
  isWrite,
  type Outcome,
  type PlannedChange,
  planChange,
} from './plan-change.ts'

export interface ChangeContext extends ChangeRules {
  readonly table: PetTable
  /** Records each change before it is made. Without an audit nothing is written: a dry run. */
  readonly audit: Audit | undefined
  /** Name of the command in the audit, such as `pets set`. */
  readonly action: string
  /** Limits the rate of writes. */
  readonly pacer: Pacer
  readonly signal: AbortSignal
}

export interface ChangeRequest extends Omit<ChangeContext, 'pacer'> {
  readonly desired: readonly DesiredPet[]
  /** Maximum writes per second. Default: no limit. */
  readonly perSecond?: number | undefined
}

/** A change with its outcome. */
export interface AppliedChange {
  readonly desired: DesiredPet
  readonly outcome: Outcome
  /** Reason of a conflict. */
  readonly reason: string | undefined
  /** The pet before the change. In a conflict, the pet as somebody else has left it. */
  readonly currentPet: PetFields | undefined
  /** The pet after the change. In a conflict, the pet as the change would leave it. */
  readonly newPet: Pet | undefined
}

/** Pets that are looked up at once. */
const petsPerBatch = 100

/**
 * Brings pets to their desired states. Each change is one conditional write, audited first. Without an audit it is
 * a dry run.
 *
 * @returns the changes with their outcomes, in the order of the request
 * @throws Error if a change fails, or once the signal is aborted. Changes until then are made; a repeated request finds
 *   their pets unchanged.
 */
export const applyChanges = async (request: ChangeRequest): Promise<readonly AppliedChange[]> => {
  const { desired, perSecond, signal } = request
  const context = { ...request, pacer: createPacer(perSecond, signal) }
  const changes = new Map<DesiredPet, AppliedChange>()
  using progress = startProgress('pets', desired.length)

  for (let begin = 0; begin < desired.length; begin += petsPerBatch) {
    const batch = desired.slice(begin, begin + petsPerBatch)
    await applyBatch(context, batch, (change) => changes.set(change.desired, change))
    progress.count(batch.length)
  }
  return desired.flatMap((pet) => changes.get(pet) ?? [])
}

/**
 * Applies at most a hundred changes as `applyChanges` does, at the rate of a pacer.
 *
 * @param report gets each change once its outcome is known
 */
export const applyBatch = async (
  context: ChangeContext,
  batch: readonly DesiredPet[],
  report: (change: AppliedChange) => void,
): Promise<void> => {
  const { table, audit, signal } = context
  signal.throwIfAborted()
  const ids = batch.map(({ id }) => id)
  const items = await table.findItems(ids, signal)
  const planned = batch.map((desired) => planChange(context, desired, items.get(desired.id)))

  const reportChange = (change: PlannedChange): void => report(summarizeChange(change))
  const writes = planned.filter(needsWrite)
  if (audit === undefined) {
    planned.forEach(reportChange)
    return
  }
  planned.filter((change) => !needsWrite(change)).forEach(reportChange)
  await makeChanges(context, audit, writes, reportChange)
}

/** Drops the item: of a million changes, the items alone would take some hundred megabytes. */
const summarizeChange = ({ desired, outcome, reason, item, newPet }: PlannedChange): AppliedChange => ({
  desired,
  outcome,
  reason,
  currentPet: findPetFields(item),
  newPet,
})

const needsWrite = ({ outcome }: PlannedChange): boolean => isWrite(outcome)

/**
 * Makes changes, as many at once as the pacer allows. A change whose pet has changed since it was looked up is planned
 * again on the current item: it is made in a second round, with lines of its own in the audit, or it is a conflict.
 *
 * @param report gets each change that was made, or that became a conflict
 * @throws the first failure, after all changes that had begun have ended
 */
const makeChanges = async (
  context: ChangeContext,
  audit: Audit,
  writes: readonly PlannedChange[],
  report: (change: PlannedChange) => void,
): Promise<void> => {
  const { pacer } = context
  let remaining = [...writes]
  while (remaining.length > 0) {
    const batch = remaining.splice(0, pacer.maximumBatchSize)
    await pacer.waitToBegin(batch.length)
    const newPlans = await makeChangesAtOnce(context, audit, batch, report)
    newPlans.filter((change) => !needsWrite(change)).forEach(report)
    remaining = [...newPlans.filter(needsWrite), ...remaining]
  }
}

/**
 * Makes changes concurrently.
 *
 * @param report gets the changes that were made
 * @returns new plans of the changes whose pets have changed
 */
const makeChangesAtOnce = async (
  context: ChangeContext,
  audit: Audit,
  batch: readonly PlannedChange[],
  report: (change: PlannedChange) => void,
): Promise<readonly PlannedChange[]> => {
  const results = await audit.recordThenMakeAll(
    batch.map((change) => ({
      change: describeForAudit(context, change),
      make: (recorded) => makeChange(context, change, recorded),
    })),
  )

  const newPlans: PlannedChange[] = []
  const failures: unknown[] = []
  for (const result of results) {
    if (result.status === 'fulfilled') report(result.value)
    else if (result.reason instanceof PetChangedError) newPlans.push(result.reason.newPlan)
    else failures.push(result.reason)
  }
  if (failures.length > 0) throw failures[0]
  return newPlans
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

/** Name of the attempt that adds a pet again under an id that never had an item, for example in another environment. */
const restoringAttemptId = 'restore'

/** Writes one item. */
const makeChange = async (
  context: ChangeContext,
  change: PlannedChange,
  recorded: RecordedChange,
): Promise<PlannedChange> => {
  const { desired, item, newPet } = change
  const written = await context.table.write({
    id: desired.id,
    item,
    pet: newPet,
    attemptId: restoringAttemptId,
    change: recorded,
  })
  if (written.met) return change

  const newPlan = planChange(context, desired, written.current)
  // The SDK has retried a write whose response was lost: the retry finds what the first attempt wrote. If somebody else
  // has made the same change, this one was not made, and the audit must not have it as done.
  // DynamoDB does not keep the order of the attributes of a map.
  const isOwnChange = isDeepStrictEqual(written.current?.[lastChange], recorded)
  if (newPlan.outcome === 'unchanged' && isOwnChange) return change
  throw new PetChangedError(newPlan, written.error)
}

const describeForAudit = ({ action }: ChangeContext, { desired, item, newPet }: PlannedChange): Change => ({
  action,
  ids: [`${desired.id}`],
  old: findPetFields(item) ?? null,
  new: newPet ?? null,
})
