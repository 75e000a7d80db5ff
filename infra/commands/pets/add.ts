/** `npm run pets -- add`: adds one pet. */
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { assignPetId, type NewPet } from '../../../shared/pets/pet.ts'
import { drawPetId } from '../../../shared/pets/pet-id.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { ChangeAudit } from '../environment/change-audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { checkClock } from './clock-check.ts'
import { PetTable } from './pet-table.ts'

/**
 * Adds a pet. Its id is printed before anything is written, so that an operator whose command was killed can look for
 * the pet.
 */
export const addPet = async (
  { database, tables }: Environment,
  audit: ChangeAudit,
  newPet: NewPet,
  clock: Clock = systemClock,
): Promise<Report> => {
  await checkClock(database, tables.pets, clock)
  const pet = assignPetId(drawPetId(clock()), newPet)
  console.error(`The pet gets the id ${pet.id}. Running this command again adds another pet.`)

  const record = audit.draft({
    target: `pet#${pet.id}`,
    itemKey: { id: pet.id },
    action: 'pets add',
    previous: undefined,
    old: null,
    new: pet,
  })
  await audit.record(record)
  const table = new PetTable(database, tables.pets)
  const write = { id: pet.id, item: undefined, pet, changeId: record.changeId }
  const settled = await audit.settle(record, () => table.write(write))
  if (!settled.made) throw new UserError(`Another pet has the id ${pet.id}. Nothing is added: run the command again.`)
  return {
    json: { added: pet, changeId: record.changeId },
    text: `Added, change ${record.changeId}:\n  ${formatPrintableJson(pet)}`,
  }
}
