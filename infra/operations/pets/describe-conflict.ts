import { stringifyExactJson } from '../../../shared/exact-json.ts'
import { type Pet, type PetFields, petFields, readPet } from '../../../shared/pets/pet.ts'
import type { AppliedChange } from './apply-changes.ts'
import { isSameValue } from './plan-change.ts'
import type { WrittenRow } from './rows/format.ts'

/**
 * Describes a conflict as a row that can be corrected and imported. It has the edited values of the imported row, and
 * otherwise those that the pet has now. Its version is the pet as it is now, so an import of the row changes that.
 */
export const describeConflict = ({ desired, newPet, currentPet, reason = '' }: AppliedChange): WrittenRow => {
  const pet = newPet ?? desired.pet
  if (pet === undefined) throw new Error('A row of a file never removes a pet.')
  const reading = currentPet && readPet(currentPet)
  const isReadable = reading?.kind === 'read'
  const differences = isReadable ? describeDifferences(desired.version, reading.value) : []
  return {
    pet,
    // The version of an imported row has all fields of a pet.
    version: isReadable ? reading.value : (desired.version as Pet | undefined),
    conflict: [reason, ...differences].join('; '),
  }
}

/** Describes what somebody else has changed, for example `status was "available", is "sold"`. */
const describeDifferences = (version: PetFields | undefined, current: Pet): readonly string[] =>
  petFields
    .filter((field) => !isSameValue(version?.[field], current[field]))
    .map((field) => `${field} was ${stringifyExactJson(version?.[field])}, is ${stringifyExactJson(current[field])}`)
