/**
 * The engine that makes the changes of plans (`plan-changes.ts`), batch by batch. A batch is one transaction: for each
 * pet its item, the record of the audit and, if the pet is created with a source and number, its entry in the index of
 * numbers (`number-index.ts`). So a record is there if and only if its change was made, and no command can add an
 * animal twice.
 *
 * Each item is written on condition that it is as it was read. If somebody has changed an item meanwhile, no write of
 * the batch is made, and the engine plans the batch again from the pets as they are then.
 *
 * A transaction that AWS does not answer may still be made later. This does no harm: its records describe its changes,
 * and once one of its items has changed, DynamoDB cancels it. Before the engine sends a batch again, it looks for the
 * records of earlier attempts, so that it reports the attempt that was made.
 *
 * @example
 *
 *     const plans = await Array.fromAsync(planChanges(context.environment, wishes))
 *     const made = await makeChanges(context, plans)
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { findUnmetItems } from '../../../shared/dynamodb/conditional-write.ts'
import { isInConflict } from '../../../shared/dynamodb/unavailable.ts'
import { createPacer, startProgress } from '../../command-line/progress.ts'
import { formatCount, formatNumber } from '../../command-line/report.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { NamedTableAccess, Operator } from '../environment/open-environment.ts'
import { hasFailedForGood } from '../environment/retry-strategy.ts'
import { hasRecord } from './audit-table.ts'
import { createEntryPut } from './number-index.ts'
import { type Plan, planBatch } from './plan-changes.ts'
import { type AuditRecord, createRecord, formatPetTarget, formatUnchangedCondition } from './record.ts'
import { buildItem, formatPetState, type PetState } from './stored-pet.ts'

type TransactionItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/**
 * A condition of all transactions of a command, such as that no later `pets sync` of the same source has begun. Once
 * the condition is unmet, the command writes nothing more, not even by a transaction that is still on its way.
 */
export interface Guard {
  /** A write that has the condition, and changes nothing. */
  readonly write: TransactionItem
  /** Explains to the operator why the condition is unmet. */
  readonly explainUnmet: () => Promise<UserError>
}

export interface ChangeContext {
  readonly environment: NamedTableAccess
  readonly operator: Operator
  /** Name of the command in the audit, such as `pets set`. */
  readonly action: string
  /** Name and hash of the shelter's file, for the audit. */
  readonly inputFile?: string
  readonly guard?: Guard
}

/** An error after which nobody knows yet whether changes were made. */
export class UnknownOutcomeError extends UserError {
  override readonly name: string = 'UnknownOutcomeError'

  constructor(cause: unknown) {
    super(`${describeError(cause)} Whether the last change was made is not known.`, { cause })
  }
}

/** Maximum number of pets in a transaction, which has at most 100 writes: the guard, and up to three for each pet. */
const petsPerTransaction = 33

/** Maximum number of attempts at a batch: somebody else may change the same pets, or AWS may give no answer. */
const maximumAttempts = 20

/**
 * Pets that are changed per second on AWS. A partition of a table or of its index takes 1,000 writes per second, and
 * all pets of one status are in one partition of the status index. So the callers of the API keep three quarters of it.
 */
const deployedPerSecond = 250

/**
 * Makes the changes of plans. The same command can be run again after any failure.
 *
 * @returns the plans as they were made, in the order of the given ones
 * @throws UserError that says how many changes are done
 */
export const makeChanges = async (context: ChangeContext, plans: readonly Plan[]): Promise<readonly Plan[]> => {
  const writingPlans = plans.filter(({ decision }) => decision.kind === 'write')
  // A batch may be planned again. The wish is then the same, and finds the plan that was made in the end.
  const madePlans = new Map<Plan['wish'], Plan>()
  const waitToBegin = createPacer(context.environment.name === 'local' ? undefined : deployedPerSecond)
  const progress = startProgress('pets', writingPlans.length)
  for (let begin = 0; begin < writingPlans.length; begin += petsPerTransaction) {
    const batch = writingPlans.slice(begin, begin + petsPerTransaction)
    await waitToBegin(batch.length)
    try {
      for (const plan of await makeBatch(context, batch)) madePlans.set(plan.wish, plan)
    } catch (error) {
      throw explainFailure(error, madePlans.size, writingPlans.length)
    }
    progress.count(batch.length)
  }
  return plans.map((plan) => madePlans.get(plan.wish) ?? plan)
}

const explainFailure = (cause: unknown, doneCount: number, count: number): UserError => {
  const done = `${formatNumber(doneCount)} of ${formatCount(count, 'change')} done.`
  if (cause instanceof UserError && !(cause instanceof UnknownOutcomeError)) {
    return new UserError(`${cause.message} ${done}`, { cause, exitCode: cause.exitCode })
  }
  return new UserError(`${describeError(cause)} ${done} Run the same command again.`, { cause })
}

/** A plan that writes, and the record of the change. */
interface Change {
  readonly plan: Plan
  readonly state: PetState
  readonly record: AuditRecord
}

/** One attempt at a batch. */
interface Attempt {
  readonly plans: readonly Plan[]
  /** The changes of those plans that write. */
  readonly changes: readonly Change[]
}

/** An attempt whose transaction has failed. */
interface FailedAttempt extends Attempt {
  readonly cause: unknown
}

/** The outcome of a transaction. A transaction that has failed without an answer of AWS may still be made later. */
type Outcome = { readonly kind: 'made' } | { readonly kind: 'failed'; readonly cause: unknown }

