import { formatPrintableJson } from '../../command-line/printable.ts'
import { formatNumber, type Report } from '../../command-line/report.ts'
import { exitCodes } from '../../command-line/user-error.ts'
import type { PetOutcome } from './change-pets.ts'
import { computeVersion } from './rows/columns.ts'

/** All kinds of outcomes, in the order in which reports count them. */
const kinds = [
  'changed',
  'restored',
  'removed',
  'unchanged',
  'conflict',
] as const satisfies readonly PetOutcome['kind'][]

interface ReportOptions {
  readonly isDryRun?: boolean
  /** Rows that asked for no change. */
  readonly uneditedCount?: number
}

/** Reports changes of pets: lists those that were made and the conflicts, and counts all. */
export const reportChanges = (
  outcomes: readonly PetOutcome[],
  { isDryRun = false, uneditedCount = 0 }: ReportOptions = {},
): Report => {
  const counts: Record<string, number> = { unchanged: uneditedCount }
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + outcomes.filter((one) => one.kind === kind).length
  const entries = outcomes.filter(isListed).map(describeOutcome)
  const countTexts = kinds
    .filter((kind) => counts[kind] !== 0)
    .map((kind) => `${formatNumber(counts[kind] ?? 0)} ${kind}`)
  const lines = [...entries.map(formatEntry), `${countTexts.join(', ') || 'No pets'}.`]
  return {
    json: { ...counts, changes: entries },
    text: [...(isDryRun ? ['Nothing is changed. It would be:'] : []), ...lines].join('\n'),
    exitCode: counts['conflict'] === 0 ? exitCodes.done : exitCodes.conflict,
  }
}

/** Whether a report lists an outcome: nothing, but the new version of a row, is to be said about an unchanged pet. */
const isListed = (outcome: PetOutcome): boolean => outcome.kind !== 'unchanged' || isStale(outcome)

const isStale = ({ change: { version }, ...outcome }: PetOutcome): boolean =>
  version !== undefined && version !== findVersion(outcome)

/** The version that a row of the pet has now. */
const findVersion = ({ new: pet, origin }: Pick<PetOutcome, 'new' | 'origin'>): string | undefined =>
  pet && computeVersion({ ...pet, ...origin })

interface ChangeEntry {
  readonly id: bigint
  readonly line: number | undefined
  readonly outcome: PetOutcome['kind']
  /** Reason of a conflict. */
  readonly reason: string | undefined
  /** The id of the change in the audit, for `undo`. */
  readonly changeId: string | undefined
  /** The version that a row of the pet has now. */
  readonly version: string | undefined
  readonly old?: object | undefined
  readonly new?: object | undefined
  readonly theirs?: object | undefined
  readonly yours?: object | undefined
}

const describeOutcome = (outcome: PetOutcome): ChangeEntry => {
  const { change, kind, reason, changeId, old, yours } = outcome
  const entry = { id: change.id, line: change.line, outcome: kind, reason, changeId, version: findVersion(outcome) }
  if (kind === 'unchanged') return entry
  if (kind === 'conflict') return { ...entry, theirs: old, yours }
  return { ...entry, old, new: outcome.new }
}

/** Formats an entry as text: a line with the outcome, and an indented line for each state of the pet. */
const formatEntry = ({ id, line, outcome, reason, changeId, version, ...pets }: ChangeEntry): string => {
  const parts = [
    line === undefined ? `${id} ${outcome}` : `line ${line}: ${id} ${outcome}`,
    reason,
    changeId && `change ${changeId}`,
    version && `version ${version}`,
  ]
  const petLines = Object.entries(pets)
    .filter(([, pet]) => pet !== undefined)
    .map(([name, pet]) => `  ${name}: ${formatPrintableJson(pet)}`)
  return [parts.filter((part) => part !== undefined).join(', '), ...petLines].join('\n')
}
