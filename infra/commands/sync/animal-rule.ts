/** The rule of a shelter's night: what its file does to an animal. */
import type { Decision, Rule } from '../changes/plan-changes.ts'
import { goneRow, hashRow, type RowFields, takeOffList } from '../changes/stored-pet.ts'

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

    const isOnList = stored !== undefined && stored.state.kind !== 'removed'
    if (said !== 'gone' && said.status !== 'hidden' && (isOnList || said.status !== 'sold')) {
      const { name, categoryId, status } = said
      const otherFields = stored?.state.kind === 'shown' ? stored.state.pet : undefined
      return { kind: 'write', state: { kind: 'shown', pet: { ...otherFields, id, name, categoryId, status }, row } }
    }
    if (stored === undefined) return { kind: 'unchanged' }
    const { name, categoryId } = said === 'gone' ? takeOffList(stored, 'by source') : said
    const removal = stored.state.kind === 'removed' ? stored.state.removed : 'by source'
    return { kind: 'write', state: { kind: 'removed', removed: removal, name, categoryId, row } }
  }

/** The rule of an animal whose row cannot be understood: the animal stays as it is. */
export const keepAnimal: Rule = () => ({ kind: 'unchanged' })
