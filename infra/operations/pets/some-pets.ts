import { assignPetId, type NewPet, type Pet } from '../../../shared/pets/pet.ts'
import { PetTable, readPet } from '../../../shared/pets/pet-table.ts'
import { runInterruptibly } from '../../command-line/long-work.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { applyChanges } from './apply-changes.ts'
import { reportChanges } from './change-report.ts'
import { writeNewFile } from './files.ts'
import { chooseFormat, writeRows } from './rows/format.ts'

/** Shows pets, one line each. */
export const showPets = async ({ database, tables }: Environment, ids: readonly bigint[]): Promise<Report> => {
  const pets = await findPets(new PetTable(database, tables.pets), ids)
  return { json: { pets }, text: pets.map((pet) => formatPrintableJson(pet)).join('\n') }
}

/** Changes some fields of one pet. */
export const setPet = (environment: Environment, audit: Audit, id: bigint, values: Partial<NewPet>): Promise<Report> =>
  changePets(environment, audit, {
    action: 'pets set',
    ids: [id],
    change: (pet) => assignPetId(id, { ...pet, ...values }),
  })

/**
 * Removes pets.
 *
 * @param out absolute path of a file that keeps the removed pets, for "import --restore"
 */
export const removePets = (
  environment: Environment,
  audit: Audit,
  ids: readonly bigint[],
  out: string | undefined,
): Promise<Report> =>
  changePets(environment, audit, {
    action: 'pets remove',
    ids,
    change: () => undefined,
    out,
  })

interface PetsChange {
  /** Name of the command in the audit. */
  readonly action: string
  readonly ids: readonly bigint[]
  /** Returns the desired state of a pet; undefined removes the pet. */
  readonly change: (pet: Pet) => Pet | undefined
  /** Absolute path of a file that keeps the pets as they were before. */
  readonly out?: string | undefined
}

const changePets = (
  { database, tables }: Environment,
  audit: Audit,
  { action, ids, change, out }: PetsChange,
): Promise<Report> =>
  runInterruptibly(
    () => 'To go on, run the command again for the pets that are as before: "show" shows them.',
    async (signal) => {
      const table = new PetTable(database, tables.pets)
      const pets = await findPets(table, ids)
      if (out !== undefined) {
        const rows = pets.map((pet) => ({ pet, version: pet }))
        await writeNewFile(out, writeRows(rows, chooseFormat(out)), signal)
      }

      const desired = pets.map((pet) => ({ id: pet.id, version: pet, pet: change(pet) }))
      const changes = await applyChanges({ table, audit, action, desired, signal })
      return reportChanges(changes, false)
    },
  )

/** @throws UserError that names the ids without a pet */
const findPets = async (table: PetTable, ids: readonly bigint[]): Promise<readonly Pet[]> => {
  const items = await table.findItems(ids)
  const missingIds = ids.filter((id) => readPet(items.get(id)) === undefined)
  if (missingIds.length > 0) throw new UserError(`No pet has the id ${missingIds.join(', ')}.`)
  return ids.flatMap((id) => readPet(items.get(id)) ?? [])
}
