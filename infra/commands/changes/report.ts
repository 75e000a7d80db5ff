/** The report of a command that changes pets: what was done, what was kept, and what needs a person. */
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { newPetFields } from '../../../shared/pets/pet.ts'
import { formatNumber, type Report } from '../../command-line/report.ts'
import { exitCodes } from '../../command-line/user-error.ts'
import { describeChange } from './describe-change.ts'
import type { Plan } from './plan-changes.ts'
import { formatPetState } from './stored-pet.ts'

/** All kinds of outcomes, in the order in which reports count them. */
const outcomeKinds = ['added', 'returned', 'changed', 'removed', 'unchanged', 'conflict'] as const

type OutcomeKind = (typeof outcomeKinds)[number]

/** Maximum number of lines about single pets in the text of a report. JSON has all pets. */
const maximumLines = 50

interface ReportOptions {
  readonly isDryRun?: boolean
  /** Number of rows of an imported file that ask for no change, and so have no plan. */
  readonly uneditedCount?: number
}

/** Reports the plans of a command as they were made, or would be made. */
export const reportChanges = (
  plans: readonly Plan[],
  { isDryRun = false, uneditedCount = 0 }: ReportOptions = {},
): Report => {
  const counts = countOutcomes(plans)
  counts.unchanged += uneditedCount
  const countTexts = outcomeKinds
    .filter((kind) => counts[kind] !== 0)
    .map((kind) => `${formatNumber(counts[kind])} ${kind}`)
  const lines = [...(isDryRun ? formatDryRun(plans) : formatPlans(plans)), `${countTexts.join(', ') || 'No pets'}.`]
  return {
    json: { ...counts, dryRun: isDryRun, changes: describePlans(plans) },
    text: lines.join('\n'),
    exitCode: counts.conflict === 0 ? exitCodes.done : exitCodes.conflict,
  }
}

const countOutcomes = (plans: readonly Plan[]): Record<OutcomeKind, number> => {
  const counts = { added: 0, returned: 0, changed: 0, removed: 0, unchanged: 0, conflict: 0 }
  for (const plan of plans) counts[findOutcome(plan)] += 1
  return counts
}

/** Finds the outcome of a plan as callers see it: a write that changes only the attribute `row` is `unchanged`. */
export const findOutcome = ({ stored, decision }: Plan): OutcomeKind => {
  if (decision.kind !== 'write') return decision.kind
  const old = stored?.state
  if (decision.state.kind === 'removed') return old?.kind === 'removed' ? 'unchanged' : 'removed'
  if (old === undefined) return 'added'
  if (old.kind === 'removed') return 'returned'
  const { pet } = decision.state
  const fields: Attributes = old.kind === 'shown' ? old.pet : old.fields
  return newPetFields.some((field) => fields[field] !== pet[field]) ? 'changed' : 'unchanged'
}

/** Describes plans for JSON: those that write or are in conflict. */
export const describePlans = (plans: readonly Plan[]) =>
  plans.filter(({ decision }) => decision.kind !== 'unchanged').map(describePlan)

/** Describes a plan for JSON. */
export const describePlan = (plan: Plan) => {
  const { wish, id, stored, decision, changeId } = plan
  const origin = stored === undefined ? wish.origin : stored.origin
  // A dry run draws an id for an animal that would be added. The id is left out, because no pet gets it.
  const knownId = stored !== undefined || wish.id !== undefined || changeId !== undefined ? id : undefined
  return {
    id: knownId,
    line: wish.line,
    ...origin,
    outcome: findOutcome(plan),
    changeId,
    reason: decision.kind === 'conflict' ? decision.reason : undefined,
    old: stored === undefined ? null : formatPetState(id, stored.state, origin),
    new: decision.kind === 'write' ? { ...formatPetState(id, decision.state, origin), id: knownId } : undefined,
  }
}

/** Formats the plans of a dry run. */
export const formatDryRun = (plans: readonly Plan[]): readonly string[] => {
  const lines = formatPlans(plans)
  return lines.length === 0 ? ['Nothing would be changed.'] : ['Nothing is changed. It would be:', ...lines]
}

/** Formats plans as text, one line each. Plans that change nothing have no line. */
const formatPlans = (plans: readonly Plan[]): readonly string[] =>
  limitLines(plans.filter((plan) => findOutcome(plan) !== 'unchanged').map(formatPlan))

/** Limits the lines of a text about single pets, and says how many more there are. */
export const limitLines = (lines: readonly string[]): readonly string[] => {
  const moreCount = lines.length - maximumLines
  if (moreCount <= 0) return lines
  return [...lines.slice(0, maximumLines), `... and ${formatNumber(moreCount)} more: --json shows all.`]
}

const formatPlan = (plan: Plan): string => {
  const { id, line, number, changeId, reason, old, new: next } = describePlan(plan)
  const names = [
    line === undefined ? undefined : `line ${line}`,
    number === undefined ? undefined : `animal ${number}`,
    id === undefined ? undefined : `pet ${id}`,
  ]
  // A plan without a new state is a conflict here, because plans that change nothing have no line.
  const what = next === undefined ? `kept, ${reason}` : describeChange({ old, new: next })
  const change = changeId === undefined ? '' : `, change ${changeId}`
  return `${names.filter((name) => name !== undefined).join(', ')}: ${what}${change}`
}
