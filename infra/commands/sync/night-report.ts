/** The report of `pets sync`: a line that adds up, and what a person should look at. */
import { makePrintable } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { exitCodes } from '../../command-line/user-error.ts'
import type { Plan } from '../changes/plan-changes.ts'
import { describeDifference, describePlan, findOutcome, formatDryRun, limitLines } from '../changes/report.ts'
import { fileFields, isUnlikeFile, type RemovedPet, type StoredPet } from '../changes/stored-pet.ts'
import { findEarlierFile, type NightCounts } from './judge-night.ts'
import type { Night } from './read-night.ts'
import type { PassedFile } from './source-head.ts'

interface NightResult {
  readonly night: Night
  readonly passedFiles: readonly PassedFile[]
  /** Time of the run. */
  readonly at: string
  /** Counts of the first plan. A later plan may differ, if somebody changes pets meanwhile. */
  readonly counts: NightCounts
  /** Plans that were written, or would be in a dry run, and conflicts. */
  readonly plans: readonly Plan[]
  /** Pets that stay as they are, and differ from the file. */
  readonly unlike: readonly Plan[]
  /** Sentences about pets with the same number. */
  readonly doubles: readonly string[]
  /** Doubts of a dry run that the operator must accept. */
  readonly doubts: readonly string[]
  readonly isDryRun: boolean
}

/** A report with its text, and separately the part of the text that a person should look at. */
export interface NightReport extends Report {
  /** Empty if there is nothing to look at. */
  readonly textForPerson: string
}

/** Number of UTC days in a row with the same bytes after which a person should look. */
const sameFileDays = 3

const dayMilliseconds = 86_400_000

/** Reports a night. */
export const reportNight = (result: NightResult): NightReport => {
  const { night, plans, isDryRun } = result
  const unlike = [...plans.filter(isUnlikeAfterwards), ...result.unlike]
  const counts = { ...countAnimals(result), differing: unlike.length }
  const ofFile = [...result.doubts, ...night.findings, ...describeFile(result)]
  const ofAnimals = [...result.doubles, ...plans.flatMap(describeForPerson)]
  const forPerson = [...ofFile, ...ofAnimals]
  const lines = [
    formatSummary(night.source, counts),
    ...(isDryRun ? formatDryRun(plans) : []),
    ...night.notes,
    ...formatUnlike(unlike),
  ]
  const linesForPerson = [...ofFile, ...limitLines(ofAnimals)].map((line) => makePrintable(`${night.source}: ${line}`))
  return {
    json: {
      source: night.source,
      dryRun: isDryRun,
      ...counts,
      changes: plans.map(describePlan),
      differingPets: unlike.map(describePlan),
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
  const shown = plans.filter(({ wish }) => (findRow(wish, night)?.status ?? 'hidden') !== 'hidden').map(findOutcome)
  const added = shown.filter((outcome) => outcome === 'added').length
  const returned = shown.filter((outcome) => outcome === 'returned').length
  const changed = shown.filter((outcome) => outcome === 'changed').length
  const unknown = night.unknown.length + shown.filter((outcome) => outcome === 'conflict').length
  const unchanged = inFile - added - returned - changed - hidden - notAdded - unknown
  const gone = plans.filter((plan) => plan.decision.kind === 'write' && findRow(plan.wish, night) === undefined).length
  return { inFile, added, returned, changed, unchanged, hidden, notAdded, unknown, gone }
}

const findRow = ({ origin }: Plan['wish'], { animals }: Night) => animals.get(origin?.number ?? '')

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

const isUnlikeAfterwards = ({ stored, decision, wish }: Plan): boolean => {
  if (decision.kind !== 'write') return stored !== undefined && isUnlikeFile(stored)
  return isUnlikeFile({ state: decision.state, origin: stored?.origin ?? wish.origin })
}

/** Describes what is strange about the file as a whole. */
const describeFile = ({ night, passedFiles, at }: NightResult): readonly string[] => {
  const last = passedFiles.at(-1)
  const earlier = findEarlierFile(night, passedFiles)
  if (earlier !== undefined) return [`this is the file of ${earlier.at.slice(0, 10)}, byte for byte.`]
  if (last?.fileHash !== night.fileHash) return []
  const days = (Date.parse(at.slice(0, 10)) - Date.parse(last.since.slice(0, 10))) / dayMilliseconds
  return days >= sameFileDays - 1 ? [`the file has had the same bytes since ${last.since.slice(0, 10)}.`] : []
}

/** Describes the part of a change that undoes what somebody has done by hand, and why an animal stays as it is. */
const describeForPerson = ({ id, wish, stored, decision }: Plan): readonly string[] => {
  const animal = `animal ${wish.origin?.number} (pet ${id})`
  if (decision.kind === 'conflict') return [`${animal} stays as it is: ${decision.reason}.`]
  if (decision.kind !== 'write' || stored === undefined) return []
  const { state: old } = stored
  if (decision.state.kind === 'removed') return describeHidden(animal, old, decision.state)
  const { pet } = decision.state
  if (old.kind === 'removed') {
    return old.removed === 'by hand' ? [`${animal} was removed by hand, and the file brings it back.`] : []
  }
  if (old.kind === 'malformed') return []
  const changedByHand = fileFields.filter((field) => old.pet[field] !== old.file[field])
  const difference = describeDifference({ ...old.pet }, { ...pet }, changedByHand)
  return difference === '' ? [] : [`${animal} was changed by hand, and the file changes it: ${difference}.`]
}

/** Describes an animal whose status somebody has changed by hand, and which its file now hides. */
const describeHidden = (animal: string, old: StoredPet['state'], { file }: RemovedPet): readonly string[] => {
  if (old.kind !== 'shown' || old.pet.status === old.file.status || file.status !== 'hidden') return []
  return [`${animal} was ${old.pet.status} by hand, and the file hides it.`]
}

/** Formats the pets that differ from the file, which no run changes back by itself. */
const formatUnlike = (plans: readonly Plan[]): readonly string[] =>
  limitLines(
    plans.map(({ id, wish, stored, decision }) => {
      const state = decision.kind === 'write' ? decision.state : stored?.state
      return `Animal ${wish.origin?.number} (pet ${id}) ${describeUnlike(state)}`
    }),
  )

const describeUnlike = (state: StoredPet['state'] | undefined): string =>
  state?.kind === 'shown'
    ? `was changed by hand: ${describeDifference({ ...state.file }, { ...state.pet }, fileFields)}.`
    : `is removed by hand, and the file has it as ${state?.file.status}.`
