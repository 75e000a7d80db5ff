/** The rule of a shelter's night: what its file does to an animal. */
import type { Pet } from '../../../shared/pets/pet.ts'
import type { Rule } from '../changes/plan-changes.ts'
import {
  createRemovedState,
  goneRowHash,
  hashRow,
  type RemovedPet,
  type RowFields,
  type StoredPet,
} from '../changes/stored-pet.ts'

/**
 * Creates the rule of an animal. If its row has the hash that the pet has stored, nothing happens: so a change by hand
 * lasts until the shelter changes the animal. Then all fields become those of the row:
 *
 * | the animal is | row available or pending                | row sold   | row hidden, or gone |
 * | ------------- | --------------------------------------- | ---------- | ------------------- |
 * | on the list   | as its row                              | as its row | removed `by source` |
 * | not on it     | added, or back under its id, as its row | stays off  | stays off           |
 *
 * @param row `gone` if the file no longer has the animal
 */
export const createAnimalRule =
  (row: RowFields | 'gone'): Rule =>
  (stored, id) => {
    const rowHash = row === 'gone' ? goneRowHash : hashRow(row)
    if (stored?.state.rowHash === rowHash) return { kind: 'unchanged' }
    const pet = row === 'gone' ? undefined : findShownPet(row, stored, id)
    if (pet !== undefined) return { kind: 'write', state: { kind: 'shown', pet, rowHash } }
    // An animal that was never added, and that no list would show, gets no pet.
    if (stored === undefined) return { kind: 'unchanged' }
    return { kind: 'write', state: { ...removeAnimal(stored, row), rowHash } }
  }

/** Finds the pet that lists show of an animal with this row; undefined if they show none. */
const findShownPet = (row: RowFields, stored: StoredPet | undefined, id: bigint): Pet | undefined => {
  const { name, categoryId, status } = row
  const isOnList = stored !== undefined && stored.state.kind !== 'removed'
  if (status === 'hidden' || (status === 'sold' && !isOnList)) return undefined
  const earlierPet = stored?.state.kind === 'shown' ? stored.state.pet : undefined
  return { ...earlierPet, id, name, categoryId, status }
}

/** Creates the state of an animal off the list, with name and category of its row. A removal by hand stays one. */
const removeAnimal = (stored: StoredPet, row: RowFields | 'gone'): RemovedPet => {
  const removal = stored.state.kind === 'removed' ? stored.state.removed : 'by source'
  const state = createRemovedState(stored, removal)
  return row === 'gone' ? state : { ...state, name: row.name, categoryId: row.categoryId }
}

/** The rule of an animal whose row cannot be understood: the animal stays as it is. */
export const keepAnimal: Rule = () => ({ kind: 'unchanged' })
