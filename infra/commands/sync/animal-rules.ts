/** The rules of a shelter's file: what it does to each animal. */

import { mergeFile, showPet } from '../changes/merge.ts'
import type { Rule } from '../changes/plan-changes.ts'
import { type FileFields, isInState, type Origin, type PetState, type StoredPet } from '../changes/stored-pet.ts'
import type { Night } from './read-night.ts'

/** An animal as a row of the file has it, in the words of this service. */
type Row = Pick<FileFields, 'name' | 'categoryId' | 'status'>

/** Creates the rule of an animal that is in the file. A new animal is added only if it is available or pending. */
export const createRowRule =
  (origin: Origin, { name, categoryId, status }: Row): Rule =>
  (stored) => {
    if (stored !== undefined) return decideByFile(stored, origin, { name, categoryId, status })
    if (status !== 'available' && status !== 'pending') return { kind: 'unchanged' }
    // The engine gives the pet its id.
    return { kind: 'write', state: showPet({ id: 0n, name, categoryId, status }) }
  }

/** Creates the rule of an animal that is no longer in the file. The rule changes the animal in the first night only. */
export const createGoneRule =
  (origin: Origin, missing: Night['missing']): Rule =>
  (stored) => {
    if (stored === undefined || stored.state.file.status === 'missing') return { kind: 'unchanged' }
    const isSold = missing === 'sold' && stored.state.kind === 'shown'
    return decideByFile(stored, origin, { status: isSold ? 'sold' : 'missing' })
  }

/** The rule of an animal whose row cannot be understood: the animal stays as it is. */
export const keepAnimal: Rule = () => ({ kind: 'unchanged' })

/** Decides what becomes of an animal by what the file says of it now. */
const decideByFile = (stored: StoredPet, { source, number }: Origin, theirs: Partial<FileFields>): ReturnType<Rule> => {
  if (stored.origin?.source !== source || stored.origin.number !== number) {
    return { kind: 'conflict', reason: `pet ${stored.id} is another animal: remove it from the index by hand` }
  }
  if (stored.state.kind === 'malformed') {
    const { attribute } = stored.state
    return {
      kind: 'conflict',
      reason: `the item of pet ${stored.id} has no valid ${attribute}: give it one by "pets set"`,
    }
  }
  const state: PetState = mergeFile(stored.id, { base: stored.state.file, theirs, ours: stored.state })
  return isInState(stored, state) ? { kind: 'unchanged' } : { kind: 'write', state }
}
