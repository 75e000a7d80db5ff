/** Judging whether a file is what it should be: whole, of the right shelter, and of this night. */
import { formatCount } from '../../command-line/report.ts'
import type { Plan } from '../changes/plan-changes.ts'
import type { PetState, StoredPet } from '../changes/stored-pet.ts'
import type { Night } from './read-night.ts'
import { isSameFile, type PassedFile, type SourceHead } from './source-head.ts'

/** Number from which losses, gains, and changes by an earlier file are judged: fewer are never too many. */
const leastDoubtful = 5

/** Counts of the first plan of a night. */
export interface NightCounts {
  /** Animals that are available or pending now. */
  readonly onOffer: number
  /** Animals on offer that leave the list other than by the status of their row, or whose row is another animal's. */
  readonly losses: number
  /** Animals that are on offer afterwards, and are not now. */
  readonly gains: number
  readonly writes: number
  /** Animals that are first seen as sold, and so not added. */
  readonly notAdded: number
}

/** Counts what the plan of one animal does. */
export const countPlan = ({ stored, decision, wish }: Plan, { animals }: Night): NightCounts => {
  const isOffered = isOnOffer(stored?.state)
  const newState = decision.kind === 'write' ? decision.state : undefined
  const row = animals.get(wish.origin?.number ?? '')
  const isLost = newState !== undefined && row === undefined && !isOnOffer(newState)
  const isOtherAnimal = stored !== undefined && row !== undefined && isAnotherAnimal(stored, row)
  return {
    onOffer: Number(isOffered),
    losses: Number(isOffered && (isLost || isOtherAnimal)),
    gains: Number(!isOffered && isOnOffer(newState)),
    writes: Number(newState !== undefined),
    notAdded: Number(stored === undefined && newState === undefined && row?.status === 'sold'),
  }
}

const isOnOffer = (state: StoredPet['state'] | PetState | undefined): boolean =>
  state?.kind === 'shown' && (state.pet.status === 'available' || state.pet.status === 'pending')

/** Whether neither name nor category of a row are those that the file had for its number before. */
const isAnotherAnimal = (
  { state: { file } }: StoredPet,
  row: { readonly name: string; readonly categoryId: bigint },
): boolean => file.name !== row.name && file.categoryId !== row.categoryId

/** Adds counts up. */
export const addCounts = (one: NightCounts, other: NightCounts): NightCounts => ({
  onOffer: one.onOffer + other.onOffer,
  losses: one.losses + other.losses,
  gains: one.gains + other.gains,
  writes: one.writes + other.writes,
  notAdded: one.notAdded + other.notAdded,
})

export const noCounts: NightCounts = { onOffer: 0, losses: 0, gains: 0, writes: 0, notAdded: 0 }

/** Finds the doubts about a file, as sentences. A night with a doubt goes on only with `--accept-changes`. */
export const findDoubts = (
  night: Night,
  head: SourceHead | undefined,
  passedFiles: readonly PassedFile[],
  counts: NightCounts,
): readonly string[] => {
  const last = passedFiles.at(-1)
  // After a run that was killed, the counts have only what is left to do, so they are not judged.
  const isRepeated = last !== undefined && isSameFile(last, night)
  return [...findDoubtsOfSettings(night, head), ...(isRepeated ? [] : findDoubtsOfCounts(night, passedFiles, counts))]
}

const findDoubtsOfSettings = (night: Night, head: SourceHead | undefined): readonly string[] => {
  const { settingsName = night.settingsName, missing = night.missing } = head ?? {}
  const doubts: string[] = []
  if (settingsName !== night.settingsName) {
    doubts.push(
      `the settings are ${night.settingsName}, and those of the last file were ${settingsName}: ` +
        `is its source that of another shelter?`,
    )
  }
  if (missing !== night.missing) {
    doubts.push(`the settings say "missing: ${night.missing}", and those of the last file said "missing: ${missing}".`)
  }
  return doubts
}

const findDoubtsOfCounts = (
  night: Night,
  passedFiles: readonly PassedFile[],
  { onOffer, losses, gains, writes }: NightCounts,
): readonly string[] => {
  const doubts: string[] = []
  if (losses >= leastDoubtful && losses * 100 > onOffer * night.lossPercent) {
    doubts.push(
      `the file would take away or replace ${losses} of ${formatCount(onOffer, 'animal')}: is it cut, or another shelter's?`,
    )
  }
  if (gains >= leastDoubtful && gains * 100 > onOffer * night.gainPercent) {
    doubts.push(`the file would add ${gains} animals to ${onOffer}: is it another shelter's, or the first of this one?`)
  }
  const earlier = findEarlierFile(night, passedFiles)
  if (earlier !== undefined && writes >= leastDoubtful) {
    doubts.push(`this is the file of ${earlier.at.slice(0, 10)}, byte for byte, and would change ${writes} animals.`)
  }
  return doubts
}

/** Finds the run with the same bytes that came before the last one. */
export const findEarlierFile = (
  { fileHash }: Pick<Night, 'fileHash'>,
  passedFiles: readonly PassedFile[],
): PassedFile | undefined =>
  passedFiles.at(-1)?.fileHash === fileHash ? undefined : passedFiles.findLast((file) => file.fileHash === fileHash)