/** Makes the changes of one batch. */
const makeBatch = async (context: ChangeContext, plans: readonly Plan[]): Promise<readonly Plan[]> => {
  const failures: FailedAttempt[] = []
  try {
    return await planUntilMade(context, plans, failures)
  } catch (error) {
    // Only a transaction that DynamoDB has canceled is certain not to be made later.
    const mayBeMadeLater = failures.some(({ cause }) => !(cause instanceof TransactionCanceledException))
    throw mayBeMadeLater && !(error instanceof UserError) ? new UnknownOutcomeError(error) : error
  }
}

/**
 * Plans a batch again after each failed attempt, until one is made.
 *
 * @param failures list to which each failed attempt is added: the caller needs them after an error
 */
const planUntilMade = async (
  context: ChangeContext,
  firstPlans: readonly Plan[],
  failures: FailedAttempt[],
): Promise<readonly Plan[]> => {
  let plans = firstPlans
  for (;;) {
    const attempt = prepareAttempt(context, plans)
    // A rule decides by the stored pet alone. If no rule of the batch writes any more, the items have changed, and so
    // the transaction of an earlier attempt cannot be made any more.
    if (attempt.changes.length === 0) return plans
    const outcome = await sendTransaction(context, attempt)
    if (outcome.kind === 'made') return addChangeIds(attempt)

    const { cause } = outcome
    failures.push({ ...attempt, cause })
    // The items are read before the audit: an attempt that is made between the two reads is then found in the audit.
    plans = await planBatch(
      context.environment,
      firstPlans.map(({ wish }) => wish),
    )
    const madeAttempt = await findMadeAttempt(context, failures)
    if (madeAttempt !== undefined) return addChangeIds(madeAttempt)
    await requireGuard(context.guard, cause)
    if (failures.length === maximumAttempts) throw explainLastFailure(cause)
  }
}

/** @throws UserError if a transaction has failed because the condition of the guard, its first write, was unmet */
const requireGuard = async (guard: Guard | undefined, cause: unknown): Promise<void> => {
  const isUnmet = findUnmetItems(cause)?.[0] !== undefined
  if (guard !== undefined && isUnmet) throw await guard.explainUnmet()
}

const explainLastFailure = (cause: unknown): unknown =>
  findUnmetItems(cause) !== undefined || isInConflict(cause)
    ? new UserError('Somebody else changes the same pets all the time. Run the same command again.')
    : cause

/** Finds the attempt that was made although it seemed to have failed. */
const findMadeAttempt = async (context: ChangeContext, attempts: readonly Attempt[]): Promise<Attempt | undefined> => {
  for (const attempt of attempts) if (await isMade(context, attempt)) return attempt
  return undefined
}

/**
 * Whether the audit has the records of an attempt. A transaction is made whole, so any of its records is enough. An
 * attempt without changes is never sent.
 */
const isMade = async ({ environment }: ChangeContext, { changes: [anyChange] }: Attempt): Promise<boolean> =>
  anyChange !== undefined && (await hasRecord(environment, anyChange.record))

const addChangeIds = ({ plans, changes }: Attempt): readonly Plan[] => {
  const changeIds = new Map(changes.map(({ plan, record }) => [plan, record.changeId]))
  return plans.map((plan) => {
    const changeId = changeIds.get(plan)
    return changeId === undefined ? plan : { ...plan, changeId }
  })
}

const prepareAttempt = (context: ChangeContext, plans: readonly Plan[]): Attempt => ({
  plans,
  changes: plans.flatMap((plan) => {
    const { decision } = plan
    if (decision.kind !== 'write') return []
    return [{ plan, state: decision.state, record: createChangeRecord(context, plan, decision.state) }]
  }),
})

const createChangeRecord = (
  { action, inputFile, operator }: ChangeContext,
  { wish, id, stored }: Plan,
  state: PetState,
): AuditRecord => {
  const origin = stored === undefined ? wish.origin : stored.origin
  const change = {
    target: formatPetTarget(id),
    action,
    previous: stored?.changeId,
    old: stored === undefined ? null : formatPetState(id, stored.state, origin),
    new: formatPetState(id, state, origin),
    inputFile,
    ...origin,
  }
  return createRecord(change, operator)
}

/**
 * Sends the transaction of an attempt.
 *
 * @throws the error of AWS if the transaction has failed for good
 * @throws UnknownOutcomeError if the audit cannot be read after a failure
 */
const sendTransaction = async (context: ChangeContext, attempt: Attempt): Promise<Outcome> => {
  const { environment, guard } = context
  const writes = attempt.changes.flatMap((change) => createWrites(environment, change))
  // The guard is the first write: `requireGuard` finds its unmet condition there.
  const TransactItems = guard === undefined ? writes : [guard.write, ...writes]
  try {
    await environment.database.send(new TransactWriteCommand({ TransactItems }))
    return { kind: 'made' }
  } catch (cause) {
    if (hasFailedForGood(cause)) throw cause
    const wasMade = await isMade(context, attempt).catch((error: unknown) => {
      throw new UnknownOutcomeError(error)
    })
    return wasMade ? { kind: 'made' } : { kind: 'failed', cause }
  }
}

const createWrites = (
  { tables }: ChangeContext['environment'],
  { plan: { wish, id, stored }, state, record }: Change,
): readonly TransactionItem[] => {
  const { changeId } = record
  const Item = buildItem({ id, stored, state, origin: wish.origin, changeId })
  const petPut = { Put: { TableName: tables.pets, Item, ...formatUnchangedCondition('id', stored?.item) } }
  const recordPut = { Put: { TableName: tables.audit, Item: record } }
  if (stored !== undefined || wish.origin === undefined) return [petPut, recordPut]
  return [petPut, recordPut, createEntryPut(tables.listings, wish.origin, id)]
}
