/** The report of `pets sync`: a line of counts whose sum is that of the file, and what a person should look at. */
import { makePrintable } from '../../command-line/printable.ts'
import { formatCount, type Report } from '../../command-line/report.ts'
import { exitCodes } from '../../command-line/user-error.ts'
import { describeDifferences } from '../changes/describe-change.ts'
import type { Plan } from '../changes/plan-changes.ts'
import { describePlan, describePlans, findOutcome, formatDryRun, limitLines } from '../changes/report.ts'
import { formatPetState, isChangedByHand, type PetState, type StoredPet } from '../changes/stored-pet.ts'
import { findEarlierFile, findRow, type NightCounts } from './judge-night.ts'
import type { FileAnimal, Night } from './read-night.ts'
import type { PassedFile } from './source-head.ts'

interface NightResult {
  readonly night: Night
  readonly passedFiles: readonly PassedFile[]
  /** Counts of the plans before the first write. Those that were written differ if somebody changed pets meanwhile. */
  readonly counts: NightCounts
  /** Plans that write something, as they were carried out or, in a dry run, would be; and plans in conflict. */
  readonly plans: readonly Plan[]
  /** Plans that change nothing, of pets that somebody has changed by hand. */
  readonly keptByHand: readonly Plan[]
  /** Doubts for which the run would be refused. Only a dry run reports any. */
  readonly doubts: readonly string[]
  readonly isDryRun: boolean
}

export interface NightReport extends Report {
  /** The part of the text that a person should look at; empty if there is nothing to look at. */
  readonly textForPerson: string
}

export const reportNight = (result: NightResult): NightReport => {
  const { night, plans, isDryRun } = result
  const differing = result.keptByHand.filter((plan) => differsFromRow(plan, night))
  const counts = { ...countAnimals(result), differing: differing.length }
  const sentencesOfFile = [...result.doubts, ...night.findings, ...describeEarlierFile(result)]
  const sentencesOfAnimals = plans.flatMap((plan) => describeForPerson(plan, night))
  const forPerson = [...sentencesOfFile, ...sentencesOfAnimals]
  const lines = [
    formatSummary(night.source, counts),
    ...(isDryRun ? formatDryRun(plans) : []),
    ...night.notes,
    ...limitLines(differing.map((plan) => describeDiffering(plan, night))),
  ]
  const linesForPerson = [...sentencesOfFile, ...limitLines(sentencesOfAnimals)].map((sentence) =>
    makePrintable(`${night.source}: ${sentence}`),
  )
  return {
    json: {
      source: night.source,
      dryRun: isDryRun,
      ...counts,
      changes: describePlans(plans),
      differingPets: differing.map(describePlan),
      unknownAnimals: night.unknown,
      forPerson,
      notes: night.notes,
    },
    text: [...lines.map(makePrintable), ...linesForPerson].join('\n'),
    textForPerson: linesForPerson.join('\n'),
    exitCode: chooseExitCode(result, forPerson),
  }
}

/** Chooses the exit code. A dry run has the exit code that the run would have. */
const chooseExitCode = ({ doubts }: NightResult, forPerson: readonly string[]): number => {
  if (doubts.length > 0) return exitCodes.refusedFile
  // This exit code tells a script that a person should read the report, whatever the reason.
  return forPerson.length > 0 ? exitCodes.conflict : exitCodes.done
}

/**
 * Counts animals. Each animal of the file is in one of the counts from `added` to `unknown`, whose sum is `inFile`.
 * Those that are `gone` are not in the file.
 */
const countAnimals = ({ night, counts: { notAdded }, plans }: NightResult) => {
  const { animals } = night
  const inFile = animals.size + night.unknown.length
  const hidden = [...animals.values()].filter(({ status }) => status === 'hidden').length
  const outcomes = plans.filter((plan) => isShownByFile(findRow(plan, night))).map(findOutcome)
  const added = outcomes.filter((outcome) => outcome === 'added').length
  const returned = outcomes.filter((outcome) => outcome === 'returned').length
  const changed = outcomes.filter((outcome) => outcome === 'changed').length
  // An animal in conflict counts as unknown, because its pet does not follow its row, as if nobody could read the row.
  const unknown = night.unknown.length + outcomes.filter((outcome) => outcome === 'conflict').length
  const unchanged = inFile - added - returned - changed - hidden - notAdded - unknown
  const gone = plans.filter((plan) => findRow(plan, night) === undefined && findOutcome(plan) === 'removed').length
  return { inFile, added, returned, changed, unchanged, hidden, notAdded, unknown, gone }
}

