/** Judging whether a file is what it should be: whole, of the right shelter, and of this night. */
import { formatCount } from '../../command-line/report.ts'
import type { Plan } from '../changes/plan-changes.ts'
import { findOutcome } from '../changes/report.ts'
import type { PetState, StoredPet } from '../changes/stored-pet.ts'
import type { FileAnimal, Night } from './read-night.ts'
import { isSameFile, type PassedFile } from './source-head.ts'

/** Least number of changed animals for a doubt about the offer or an earlier file: fewer are never doubtful. */
const leastDoubtful = 5

/** Counts of the first plan of a night. The animals on offer are those that are available or pending. */
export interface NightCounts {
  /** Animals on offer now. */
  readonly onOffer: number
  /** Animals on offer that would be gone, be hidden, or get another name or category. */
  readonly losses: number
  /** Animals on offer that would be sold, and lose nothing else. */
  readonly sales: number
  /** Animals that would come onto the offer. */
  readonly gains: number
  /** Animals that callers would see otherwise, or no longer. */
  readonly changes: number
  /** Animals that are first seen as sold, and so not added. */
  readonly notAdded: number
}

/** Counts what the plan of one animal does. */
export const countPlan = (plan: Plan, night: Night): NightCounts => {
  const { stored, decision } = plan
  const newState = decision.kind === 'write' ? decision.state : undefined
  const isOffered = isOnOffer(stored?.state)
  const isOfferWritten = isOffered && newState !== undefined
  const isLost = isOfferWritten && !isSameAnimal(stored?.state, newState)
  const row = findRow(plan, night)
  return {
    onOffer: Number(isOffered),
    losses: Number(isLost),
    sales: Number(isOfferWritten && !isLost && !isOnOffer(newState)),
    gains: Number(!isOffered && isOnOffer(newState)),
    changes: Number(newState !== undefined && findOutcome(plan) !== 'unchanged'),
    notAdded: Number(stored === undefined && newState === undefined && row?.status === 'sold'),
  }
}

/** Finds the animal's row in the file; undefined if the file has none, or none that can be understood. */
export const findRow = ({ wish: { origin } }: Plan, { animals }: Night): FileAnimal | undefined =>
  origin && animals.get(origin.number)

const isOnOffer = (state: StoredPet['state'] | undefined): boolean =>
  state?.kind === 'shown' && (state.pet.status === 'available' || state.pet.status === 'pending')

/** Whether a pet stays on the list with the name and the category that it has. */
const isSameAnimal = (old: StoredPet['state'] | undefined, next: PetState): boolean =>
  old?.kind === 'shown' &&
  next.kind === 'shown' &&
  old.pet.name === next.pet.name &&
  old.pet.categoryId === next.pet.categoryId

export const noCounts: NightCounts = { onOffer: 0, losses: 0, sales: 0, gains: 0, changes: 0, notAdded: 0 }

/** Adds counts up. */
export const addCounts = (one: NightCounts, other: NightCounts): NightCounts => ({
  onOffer: one.onOffer + other.onOffer,
  losses: one.losses + other.losses,
  sales: one.sales + other.sales,
  gains: one.gains + other.gains,
  changes: one.changes + other.changes,
  notAdded: one.notAdded + other.notAdded,
})

/**
 * Finds the doubts about a file, as sentences. A night with a doubt goes on only with `--accept-changes`. The pair of
 * file and settings that has passed last is not judged again: a killed run may have done a part of it.
 */
export const findDoubts = (
  night: Night,
  passedFiles: readonly PassedFile[],
  counts: NightCounts,
): readonly string[] => {
  const last = passedFiles.at(-1)
  if (last === undefined) {
    return [`no file of ${night.source} has passed yet: is it a new shelter, or have its settings another name now?`]
  }
  if (isSameFile(last, night)) return []
  // An adoption day sells many animals, so sales alone raise no doubt. New settings may take another word for `sold`.
  const areSettingsNew = last.settingsHash !== night.settingsHash
  return [...findDoubtsOfFile(night, passedFiles, counts), ...findDoubtsOfOffer(night, counts, areSettingsNew)]
}

const findDoubtsOfFile = (
  night: Night,
  passedFiles: readonly PassedFile[],
  { changes }: NightCounts,
): readonly string[] => {
  if (night.animals.size + night.unknown.length === 0) return ['the file has a header, but no animal.']
  const earlier = findEarlierFile(night, passedFiles)
  return earlier !== undefined && changes >= leastDoubtful
    ? [`this is the file of ${earlier.at.slice(0, 10)}, byte for byte, and would change ${changes} animals.`]
    : []
}

const findDoubtsOfOffer = (
  { lossPercent }: Night,
  { onOffer, losses, sales, gains }: NightCounts,
  areSettingsNew: boolean,
): readonly string[] => {
  const doubts: string[] = []
  const lost = areSettingsNew ? losses + sales : losses
  if (lost >= leastDoubtful && lost * 100 > onOffer * lossPercent) {
    const what = areSettingsNew ? 'take off the offer, sell, rename or move' : 'take off the offer, rename or move'
    doubts.push(
      `it would ${what} to another category ${lost} of ${formatCount(onOffer, 'animal')} on offer: ` +
        'is the file cut or that of another shelter, or are the settings wrong?',
    )
  }
  if (gains >= leastDoubtful && gains > onOffer) {
    doubts.push(`it would put ${gains} animals beside the ${onOffer} on offer: is it the file of another shelter?`)
  }
  return doubts
}

/** Finds the file with the same bytes that came before the last one. */
export const findEarlierFile = (
  { fileHash }: Pick<Night, 'fileHash'>,
  passedFiles: readonly PassedFile[],
): PassedFile | undefined =>
  passedFiles.at(-1)?.fileHash === fileHash ? undefined : passedFiles.findLast((file) => file.fileHash === fileHash)
