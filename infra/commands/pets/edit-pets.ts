/**
 * `npm run pets -- set` and `remove`: changes of pets that an operator names by their ids; and the end that all commands
 * which change pets have in common.
 */
import { describeMalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { type NewPet, type Pet, readPet } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { makeChanges } from '../changes/engine.ts'
import { type Decision, type Plan, planChanges, type Wish } from '../changes/plan-changes.ts'
import { reportChanges } from '../changes/report.ts'
import { createRemovedState, isInState, pickKnownFields, type StoredPet } from '../changes/stored-pet.ts'
import type { NamedTableAccess, Operator } from '../environment/open-environment.ts'

export interface ChangeRequest {
  readonly environment: NamedTableAccess
  /** Undefined for a dry run, which writes nothing. */
  readonly operator: Operator | undefined
}

/** Changes some fields of pets. */
export const setPets = (request: ChangeRequest, ids: readonly bigint[], values: Partial<NewPet>): Promise<Report> =>
  editPets(request, 'pets set', ids, (stored) => setPet(stored, values))

/**
 * Decides what becomes of a pet whose fields get some values. A new status shows a removed pet again. A pet that cannot
 * be read needs a value for its malformed field.
 */
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
  const state = { kind: 'shown', pet: reading.value, rowHash: old.rowHash } as const
  return isInState(stored, state) ? { kind: 'unchanged' } : { kind: 'write', state }
}

/** Removes pets. A pet that was removed before is unchanged. */
export const removePets = (request: ChangeRequest, ids: readonly bigint[]): Promise<Report> =>
  editPets(request, 'pets remove', ids, removePet)

/** Decides what becomes of a pet that is removed by hand. */
export const removePet = (stored: StoredPet): Decision =>
  stored.state.kind === 'removed'
    ? { kind: 'unchanged' }
    : { kind: 'write', state: createRemovedState(stored, 'by hand') }

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
  const wishes = ids.map(
    (id): Wish => ({
      id,
      rule: (stored) => (stored === undefined ? { kind: 'conflict', reason: 'no pet has the id' } : rule(stored)),
    }),
  )
  const plans = await Array.fromAsync(planChanges(request.environment, wishes))
  const missing = plans.filter(({ stored }) => stored === undefined)
  if (missing.length > 0) {
    throw new UserError(`No pet has the id ${missing.map(({ id }) => id).join(', ')}. Nothing is done.`)
  }
  return finishChanges(request, action, plans)
}

/**
 * Makes the changes of plans unless it is a dry run, and reports them.
 *
 * @param uneditedCount number of rows of a file that ask for no change
 */
export const finishChanges = async (
  { environment, operator }: ChangeRequest,
  action: string,
  plans: readonly Plan[],
  uneditedCount = 0,
): Promise<Report> => {
  if (operator === undefined) return reportChanges(plans, { isDryRun: true, uneditedCount })
  return reportChanges(await makeChanges({ environment, operator, action }, plans), { uneditedCount })
}
