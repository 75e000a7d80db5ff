import type { Pet } from '../../../shared/pets/pet.ts'
import { type PetTable, readPet } from '../../../shared/pets/pet-table.ts'
import { processInBatches, waitForAll } from '../../command-line/long-work.ts'
import type { Audit, Change } from '../environment/audit.ts'
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
  readonly currentPet: Pet | undefined
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
    const applied = audit === undefined ? planned : await makeChanges(request, audit, planned)
    changes.push(...applied.map(summarizeChange))
  }
  await processInBatches('pets', desired, applyBatch, { perSecond, signal })
  return changes
}

/** Drops the item: of a million changes, the items alone would take some hundred megabytes. */
const summarizeChange = ({ desired, outcome, reason, item }: PlannedChange): AppliedChange => ({
  desired,
  outcome,
  reason,
  currentPet: readPet(item),
})

/** Records the planned changes of a batch that write, and then makes them concurrently. */
const makeChanges = async (
  request: ChangeRequest,
  audit: Audit,
  planned: readonly PlannedChange[],
): Promise<readonly PlannedChange[]> => {
  const writes = planned.filter(({ outcome }) => isWrite(outcome))
  if (writes.length > 0) await audit.record(writes.map((change) => describeForAudit(request, change)))

  const pendingChanges = planned.map((change) =>
    isWrite(change.outcome) ? makeChange(request, audit, change) : Promise.resolve(change),
  )
  // Promise.all alone would not wait for the other changes when one fails.
  await waitForAll(pendingChanges)
  return Promise.all(pendingChanges)
}

/** Writes one item. If the item has changed since it was looked up, the change is planned again on the current item. */
const makeChange = async (request: ChangeRequest, audit: Audit, change: PlannedChange): Promise<PlannedChange> => {
  const { id, pet, version } = change.desired
  const attemptId = version?.importId ?? 'restore'
  const written = await request.table.write({ id, item: change.item, pet, attemptId })
  if (written.met) return change

  const newPlan = planChange(request, change.desired, written.current)
  if (isWrite(newPlan.outcome)) return makeChange(request, audit, newPlan)
  // The SDK has retried a write whose response was lost: the retry finds what the first attempt wrote.
  if (newPlan.outcome === 'unchanged') return change

  await audit.record([{ ...describeForAudit(request, change), failed: 'changed meanwhile' }])
  return newPlan
}

const describeForAudit = ({ action }: ChangeRequest, { desired, item }: PlannedChange): Change => ({
  action,
  ids: [`${desired.id}`],
  old: readPet(item) ?? null,
  new: desired.pet ?? null,
})