const isShownByFile = (row: FileAnimal | undefined): boolean => row !== undefined && row.status !== 'hidden'

const formatSummary = (
  source: string,
  counts: ReturnType<typeof countAnimals> & { readonly differing: number },
): string => {
  const { inFile, added, returned, changed, unchanged, hidden, notAdded, unknown, gone, differing } = counts
  return (
    `${source}: ${inFile} in file = ${added} added + ${returned} returned + ${changed} changed + ` +
    `${unchanged} unchanged + ${hidden} hidden + ${notAdded} not added (sold) + ${unknown} unknown. ` +
    `${gone} gone. ${differing} differ from the file.`
  )
}

/** Says that the file is an earlier one, byte for byte, unless that has no effect. */
const describeEarlierFile = ({ night, passedFiles, counts, isDryRun }: NightResult): readonly string[] => {
  const earlier = findEarlierFile(night, passedFiles)
  if (earlier === undefined || counts.changes === 0) return []
  const done = isDryRun ? 'would change' : 'has changed'
  const animals = formatCount(counts.changes, 'animal')
  return [`this is the file of ${earlier.at.slice(0, 10)}, byte for byte, and it ${done} ${animals}.`]
}

/** Says why an animal stays as it is, or which change by hand the file takes back. @returns at most one sentence */
const describeForPerson = (plan: Plan, night: Night): readonly string[] => {
  const { stored, decision } = plan
  if (decision.kind === 'conflict') return [`${nameAnimal(plan)} stays as it is: ${decision.reason}.`]
  if (stored === undefined || decision.kind === 'unchanged') return []
  const isInFile = findRow(plan, night) !== undefined
  // A write that changes only the attribute `row` has the outcome `unchanged`: it takes nothing back.
  const takenBack =
    isInFile && findOutcome(plan) !== 'unchanged' ? describeTakenBack(stored, decision.state) : undefined
  return takenBack === undefined ? [] : [`${nameAnimal(plan)} was ${takenBack}.`]
}

/** Describes the change by hand that a file takes back; undefined if nobody has changed the pet by hand. */
const describeTakenBack = (stored: StoredPet, newState: PetState): string | undefined => {
  const { id, state, origin } = stored
  if (state.kind === 'removed') {
    return state.removed === 'by hand' ? 'removed by hand, and the file brings it back' : undefined
  }
  if (!isChangedByHand(stored)) return undefined
  if (newState.kind === 'removed') return 'changed by hand, and the file hides it'
  const differences = describeDifferences(formatPetState(id, state, origin), formatPetState(id, newState, origin))
  return `changed by hand, and the file changes it: ${differences}`
}

/** Names an animal. Each wish of a night has the animal's source and number. */
const nameAnimal = ({ id, wish }: Plan): string => `animal ${wish.origin?.number} (pet ${id})`

/** Whether a pet that was changed by hand differs from its row. A removed one differs if its row is on offer. */
const differsFromRow = (plan: Plan, night: Night): boolean => {
  const status = findRow(plan, night)?.status
  return plan.stored?.state.kind !== 'removed' || status === 'available' || status === 'pending'
}

/** Describes a pet that differs from its row. It stays so until the shelter changes the animal. */
const describeDiffering = (plan: Plan, night: Night): string => {
  const animal = nameAnimal(plan).replace('animal', 'Animal')
  const row = findRow(plan, night)
  const state = plan.stored?.state
  // A night mends a damaged item, unless the row of its animal is unknown.
  if (state?.kind === 'malformed') return `${animal} has no valid ${state.attribute}, and the file no valid row of it.`
  if (state?.kind !== 'shown') return `${animal} is removed by hand, and the file has it as ${row?.status}.`
  if (row === undefined) return `${animal} is shown by hand, and the file does not have it, or has no valid row of it.`
  if (row.status === 'hidden') return `${animal} is shown by hand, and the file hides it.`
  const { name, categoryId, status } = row
  const { id: _id, ...pet } = state.pet
  return `${animal} was changed by hand: ${describeDifferences({ name, categoryId, status }, pet)}.`
}
