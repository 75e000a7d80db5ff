/**
 * The engine that changes pets. A command makes a list of wishes, one for each pet. The engine reads the pets, asks the
 * rule of each wish what to do, and writes batches. A batch is one transaction: for each pet its item, the record of
 * the audit and, if it is created with a source and number, its entry in the index. So a record is there if and only if
 * its change was made, and no command can add an animal twice.
 *
 * Each item is written on condition that it is as it was read. If somebody has changed one meanwhile, no write of the
 * batch is made, and it is planned again from the pets as they are then.
 *
 * @example
 *
 *     const plans = await Array.fromAsync(planChanges(context.environment, [{ id: 5n, rule: removePet }]))
 *     const made = await makeChanges(context, plans)
 */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { findUnmetItems } from '../../../shared/dynamodb/transaction.ts'
import { isInConflict } from '../../../shared/dynamodb/unavailable.ts'
import { createPacer, startProgress } from '../../command-line/progress.ts'
import { formatCount, formatNumber } from '../../command-line/report.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { NamedTableAccess } from '../environment/open-environment.ts'
import type { Operator } from '../environment/operator.ts'
import { isRefused } from '../environment/retry-strategy.ts'
import { hasRecord } from './audit-table.ts'
import { createEntryPut } from './number-index.ts'
import { type Plan, planBatch, type Wish } from './plan-changes.ts'
import { type AuditRecord, createRecord, formatPetTarget, formatUnchangedCondition } from './record.ts'
import { buildItem, formatPetState } from './stored-pet.ts'

type TransactionItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number]

