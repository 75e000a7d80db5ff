/** `npm run pets -- set`, `remove` and `follow`: changes of pets that an operator names by their ids. */
import { describeMalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { type NewPet, readPet } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { followFile, showPet, takeOffList } from '../changes/merge.ts'
import type { Decision, Plan, Rule } from '../changes/plan-changes.ts'
import { reportChanges } from '../changes/report.ts'
import { isInState } from '../changes/stored-pet.ts'
import { type ChangeRequest, changePets } from './change-pets.ts'

/** Changes some fields of pets. A malformed field needs a value. */
export const setPets = (request: ChangeRequest, ids: readonly bigint[], values: Partial<NewPet>): Promise<Report> =>
  editPets(request, 'pets set', ids, (stored) => {
    if (stored === undefined || stored.state.kind === 'removed') return noPet
    const reading = readPet({ ...stored.item, ...values })
    if (reading.kind === 'malformed') {
      return { kind: 'conflict', reason: `${describeMalformedItem(reading)} Give that a value too` }
    }
    const state = showPet(reading.value, stored.state.file)
    return isInState(stored, state) ? { kind: 'unchanged' } : { kind: 'write', state }
  })

/** Removes pets. A pet that was removed before is unchanged. */
export const removePets = (request: ChangeRequest, ids: readonly bigint[]): Promise<Report> =>
  editPets(request, 'pets remove', ids, (stored) => {
    if (stored === undefined) return noPet
    if (stored.state.kind === 'removed') return { kind: 'unchanged' }
    return { kind: 'write', state: takeOffList(stored, 'by hand') }
  })

/** Makes pets as the last file of their source has them, in every field. */
export const followPets = (request: ChangeRequest, ids: readonly bigint[]): Promise<Report> =>
  editPets(request, 'pets follow', ids, (stored) => {
    if (stored === undefined) return noPet
    if (stored.origin === undefined) return { kind: 'conflict', reason: 'the pet comes from no file' }
    const state = followFile(stored)
    if (state === undefined) return { kind: 'conflict', reason: 'it is not known what the file says: run "pets sync"' }
    return isInState(stored, state) ? { kind: 'unchanged' } : { kind: 'write', state }
  })

const noPetReason = 'no pet has the id'

/** The decision about an id without a pet. */
const noPet: Decision = { kind: 'conflict', reason: noPetReason }

/**
 * Changes pets by one rule.
 *
 * @throws UserError that names the ids without a pet, if there are any. Nothing is done then.
 */
const editPets = async (
  request: ChangeRequest,
  action: string,
  ids: readonly bigint[],
  rule: Rule,
): Promise<Report> => {
  const wishes = ids.map((id) => ({ id, rule }))
  const plans = await changePets(request, action, wishes, requirePets)
  return reportChanges(plans, { isDryRun: request.operator === undefined })
}

const requirePets = (plans: readonly Plan[]): void => {
  const missing = plans.filter(({ decision }) => decision.kind === 'conflict' && decision.reason === noPetReason)
  if (missing.length === 0) return
  throw new UserError(`No pet has the id ${missing.map(({ id }) => id).join(', ')}. Nothing is done.`)
}
