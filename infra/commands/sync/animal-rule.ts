/** The rule of a shelter's night: what its file does to an animal. */
import type { Pet } from '../../../shared/pets/pet.ts'
import type { Decision, Rule } from '../changes/plan-changes.ts'
import {
  goneRow,
  hashRow,
  type RemovedPet,
  type RowFields,
  type StoredPet,
  takeOffList,
} from '../changes/stored-pet.ts'

/**
 * Creates the rule of an animal. If the file says of it what `row` of the pet has already, nothing happens: so a change
 * by hand lasts until the shelter changes the animal. Then the shelter wins, whole:
 *
 * | the animal is | row available or pending              | row sold    | row hidden, or gone   |
 * | ------------- | ------------------------------------- | ----------- | --------------------- |
 * | on the list   | as its row                            | as its row  | removed `by source`   |
 * | not on it     | added, or back under its id, as its row | stays off | stays off             |
 *
 * @param said the animal's row, or `gone` if the file no longer has the animal
 */
export const createAnimalRule =
  (said: RowFields | 'gone'): Rule =>
  (stored, id): Decision => {
    const row = said === 'gone' ? goneRow : hashRow(said)
    if (stored?.state.row === row) return { kind: 'unchanged' }
    const pet = said === 'gone' ? undefined : findShownPet(said, stored, id)
    if (pet !== undefined) return { kind: 'write', state: { kind: 'shown', pet, row } }
    if (stored === undefined) return { kind: 'unchanged' }
    return { kind: 'write', state: { ...takeOff(stored, said), row } }
  }

/** Finds the pet that lists show of an animal with this row; undefined if they show none. */
const findShownPet = (said: RowFields, stored: StoredPet | undefined, id: bigint): Pet | undefined => {
  const { name, categoryId, status } = said
  const isOnList = stored !== undefined && stored.state.kind !== 'removed'
  if (status === 'hidden' || (status === 'sold' && !isOnList)) return undefined
  const otherFields = stored?.state.kind === 'shown' ? stored.state.pet : undefined
  return { ...otherFields, id, name, categoryId, status }
}

/** Takes an animal off the list. One that was removed by hand stays so, and gets the name and category of its row. */
const takeOff = (stored: StoredPet, said: RowFields | 'gone'): RemovedPet => {
  const removal = stored.state.kind === 'removed' ? stored.state.removed : 'by source'
  const state = takeOffList(stored, removal)
  return said === 'gone' ? state : { ...state, name: said.name, categoryId: said.categoryId }
}

/** The rule of an animal whose row cannot be understood: the animal stays as it is. */
export const keepAnimal: Rule = () => ({ kind: 'unchanged' })
