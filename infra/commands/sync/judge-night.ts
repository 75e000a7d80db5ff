/** Doubts about a file: whether it is whole, of the right shelter, and of this night. */
import { formatCount } from '../../command-line/report.ts'
import type { Plan } from '../changes/plan-changes.ts'
import { findOutcome } from '../changes/report.ts'
import type { PetState, StoredPet } from '../changes/stored-pet.ts'
import type { FileAnimal, Night } from './read-night.ts'
import { isSameFile, type PassedFile } from './source-head.ts'

/**
 * Number of animals from which on a change raises a doubt. A file that changes fewer raises none about the offer, and
 * none because it is the file of an earlier night.
 */
const leastDoubtful = 5

/**
 * Counts of the plans of a night, as they are before the first write. An animal is on offer if it is available or
 * pending.
 */
export interface NightCounts {
  /** Animals on offer now. */
  onOffer: number
  /** Animals on offer that would be gone, be hidden, or get another name or category. */
  losses: number
  /** Animals on offer that would be sold, and keep name and category. */
  sales: number
  /** Animals that would come onto the offer. */
  gains: number
  /** Animals that would change, appear or disappear for callers. */
  changes: number
  /** Animals that are not added, because their first row has them as sold. */
  notAdded: number
}

export const noCounts: Readonly<NightCounts> = { onOffer: 0, losses: 0, sales: 0, gains: 0, changes: 0, notAdded: 0 }

/** Adds the plan of one animal to the counts. */
export const countPlan = (counts: NightCounts, plan: Plan, night: Night): void => {
  const { stored, decision } = plan
  const wasOnOffer = isOnOffer(stored?.state)
  if (wasOnOffer) counts.onOffer += 1
  if (decision.kind !== 'write') {
    if (stored === undefined && findRow(plan, night)?.status === 'sold') counts.notAdded += 1
    return
  }
  if (findOutcome(plan) !== 'unchanged') counts.changes += 1
  if (!wasOnOffer) counts.gains += Number(isOnOffer(decision.state))
  else if (!isSameAnimal(stored?.state, decision.state)) counts.losses += 1
  else if (!isOnOffer(decision.state)) counts.sales += 1
}

/** Finds the row of a plan's animal; undefined if the file has no row of it that can be understood. */
export const findRow = ({ wish: { origin } }: Plan, { animals }: Night): FileAnimal | undefined =>
  origin && animals.get(origin.number)

const isOnOffer = (state: StoredPet['state'] | undefined): boolean =>
  state?.kind === 'shown' && (state.pet.status === 'available' || state.pet.status === 'pending')

/** Whether a pet stays on the list with its name and its category. */
const isSameAnimal = (old: StoredPet['state'] | undefined, next: PetState): boolean =>
  old?.kind === 'shown' &&
  next.kind === 'shown' &&
  old.pet.name === next.pet.name &&
  old.pet.categoryId === next.pet.categoryId

/**
 * Finds the doubts about a file, as sentences. A night with a doubt goes on only with `--accept-changes`. If file and
 * settings are those that have passed last, there is no doubt: this run may have to complete a run that was killed.
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
  // An adoption day sells many animals, so sales are no losses, unless the settings are new: these may mistake a word
  // for `sold`.
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
  const lostCount = areSettingsNew ? losses + sales : losses
  if (lostCount >= leastDoubtful && lostCount * 100 > onOffer * lossPercent) {
    const what = areSettingsNew ? 'take off the offer, sell, rename or move' : 'take off the offer, rename or move'
    doubts.push(
      `it would ${what} to another category ${lostCount} of ${formatCount(onOffer, 'animal')} on offer: ` +
        'is the file cut or that of another shelter, or are the settings wrong?',
    )
  }
  if (gains >= leastDoubtful && gains > onOffer) {
    doubts.push(`it would put ${gains} animals beside the ${onOffer} on offer: is it the file of another shelter?`)
  }
  return doubts
}

/** Finds an earlier file with the bytes of this one; undefined if the last file has them: then a run is repeated. */
export const findEarlierFile = (
  { fileHash }: Pick<Night, 'fileHash'>,
  passedFiles: readonly PassedFile[],
): PassedFile | undefined =>
  passedFiles.at(-1)?.fileHash === fileHash ? undefined : passedFiles.findLast((file) => file.fileHash === fileHash)
