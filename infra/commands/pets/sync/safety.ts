/** A check whether a file is what it should be: whole, and of the right shelter. */
import type { Pet } from '../../../../shared/pets/pet.ts'
import { RefusedFileError } from '../rows/refused-file-error.ts'
import { isLoss, type PlannedChange, type SyncPlan } from './plan.ts'

const leastDoubtfulLosses = 5

/** Part of a source's animals that may go in one night. */
const largestLostPart = 1 / 5

const isOnOffer = (pet: Pick<Pet, 'status'> | undefined): boolean =>
  pet?.status === 'available' || pet?.status === 'pending'

/**
 * Refuses a plan that changes too many animals for a night, counted on those of the source that are available or
 * pending now. A run that was killed and is repeated is not refused for what it has left to do: fewer changes are left,
 * of more animals.
 *
 * @param unchangedCount animals on offer that the plan does not change
 * @throws RefusedFileError
 */
export const checkCounts = ({ additions, changes }: SyncPlan, unchangedCount: number): void => {
  const changesOfOffered = changes.filter(({ pet }) => isOnOffer(pet))
  const total = unchangedCount + changesOfOffered.length
  const losses = changesOfOffered.filter((change) => isLoss(change) || isOtherAnimal(change)).length
  if (losses >= leastDoubtfulLosses && losses > total * largestLostPart) {
    throw new RefusedFileError([
      `It would take away or replace ${losses} of ${total} animals: is it cut, or another shelter's? ${advice}`,
    ])
  }

  const returns = changes.filter(({ pet, newPet }) => !isOnOffer(pet) && isOnOffer(newPet)).length
  const gains = additions.length + returns
  if (gains > total) {
    throw new RefusedFileError([`It would add ${gains} animals to ${total}: is it another shelter's? ${advice}`])
  }
}

const advice = 'If it is right, run the command once more with --accept-changes.'

/** Whether a row has another name and another category, as that of another animal has. */
const isOtherAnimal = ({ listing, next }: PlannedChange): boolean =>
  listing.name !== next.name && listing.categoryId !== next.categoryId
