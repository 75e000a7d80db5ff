/** The report of `pets sync`: a line that adds up, and what a person should look at. */
import { makePrintable } from '../../command-line/printable.ts'
import { formatCount, type Report } from '../../command-line/report.ts'
import { exitCodes } from '../../command-line/user-error.ts'
import { describeDifferences } from '../changes/describe-change.ts'
import type { Plan } from '../changes/plan-changes.ts'
import { describePlan, describePlans, findOutcome, formatDryRun, limitLines } from '../changes/report.ts'
import { isChangedByHand } from '../changes/stored-pet.ts'
import { findEarlierFile, findRow, type NightCounts } from './judge-night.ts'
import type { FileAnimal, Night } from './read-night.ts'
import type { PassedFile } from './source-head.ts'

interface NightResult {
  readonly night: Night
  readonly passedFiles: readonly PassedFile[]
  /** Counts of the first plan. A later plan may differ, if somebody changes pets meanwhile. */
  readonly counts: NightCounts
  /** Plans that were written, or would be in a dry run, and conflicts. */
  readonly plans: readonly Plan[]
  /** Plans of pets that were changed by hand, and stay as they are. */
  readonly keptByHand: readonly Plan[]
  /** Doubts of a dry run that the operator must accept. */
  readonly doubts: readonly string[]
  readonly isDryRun: boolean
}

/** A report with its text, and separately the part of the text that a person should look at. */
export interface NightReport extends Report {
  /** Empty if there is nothing to look at. */
  readonly textForPerson: string
}

/** Reports a night. */
export const reportNight = (result: NightResult): NightReport => {
  const { night, plans, isDryRun } = result
  const differing = result.keptByHand.filter((plan) => differsFromRow(plan, night))
  const counts = { ...countAnimals(result), differing: differing.length }
  const ofFile = [...result.doubts, ...night.findings, ...describeEarlierFile(result)]
  const ofAnimals = plans.flatMap((plan) => describeForPerson(plan, night))
  const forPerson = [...ofFile, ...ofAnimals]
  const lines = [
    formatSummary(night.source, counts),
    ...(isDryRun ? formatDryRun(plans) : []),
    ...night.notes,
    ...limitLines(differing.map((plan) => describeDiffering(plan, night))),
  ]
  const linesForPerson = [...ofFile, ...limitLines(ofAnimals)].map((line) => makePrintable(`${night.source}: ${line}`))
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

/** Chooses the exit code. A dry run of a doubtful file has the exit code that the run itself would have. */
const chooseExitCode = ({ doubts }: NightResult, forPerson: readonly string[]): number => {
  if (doubts.length > 0) return exitCodes.refusedFile
  return forPerson.length > 0 ? exitCodes.conflict : exitCodes.done
}

/** Counts the animals of a file. Each one is in one of the counts but `gone`. */
const countAnimals = ({ night, counts: { notAdded }, plans }: NightResult) => {
  const { animals } = night
  const inFile = animals.size + night.unknown.length
  const hidden = [...animals.values()].filter(({ status }) => status === 'hidden').length
  const shown = plans.filter((plan) => isShownByFile(findRow(plan, night))).map(findOutcome)
  const added = shown.filter((outcome) => outcome === 'added').length
  const returned = shown.filter((outcome) => outcome === 'returned').length
  const changed = shown.filter((outcome) => outcome === 'changed').length
  const unknown = night.unknown.length + shown.filter((outcome) => outcome === 'conflict').length
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

/** Says that a file with the bytes of an earlier one has passed all the same, or would. */
const describeEarlierFile = ({ night, passedFiles, counts, isDryRun }: NightResult): readonly string[] => {
  const earlier = findEarlierFile(night, passedFiles)
  if (earlier === undefined || counts.changes === 0) return []
  const done = isDryRun ? 'would change' : 'has changed'
  const animals = formatCount(counts.changes, 'animal')
  return [`this is the file of ${earlier.at.slice(0, 10)}, byte for byte, and it ${done} ${animals}.`]
}

/** Describes the change by hand that a file takes back, and why an animal stays as it is. */
const describeForPerson = (plan: Plan, night: Night): readonly string[] => {
  const { decision } = plan
  if (decision.kind === 'conflict') return [`${nameAnimal(plan)} stays as it is: ${decision.reason}.`]
  const isInFile = findRow(plan, night) !== undefined
  const takenBack = isInFile && findOutcome(plan) !== 'unchanged' ? describeTakenBack(plan) : undefined
  return takenBack === undefined ? [] : [`${nameAnimal(plan)} was ${takenBack}.`]
}

/** Describes the change by hand that a written plan takes back; undefined if the pet had none. */
const describeTakenBack = (plan: Plan): string | undefined => {
  const { stored } = plan
  if (stored?.state.kind === 'removed') {
    return stored.state.removed === 'by hand' ? 'removed by hand, and the file brings it back' : undefined
  }
  if (stored === undefined || !isChangedByHand(stored)) return undefined
  if (findOutcome(plan) === 'removed') return 'changed by hand, and the file hides it'
  // The plan of a stored pet that is written has both.
  const { old, new: next } = describePlan(plan)
  return `changed by hand, and the file changes it: ${describeDifferences(old ?? {}, next ?? {})}`
}

const nameAnimal = ({ id, wish }: Plan): string => `animal ${wish.origin?.number} (pet ${id})`

/** Whether a pet that was changed by hand differs from its row. A removed one does if the row has it on offer. */
const differsFromRow = (plan: Plan, night: Night): boolean => {
  const status = findRow(plan, night)?.status
  return plan.stored?.state.kind !== 'removed' || status === 'available' || status === 'pending'
}

/** Describes a pet that differs from its row, and that no night changes until the shelter changes the animal. */
const describeDiffering = (plan: Plan, night: Night): string => {
  const animal = nameAnimal(plan).replace('animal', 'Animal')
  const row = findRow(plan, night)
  const state = plan.stored?.state
  if (state?.kind !== 'shown') return `${animal} is removed by hand, and the file has it as ${row?.status}.`
  if (row === undefined) return `${animal} is shown by hand, and the file does not have it, or has no valid row of it.`
  if (row.status === 'hidden') return `${animal} is shown by hand, and the file hides it.`
  const { name, categoryId, status } = row
  const { id: _id, ...pet } = state.pet
  return `${animal} was changed by hand: ${describeDifferences({ name, categoryId, status }, pet)}.`
}
