/** `npm run pets -- add`: adds one pet. */
import { systemClock } from '../../../shared/clock.ts'
import { drawPetId } from '../../../shared/pets/add-pet.ts'
import { assignPetId, type NewPet } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { checkClock } from '../changes/clock-check.ts'
import { describeValues } from '../changes/describe-change.ts'
import { makeChanges, UnknownOutcomeError } from '../changes/engine.ts'
import { planChanges, type Rule } from '../changes/plan-changes.ts'
import type { NamedTableAccess, Operator } from '../environment/open-environment.ts'

/**
 * Adds a pet. Its id is printed before anything is written, so that an operator whose command was killed can look for
 * the pet.
 */
export const addPet = async (
  { environment, operator }: { readonly environment: NamedTableAccess; readonly operator: Operator },
  newPet: NewPet,
): Promise<Report> => {
  await checkClock(environment.database, environment.tables.pets)
  const id = drawPetId(systemClock())
  console.error(`The pet gets the id ${id}. Running this command again adds another pet.`)

  const pet = assignPetId(id, newPet)
  const rule: Rule = (stored) =>
    stored === undefined
      ? { kind: 'write', state: { kind: 'shown', pet } }
      : { kind: 'conflict', reason: 'another pet has the id' }
  const plans = await Array.fromAsync(planChanges(environment, [{ id, rule }]))
  const made = await makeChanges({ environment, operator, action: 'pets add' }, plans).catch((error: unknown) => {
    throw explainUnknown(error, id)
  })
  // Only a conflict, which changes nothing, has no id of a change.
  const changeId = made[0]?.changeId
  if (changeId === undefined) {
    throw new UserError(`Another pet has the id ${id}. Nothing is added: run the command again.`)
  }
  return {
    json: { added: pet, changeId },
    text: `Added pet ${id}: ${describeValues({ ...pet })}, change ${changeId}.`,
  }
}

/** Replaces the advice to run the same command again: after an unknown outcome this might add a second pet. */
const explainUnknown = (error: unknown, id: bigint): unknown => {
  if (!(error instanceof UserError && error.cause instanceof UnknownOutcomeError)) return error
  return new UserError(`${error.cause.message} "npm run audit -- ${id}" shows whether the pet is added.`, {
    cause: error,
  })
}
