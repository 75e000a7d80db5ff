/** The audit of an environment: it has each change that an operator makes, and what became of the change. */
import { randomUUID } from 'node:crypto'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { describeError } from '../../command-line/run-command.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { WriteLines } from './audit-destination.ts'
import { type AuditTrail, openAuditTrail } from './audit-trail.ts'

/** A change that an operator makes. An API key is never part of it. */
export interface Change {
  /** Name of the command, for example `pets set`. */
  readonly action: string
  /** Ids of the changed pets or API keys. They are text, so that a query compares them exactly. */
  readonly ids: readonly string[]
  /** Values before the change; `null` if the change creates something. */
  readonly old: object | null
  /** Values after the change; `null` if the change removes something. */
  readonly new: object | null
}

/** A change as the audit has it before the change is made. */
export interface RecordedChange {
  /** UTC time such as `2030-12-31T23:59:59.999Z`. */
  readonly time: string
  /** AWS identity or local user of the operator. */
  readonly who: string
  readonly action: string
}

/** A change, and the function that makes it. */
export interface ChangeToMake<Result> {
  readonly change: Change
  readonly make: (recorded: RecordedChange) => Promise<Result>
}

/**
 * What became of a change. `failed`: it was not made. `unknown`: AWS did not say whether it has made the change, for
 * example because the network failed.
 */
export type Outcome = 'done' | 'failed' | 'unknown'

/**
 * Records changes and makes them. Nothing else writes to the audit, so no change lacks its lines, and no line lacks its
 * change. A change has two lines: `begun` before it is made, and its outcome afterwards. If the second line is missing,
 * the command was killed or could not write it, and the outcome is not known.
 *
 * @example
 * const change = { action: 'keys revoke', ids: [keyId], old: { state: 'active' }, new: { state: 'revoked' } }
 * await audit.recordThenMake(change, () => table.change(key, { state: 'revoked' }))
 */
export interface Audit {
  /** @throws Error if the change cannot be recorded, and then it is not made; or the error of `make` */
  recordThenMake<Result>(change: Change, make: () => Promise<Result>): Promise<Result>

  /**
   * Records at most 100 changes, makes them all at once, and waits for all of them.
   *
   * @returns their results, in the same order
   * @throws Error if the changes cannot be recorded. Then none is made.
   */
  recordThenMakeAll<Result>(changes: readonly ChangeToMake<Result>[]): Promise<readonly PromiseSettledResult<Result>[]>
}

/**
 * Opens the audit of an environment.
 *
 * @param why the operator's reason, for every line
 * @throws Error if the caller may not write to the audit, so that nothing is changed without a record
 */
export const openAudit = async (environment: string, trail: AuditTrail, why: string | undefined): Promise<Audit> => {
  const { who, writeLines } = await openAuditTrail(trail)
  return createAudit(writeLines, { who, environment, why })
}

/** Values that all lines of a command share. */
interface CommandContext {
  /** AWS identity or local user of the operator. */
  readonly who: string
  readonly environment: string
  /** The operator's reason. */
  readonly why?: string | undefined
}

interface IdentifiedChange extends Change {
  /** Names the change in both of its lines. */
  readonly changeId: string
}

interface LineOutcome {
  readonly outcome: 'begun' | Outcome
  /** Why the outcome is not `done`. */
  readonly reason?: string
}

/** A line of the audit. */
export interface AuditLine extends CommandContext, IdentifiedChange, LineOutcome {
  /** UTC time such as `2030-12-31T23:59:59.999Z`. */
  readonly time: string
}

/** Creates an audit that writes its lines with a function. */
export const createAudit = (writeLines: WriteLines, { who, environment, why }: CommandContext): Audit => {
  const formatLine = (time: string, change: IdentifiedChange, outcome: LineOutcome): string =>
    stringifyExactJson({ time, who, environment, ...change, why, ...outcome } satisfies AuditLine)

  const recordThenMakeAll = async <Result>(changesToMake: readonly ChangeToMake<Result>[]) => {
    const changes = changesToMake.map(({ change }) => ({ ...change, changeId: randomUUID() }))
    const time = new Date().toISOString()
    await writeLines(changes.map((change) => formatLine(time, change, { outcome: 'begun' })))

    const makeChange = ({ change: { action }, make }: ChangeToMake<Result>) => make({ time, who, action })
    const results = await Promise.allSettled(changesToMake.map(makeChange))
    const outcomes = results.map(describeResult)
    const endTime = new Date().toISOString()
    const formatOutcome = (change: IdentifiedChange, index: number): string =>
      formatLine(endTime, change, outcomes[index] ?? { outcome: 'unknown' })
    try {
      await writeLines(changes.map(formatOutcome))
    } catch (error) {
      // The changes are made. An error here would say that they are not, or replace the error that says why.
      console.error(`The audit lacks what became of the last changes: it has them as begun. ${describeError(error)}`)
    }
    return results
  }

  const recordThenMake = async <Result>(change: Change, make: () => Promise<Result>): Promise<Result> => {
    const [result] = await recordThenMakeAll([{ change, make }])
    if (result?.status === 'fulfilled') return result.value
    throw result?.reason
  }

  return { recordThenMake, recordThenMakeAll }
}

const describeResult = (result: PromiseSettledResult<unknown>): LineOutcome =>
  result.status === 'fulfilled'
    ? { outcome: 'done' }
    : { outcome: findOutcome(result.reason), reason: describeReason(result.reason) }

/**
 * Finds what became of a change whose making has thrown an error. Only a refusal of its single attempt says that AWS
 * has not made the change: after another error AWS may have made it, and the SDK may have repeated an attempt whose
 * response was lost.
 */
export const findOutcome = (error: unknown): 'failed' | 'unknown' => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isUncertain(cause)) return 'unknown'
  }
  return 'failed'
}

/**
 * Whether an error of the SDK leaves open what AWS has done. The SDK sets `$metadata` on each of its errors, and
 * `$fault` on those that AWS responded with.
 */
const isUncertain = (error: Error & { readonly $metadata?: unknown; readonly $fault?: unknown }): boolean => {
  if (error instanceof UncertainChangeError) return true
  if (error.$metadata === undefined) return false
  const { attempts = 1 } = Object(error.$metadata)
  return error.$fault !== 'client' || attempts > 1
}

/** An error after which a part of a change may have been made. */
export class UncertainChangeError extends UserError {
  override readonly name: string = 'UncertainChangeError'
}

/** Describes an error for the audit. Only the message of a UserError is known to hold no secret. */
const describeReason = (error: unknown): string => {
  if (error instanceof UserError) return error.message
  return error instanceof Error ? error.name : 'Error'
}
