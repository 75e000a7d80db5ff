import { assignPetId, type NewPet, type Pet } from '../../../shared/pets/pet.ts'
import { runInterruptibly } from '../../command-line/long-work.ts'
import { printableJson } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { writeWhole } from './files.ts'
import { findItems, petIn } from './pet-items.ts'
import { formatOf, textOf } from './rows/format.ts'
import { settle } from './settle.ts'

/** @throws UserError that names the ids that no pet has */
const findPets = async (environment: Environment, ids: readonly bigint[]): Promise<readonly Pet[]> => {
  const found = await findItems(environment, ids)
  const missing = ids.filter((id) => petIn(found.get(id)) === undefined)
  if (missing.length > 0) throw new UserError(`No pet has the id ${missing.join(', ')}.`)
  return ids.flatMap((id) => petIn(found.get(id)) ?? [])
}

export const showPets = async (environment: Environment, ids: readonly bigint[]): Promise<Report> => {
  const pets = await findPets(environment, ids)
  return { json: { pets }, text: pets.map((pet) => printableJson(pet)).join('\n') }
}

export const setPet = (environment: Environment, audit: Audit, id: bigint, values: Partial<NewPet>): Promise<Report> =>
  become(environment, audit, 'pets set', [id], (pet) => assignPetId(id, { ...pet, ...values }))

/** @param out a file that keeps the pets as they are now */
export const removePets = (
  environment: Environment,
  audit: Audit,
  ids: readonly bigint[],
  out: string | undefined,
): Promise<Report> => become(environment, audit, 'pets remove', ids, () => undefined, out)

const become = (
  environment: Environment,
  audit: Audit,
  action: string,
  ids: readonly bigint[],
  next: (pet: Pet) => Pet | undefined,
  out?: string,
): Promise<Report> =>
  runInterruptibly(
    () => 'To go on, run the command again for the pets that are as before: "show" shows them.',
    async (signal) => {
      const now = (await findPets(environment, ids)).map((pet) => ({ id: pet.id, version: pet, pet }))
      if (out !== undefined) await writeWhole(out, textOf(now, formatOf(out)), signal)
      return settle(environment, audit, { action, wanted: now.map((one) => ({ ...one, pet: next(one.pet) })), signal })
    },
  )
