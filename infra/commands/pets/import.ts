/** `npm run pets -- import`: makes the edits of an export as CSV. */
import { assignPetId } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { planChanges, type Rule } from '../changes/plan-changes.ts'
import { isInState, type PetState } from '../changes/stored-pet.ts'
import { computeVersion, type Edit, readEdits } from '../files/sheet.ts'
import { type ChangeRequest, finishChanges } from './edit-pets.ts'

/**
 * Imports the edits of an export. For each row, in this order: a row that was not edited asks for nothing; one that
 * equals the pet is done; one whose version is that of the pet is written; any other one is a conflict. So the same
 * file can be imported again after any failure. The whole file is checked before the first write.
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
