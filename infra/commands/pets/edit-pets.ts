/** `npm run pets -- set` and `remove`: changes of pets that an operator names by their ids. */
import { describeMalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { type NewPet, type Pet, readPet } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Decision, Plan } from '../changes/plan-changes.ts'
import { reportChanges } from '../changes/report.ts'
import { isInState, pickKnownFields, type StoredPet, takeOffList } from '../changes/stored-pet.ts'
import { type ChangeRequest, changePets } from './change-pets.ts'

/** Changes some fields of pets. A malformed field needs a value, and a new status shows a removed pet again. */
export const setPets = (request: ChangeRequest, ids: readonly bigint[], values: Partial<NewPet>): Promise<Report> =>
  editPets(request, 'pets set', ids, (stored) => setPet(stored, values))

/** Decides what becomes of a pet whose fields get some values. */
export const setPet = (stored: StoredPet, values: Partial<Pet>): Decision => {
  const { id, item, state: old } = stored
  if (old.kind === 'removed' && values.status === undefined) {
    return { kind: 'conflict', reason: 'it is removed, and --status shows it again' }
  }
  const fields = old.kind === 'removed' ? { id, ...pickKnownFields(old) } : item
  const reading = readPet({ ...fields, ...values })
  if (reading.kind === 'malformed') {
    return { kind: 'conflict', reason: `${describeMalformedItem(reading)} Give that a value too` }
  }
  const state = { kind: 'shown', pet: reading.value, row: old.row } as const
  return isInState(stored, state) ? { kind: 'unchanged' } : { kind: 'write', state }
}

/** Removes pets. A pet that was removed before is unchanged. */
export const removePets = (request: ChangeRequest, ids: readonly bigint[]): Promise<Report> =>
  editPets(request, 'pets remove', ids, removePet)

/** Decides what becomes of a pet that is removed by hand. */
export const removePet = (stored: StoredPet): Decision =>
  stored.state.kind === 'removed' ? { kind: 'unchanged' } : { kind: 'write', state: takeOffList(stored, 'by hand') }

/**
 * Changes pets by one rule.
 *
 * @throws UserError that names the ids without a pet, if there are any. Nothing is done then.
 */
const editPets = async (
  request: ChangeRequest,
  action: string,
  ids: readonly bigint[],
  rule: (stored: StoredPet) => Decision,
): Promise<Report> => {
  const wishes = ids.map((id) => ({
    id,
    rule: (stored: StoredPet | undefined): Decision =>
      stored === undefined ? { kind: 'conflict', reason: 'no pet has the id' } : rule(stored),
  }))
  const plans = await changePets(request, action, wishes, requirePets)
  return reportChanges(plans, { isDryRun: request.operator === undefined })
}

const requirePets = (plans: readonly Plan[]): void => {
  const missing = plans.filter(({ stored }) => stored === undefined)
  if (missing.length === 0) return
  throw new UserError(`No pet has the id ${missing.map(({ id }) => id).join(', ')}. Nothing is done.`)
}
