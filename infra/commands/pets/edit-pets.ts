/** `npm run pets -- set`, `remove` and `import`, and the last step of all commands that change pets. */
import { describeMalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { assignPetId, type NewPet, type Pet, readPet } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { makeChanges } from '../changes/engine.ts'
import { type Decision, type Plan, planChanges, type Rule, type Wish } from '../changes/plan-changes.ts'
import { reportChanges } from '../changes/report.ts'
import { createRemovedState, isInState, type PetState, pickKnownFields, type StoredPet } from '../changes/stored-pet.ts'
import type { NamedTableAccess, Operator } from '../environment/open-environment.ts'
import { computeVersion, type Edit, readEdits } from '../files/sheet.ts'

export interface ChangeRequest {
  readonly environment: NamedTableAccess
  /** Undefined for a dry run, which writes nothing. */
  readonly operator: Operator | undefined
}

export const setPets = (request: ChangeRequest, ids: readonly bigint[], values: Partial<NewPet>): Promise<Report> =>
  editPets(request, 'pets set', ids, (stored) => setPet(stored, values))

/**
 * Decides what becomes of a pet whose fields get some values. A removed pet must get a status, which shows it again,
 * and a malformed pet must get a value for its malformed field.
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

export const removePets = (request: ChangeRequest, ids: readonly bigint[]): Promise<Report> =>
  editPets(request, 'pets remove', ids, removePet)

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
 * Imports the edits of an export as CSV. A row that was not edited asks for no change. An edited row that equals the
 * pet is done already, so the same file can be imported again after any failure. Of the other rows, those that have the
 * version of the pet are written, and the rest are conflicts. The whole file is checked before the first write.
 *
 * @param file absolute path, or `-` for standard input
 */
export const importPets = async (request: ChangeRequest, file: string): Promise<Report> => {
  const rows = await readEdits(file)
  const edits = rows.filter(({ isAsExported }) => !isAsExported)
  const wishes = edits.map((edit) => ({ id: edit.id, line: edit.line, rule: createEditRule(edit) }))
  const plans = await Array.fromAsync(planChanges(request.environment, wishes))
  return finishChanges(request, 'pets import', plans, rows.length - edits.length)
}

const createEditRule =
  ({ id, values, version }: Edit): Rule =>
  (stored) => {
    if (stored === undefined || stored.state.kind === 'removed') {
      return { kind: 'conflict', reason: 'no pet has the id now' }
    }
    if (stored.state.kind === 'malformed') {
      return { kind: 'conflict', reason: `its item has no valid ${stored.state.attribute}` }
    }
    const { pet: current, rowHash } = stored.state
    const state: PetState = { kind: 'shown', pet: assignPetId(id, { ...current, ...values }), rowHash }
    if (isInState(stored, state)) return { kind: 'unchanged' }
    if (version === computeVersion(current)) return { kind: 'write', state }
    return { kind: 'conflict', reason: 'somebody else has changed the pet' }
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
