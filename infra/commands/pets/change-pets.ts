/** Changes of pets that exist: planned on the item as it is, recorded in the audit, then made by one write each. */
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import type { Pet, PetFields } from '../../../shared/pets/pet.ts'
import { createPacer, type Pacer, type PacerTime, startProgress } from '../../command-line/progress.ts'
import { formatCount, formatNumber } from '../../command-line/report.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import { keysPerLookup } from '../environment/batch-get.ts'
import { type ChangeAudit, type ChangeId, readChangeId } from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { findPetFields, type Origin, PetTable, readOrigin } from './pet-table.ts'

/** A change that a command asks of one pet. */
export interface PetChange {
  readonly id: bigint
  /** Number of the line in the file that asks for it. */
  readonly line?: number
  /** Version of that line. */
  readonly version?: string | undefined
  /** Plans the change. Called again with the new item if somebody else changes the item meanwhile. */
  readonly plan: (item: Attributes | undefined) => Plan
}

/** The change that one pet needs. */
export type Plan =
  | {
      /** The pet is as it shall be. */
      readonly kind: 'unchanged'
    }
  | {
      readonly kind: 'write'
      /** The pet to store; undefined removes the pet. */
      readonly pet: Pet | undefined
      /** Source and reference of a pet whose id has no item. An item keeps its own. */
      readonly origin?: Origin | undefined
    }
  | {
      readonly kind: 'conflict'
      readonly reason: string
      /** The pet as the change would leave it. */
      readonly yours?: object | undefined
    }

/** The plan of a change of a pet that does not exist. */
export const noPet: Plan = { kind: 'conflict', reason: 'no pet has the id' }

/** The outcome of one change. */
export interface PetOutcome {
  readonly change: PetChange
  readonly kind: 'changed' | 'restored' | 'removed' | 'unchanged' | 'conflict'
  readonly origin: Origin | undefined
  /** The pet before the change. */
  readonly old: PetFields | undefined
  /** The pet after the change. */
  readonly new: PetFields | undefined
  /** Undefined if nothing is written. */
  readonly changeId?: ChangeId
  /** Reason of a conflict. */
  readonly reason?: string
  /** The pet as the change would leave it, in a conflict. */
  readonly yours?: object | undefined
}

export interface ChangeContext {
  readonly environment: Pick<Environment, 'name' | 'database' | 'tables'>
  /** Without an audit nothing is written: a dry run. */
  readonly audit: ChangeAudit | undefined
  /** Name of the command in the audit, such as `pets set`. */
  readonly action: string
  /** Time by which the writes are paced. @default that of this machine */
  readonly time?: PacerTime
}

/** A partition takes 1,000 writes a second on AWS, also one of the status index. Callers need most of them. */
const deployedPerSecond = 250

/** Creates the pacer of a command that writes pets. */
export const createPetPacer = ({ name }: Pick<Environment, 'name'>, time?: PacerTime): Pacer =>
  createPacer(name === 'local' ? undefined : deployedPerSecond, time)

/**
 * Changes pets. The same changes can be asked for again after any failure: a pet that is as it shall be is unchanged.
 *
 * @returns the outcomes, in the order of the changes
 * @throws UserError that says how many are done, after all writes that had begun have ended
 */
export const changePets = async (
  context: ChangeContext,
  changes: readonly PetChange[],
): Promise<readonly PetOutcome[]> => {
  const outcomes: PetOutcome[] = []
  const table = new PetTable(context.environment.database, context.environment.tables.pets)
  const pacer = createPetPacer(context.environment, context.time)
  const progress = startProgress('pets', changes.length)
  for (let begin = 0; begin < changes.length; begin += keysPerLookup) {
    const batch = changes.slice(begin, begin + keysPerLookup)
    const items = await table.findItems(batch.map(({ id }) => id))
    const writeCount = batch.filter(({ id, plan }) => plan(items.get(id)).kind === 'write').length
    if (context.audit !== undefined) await pacer.waitToBegin(writeCount)

    const results = await Promise.allSettled(
      batch.map((change) => changePet({ ...context, table }, change, items.get(change.id))),
    )
    for (const result of results) if (result.status === 'fulfilled') outcomes.push(result.value)
    const failure = results.find((result) => result.status === 'rejected')
    if (failure !== undefined) throw explainFailure(failure.reason, outcomes.length, changes.length)
    progress.count(batch.length)
  }
  return outcomes
}

const explainFailure = (cause: unknown, doneCount: number, count: number): UserError => {
  const progress = `${formatNumber(doneCount)} of ${formatCount(count, 'pet')} done.`
  return new UserError(`${describeError(cause)} ${progress} Run the same command again.`, { cause })
}

const changePet = async (
  context: ChangeContext & { readonly table: PetTable },
  change: PetChange,
  item: Attributes | undefined,
): Promise<PetOutcome> => {
  const plan = change.plan(item)
  const old = findPetFields(item)
  const origin = readOrigin(item)
  if (plan.kind === 'unchanged') return { change, kind: 'unchanged', origin, old, new: old }
  if (plan.kind === 'conflict') {
    return { change, kind: 'conflict', origin, old, new: old, reason: plan.reason, yours: plan.yours }
  }

  const { pet } = plan
  const kind = describeWrite(old, pet)
  const written = { change, kind, origin: origin ?? plan.origin, old, new: pet } as const
  if (context.audit === undefined) return written

  const record = context.audit.draft({
    target: `pet#${change.id}`,
    itemKey: { id: change.id },
    action: context.action,
    previous: readChangeId(item),
    old: old ?? null,
    new: pet ?? null,
    source: written.origin?.source,
  })
  await context.audit.record(record)
  const write = { id: change.id, item, pet, origin: plan.origin, changeId: record.changeId }
  const settled = await context.audit.settle(record, () => context.table.write(write))
  if (settled.made) return { ...written, changeId: record.changeId }
  return changePet(context, change, settled.current)
}

const describeWrite = (old: PetFields | undefined, pet: Pet | undefined) => {
  if (pet === undefined) return 'removed'
  return old === undefined ? 'restored' : 'changed'
}