/** A write of each transaction of a run whose condition must be met, or else the command ends with `error`. */
export interface Guard {
  readonly item: TransactionItem
  readonly error: UserError
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

/** Maximum number of pets in a transaction. It takes 100 writes: one is the guard, and each pet has up to three. */
const petsPerTransaction = 33

/** Maximum number of attempts at a batch: somebody else may change the same pets, or AWS may give no answer. */
const maximumAttempts = 20

/** Writes per second on AWS. A partition, also of the status index, takes 1,000. Callers need most of them. */
const deployedPerSecond = 250

/**
 * Makes the changes of plans. The same command can be run again after any failure.
 *
 * @returns the plans as they were made, in the order of the given ones
 * @throws UserError that says how many are done
 */
export const makeChanges = async (context: ChangeContext, plans: readonly Plan[]): Promise<readonly Plan[]> => {
  const writeCount = plans.filter(isWrite).length
  const made = new Map<Wish, Plan>()
  const waitToBegin = createPacer(context.environment.name === 'local' ? undefined : deployedPerSecond)
  const progress = startProgress('pets', writeCount)
  const writes = plans.filter(isWrite)
  for (let begin = 0; begin < writes.length; begin += petsPerTransaction) {
    const batch = writes.slice(begin, begin + petsPerTransaction)
    await waitToBegin(batch.length)
    try {
      for (const plan of await makeBatch(context, batch)) made.set(plan.wish, plan)
    } catch (error) {
      throw explainFailure(error, made.size, writeCount)
    }
    progress.count(batch.length)
  }
  return plans.map((plan) => made.get(plan.wish) ?? plan)
}

const isWrite = ({ decision }: Plan): boolean => decision.kind === 'write'

const explainFailure = (cause: unknown, doneCount: number, count: number): UserError => {
  const done = `${formatNumber(doneCount)} of ${formatCount(count, 'change')} done.`
  if (cause instanceof UserError && !(cause instanceof UnknownOutcomeError)) {
    return new UserError(`${cause.message} ${done}`, { cause, exitCode: cause.exitCode })
  }
  return new UserError(`${describeError(cause)} ${done} Run the same command again.`, { cause })
}

/** A plan with its record, which names the change. */
interface RecordedPlan extends Plan {
  readonly record: AuditRecord | undefined
}

/** Plans of a batch whose transaction has failed. */
interface FailedPlans {
  readonly plans: readonly RecordedPlan[]
  readonly failure: unknown
}

/** Makes the changes of one batch. */
const makeBatch = async (context: ChangeContext, plans: readonly Plan[]): Promise<readonly Plan[]> => {
  const failed: FailedPlans[] = []
  try {
    return await planUntilMade(context, plans, failed)
  } catch (error) {
    // A transaction without an answer may be made after the command has ended.
    const mayBeMade = failed.some(({ failure }) => !(failure instanceof TransactionCanceledException))
    throw mayBeMade && !(error instanceof UserError) ? new UnknownOutcomeError(error) : error
  }
}

/**
 * Plans a batch again until its changes are made.
 *
 * @param failed list to which each failed attempt is added
 */
const planUntilMade = async (
  context: ChangeContext,
  firstPlans: readonly Plan[],
  failed: FailedPlans[],
): Promise<readonly Plan[]> => {
  const wishes = firstPlans.map(({ wish }) => wish)
  let plans = firstPlans
  let failure: unknown
  while (failed.length < maximumAttempts) {
    const recorded = plans.map((plan) => ({ ...plan, record: draftRecord(context, plan) }))
    if (findRecord(recorded) === undefined) return plans
    failure = await makeTransaction(context, recorded)
    if (failure === undefined) return withChangeIds(recorded)

    failed.push({ plans: recorded, failure })
    plans = await planBatch(context.environment, wishes)
    // The audit is read after the items. A failed transaction that is made later changes an item, so the next one is
    // canceled.
    const attempts = failed.map(({ plans: attempted }) => attempted)
    const made = await findMade(context, attempts)
    if (made !== undefined) return withChangeIds(made)
    // Once the guard is unmet, no failed transaction can be made any more: each of them has it.
    checkGuard(context.guard, failure)
  }
  if (findUnmetItems(failure) === undefined && !isInConflict(failure)) throw failure
  throw new UserError('Somebody else changes the same pets all the time. Run the same command again.')
}

/** Finds the attempt at a batch that was made after all: the audit has its records. */
const findMade = async (
  { environment }: ChangeContext,
  batches: readonly (readonly RecordedPlan[])[],
): Promise<readonly RecordedPlan[] | undefined> => {
  for (const batch of batches) {
    const record = findRecord(batch)
    if (record !== undefined && (await hasRecord(environment, record))) return batch
  }
  return undefined
}

const findRecord = (plans: readonly RecordedPlan[]): AuditRecord | undefined =>
  plans.find(({ record }) => record !== undefined)?.record

const withChangeIds = (plans: readonly RecordedPlan[]): readonly Plan[] =>
  plans.map(({ record, ...plan }) => (record === undefined ? plan : { ...plan, changeId: record.changeId }))

const draftRecord = (context: ChangeContext, { wish, id, stored, decision }: Plan): AuditRecord | undefined => {
  if (decision.kind !== 'write') return undefined
  const origin = stored === undefined ? wish.origin : stored.origin
  const change = {
    target: formatPetTarget(id),
    action: context.action,
    previous: stored?.changeId,
    old: stored === undefined ? null : formatPetState(id, stored.state, origin),
    new: formatPetState(id, decision.state, origin),
    inputFile: context.inputFile,
    ...origin,
  }
  return createRecord(change, context.operator)
}

/**
 * Sends the transaction of a batch.
 *
 * @returns undefined if its changes are made, else the error. Without an answer of AWS they may still be made later.
 */
const makeTransaction = async (context: ChangeContext, plans: readonly RecordedPlan[]): Promise<unknown> => {
  const { environment, guard } = context
  const writes = plans.flatMap((plan) => createWrites(environment, plan))
  const TransactItems = guard === undefined ? writes : [guard.item, ...writes]
  try {
    await environment.database.send(new TransactWriteCommand({ TransactItems }))
    return undefined
  } catch (error) {
    if (isRefused(error)) throw error
    const made = await findMade(context, [plans]).catch((cause: unknown) => {
      throw new UnknownOutcomeError(cause)
    })
    return made === undefined ? error : undefined
  }
}

/** @throws UserError if a transaction whose first write is the guard has failed because of the guard's condition */
export const checkGuard = (guard: Guard | undefined, failure: unknown): void => {
  const [unmetGuard] = findUnmetItems(failure) ?? []
  if (guard !== undefined && unmetGuard !== undefined) throw guard.error
}

const createWrites = (
  { tables }: ChangeContext['environment'],
  { wish, id, stored, decision, record }: RecordedPlan,
): readonly TransactionItem[] => {
  if (decision.kind !== 'write' || record === undefined) return []
  const { changeId } = record
  const Item = buildItem({ id, stored, state: decision.state, origin: wish.origin, changeId })
  const petPut = { Put: { TableName: tables.pets, Item, ...formatUnchangedCondition('id', stored?.item) } }
  const recordPut = { Put: { TableName: tables.audit, Item: record } }
  if (stored !== undefined || wish.origin === undefined) return [petPut, recordPut]
  return [petPut, recordPut, createEntryPut(tables.listings, wish.origin, id)]
}
