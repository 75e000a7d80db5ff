import { pickPetFields } from '../../../shared/pets/pet.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'
import { formatNumber, type Report } from '../../command-line/report.ts'
import type { AppliedChange } from './apply-changes.ts'
import { isWrite, type Outcome, outcomes } from './plan-change.ts'

/**
 * Reports changes: counts each outcome, and lists the conflicts. A dry run, or a command without a file, lists all
 * changes.
 */
export const reportChanges = (changes: readonly AppliedChange[], isDryRun: boolean): Report => {
  const counts = countOutcomes(changes)
  const entries = changes.filter((change) => isListed(change, isDryRun)).map(describeChange)

  const lines = entries.map(formatEntry)
  if (isDryRun) lines.unshift('Nothing is written. It would be:')
  lines.push(formatCounts(counts))
  const report = { json: { ...counts, changes: entries }, text: lines.join('\n') }
  return counts.conflict > 0 ? { ...report, exitCode: 1 } : report
}

type Counts = Readonly<Record<Outcome, number>>

const countOutcomes = (changes: readonly AppliedChange[]): Counts => {
  const counts = { created: 0, changed: 0, restored: 0, removed: 0, unchanged: 0, conflict: 0 }
  for (const { outcome } of changes) counts[outcome] += 1
  return counts
}

/** Whether a report lists a change. Changes that an import made are only counted: the imported file lists them. */
const isListed = (change: AppliedChange, isDryRun: boolean): boolean => {
  if (change.outcome === 'conflict') return true
  const isFromFile = change.desired.line !== undefined
  return isWrite(change.outcome) && (isDryRun || !isFromFile)
}

/** Describes a change by the pet before and after, and a conflict by its three states: `old`, `theirs` and `yours`. */
const describeChange = ({ desired, outcome, reason, currentPet }: AppliedChange) => {
  const { line, version, pet } = desired
  switch (outcome) {
    case 'conflict':
      return { line, outcome, reason, old: version && pickPetFields(version), theirs: currentPet, yours: pet }
    case 'created':
      // Only a dry run lists created pets. The import will give them other ids.
      return { line, outcome, reason, new: { ...pet, id: undefined } }
    default:
      return { line, outcome, reason, old: currentPet, new: pet }
  }
}

/** Formats an entry as text: a line with the outcome, and an indented line for each version of the pet. */
const formatEntry = ({ line, outcome, reason, ...pets }: ReturnType<typeof describeChange>): string => {
  const linePrefix = line === undefined ? '' : `line ${line}: `
  const explanation = reason === undefined ? '' : `, ${reason}`
  const petLines = Object.entries(pets)
    .filter(([, pet]) => pet !== undefined)
    .map(([name, pet]) => `  ${name}: ${formatPrintableJson(pet)}`)
  return [`${linePrefix}${outcome}${explanation}`, ...petLines].join('\n')
}

/** Formats the counts as a sentence, such as `2 created, 1 conflict.` */
const formatCounts = (counts: Counts): string => {
  const parts = outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${formatNumber(counts[outcome])} ${outcome}`)
  return `${parts.join(', ') || 'no pets'}.`
}
