import { pickPetFields } from '../../../shared/pets/pet.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'
import { formatCount, formatNumber, type Report } from '../../command-line/report.ts'
import { exitCodes } from '../../command-line/user-error.ts'
import type { AppliedChange } from './apply-changes.ts'
import { isWrite, type Outcome, outcomes } from './plan-change.ts'
import type { NewPetRow } from './rows/check-row.ts'

/** Reports changes: counts each outcome, and lists the changes. */
export const reportChanges = (changes: readonly AppliedChange[]): Report => {
  const summary = new ChangeSummary({ isListed: () => true, maximumListed: changes.length })
  for (const change of changes) summary.add(change)
  return summary.createReport()
}

interface ListedChanges {
  /** Whether a change that was made is listed. Conflicts are always listed. */
  readonly isListed: (change: AppliedChange) => boolean
  /** Changes that are listed at most. Further ones are only counted. */
  readonly maximumListed: number
}

/** Counts the outcomes of changes in any number, and keeps those to list. */
export class ChangeSummary {
  readonly #listed: ListedChanges
  readonly #counts: Record<Outcome, number> = {
    created: 0,
    changed: 0,
    restored: 0,
    removed: 0,
    unchanged: 0,
    conflict: 0,
  }
  readonly #entries: ChangeEntry[] = []
  #unlistedCount = 0

  constructor(listed: ListedChanges) {
    this.#listed = listed
  }

  get conflictCount(): number {
    return this.#counts.conflict
  }

  /** Counts changes that are never listed. */
  count(outcome: Outcome, number: number): void {
    this.#counts[outcome] += number
  }

  /** Counts a change, and lists it. */
  add(change: AppliedChange): void {
    const { outcome } = change
    this.#counts[outcome] += 1
    const isListed = outcome === 'conflict' || (isWrite(outcome) && this.#listed.isListed(change))
    if (isListed) this.#list(describeChange(change))
  }

  /** Counts a new pet that a dry run would add, and lists it. It has no id yet. */
  addNewPet({ line, values }: NewPetRow): void {
    this.#counts.created += 1
    this.#list({ line, outcome: 'created', new: values })
  }

  #list(entry: ChangeEntry): void {
    if (this.#entries.length < this.#listed.maximumListed) this.#entries.push(entry)
    else this.#unlistedCount += 1
  }

  /** Describes what was done so far in a few words, such as `2 created, 1 conflict`. */
  describe(): string {
    const parts = outcomes
      .filter((outcome) => this.#counts[outcome] > 0)
      .map((outcome) => `${formatNumber(this.#counts[outcome])} ${outcome}`)
    return parts.join(', ') || 'no pets'
  }

  createReport(): Report {
    const lines = this.#entries.map(formatEntry)
    if (this.#unlistedCount > 0) lines.push(`${formatCount(this.#unlistedCount, 'further change')} not listed.`)
    lines.push(`${this.describe()}.`)
    const json = { ...this.#counts, changes: this.#entries, unlisted: this.#unlistedCount }
    const report = { json, text: lines.join('\n') }
    return this.#counts.conflict > 0 ? { ...report, exitCode: exitCodes.conflict } : report
  }
}

/** A change in a report: the pet before and after, or the three states of a conflict. */
interface ChangeEntry {
  readonly line: number | undefined
  readonly outcome: Outcome
  /** Reason of a conflict. */
  readonly reason?: string | undefined
  readonly old?: object | undefined
  readonly new?: object | undefined
  readonly theirs?: object | undefined
  readonly yours?: object | undefined
}

const describeChange = ({ desired, outcome, reason, currentPet, newPet }: AppliedChange): ChangeEntry => {
  const { line, version, pet } = desired
  if (outcome !== 'conflict') return { line, outcome, old: currentPet, new: newPet }
  return { line, outcome, reason, old: version && pickPetFields(version), theirs: currentPet, yours: pet }
}

/** Formats an entry as text: a line with the outcome, and an indented line for each version of the pet. */
const formatEntry = ({ line, outcome, reason, ...pets }: ChangeEntry): string => {
  const linePrefix = line === undefined ? '' : `line ${line}: `
  const explanation = reason === undefined ? '' : `, ${reason}`
  const petLines = Object.entries(pets)
    .filter(([, pet]) => pet !== undefined)
    .map(([name, pet]) => `  ${name}: ${formatPrintableJson(pet)}`)
  return [`${linePrefix}${outcome}${explanation}`, ...petLines].join('\n')
}
