import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { describeMalformedItem, type ItemReading, separateMalformed } from '../../../shared/dynamodb/item-reader.ts'
import { type NewPet, type Pet, readPet } from '../../../shared/pets/pet.ts'
import { findPetFields, PetTable, readStoredPet } from '../../../shared/pets/pet-table.ts'
import { runInterruptibly } from '../../command-line/long-work.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { applyChanges } from './apply-changes.ts'
import { reportChanges } from './change-report.ts'
import { writeNewFile } from './files.ts'
import { addMalformedPets } from './malformed-pets.ts'
import { chooseFormat, writeRows } from './rows/format.ts'

/** Shows pets, one line each. */
export const showPets = async ({ database, tables }: Environment, ids: readonly bigint[]): Promise<Report> => {
  const found = await findPets(new PetTable(database, tables.pets), ids)
  const { readItems, malformedItems } = separateMalformed(found.map(({ item }) => readPet(item)))
  const pets = readItems.map(({ value }) => value)
  const report = { json: { pets }, text: pets.map((pet) => formatPrintableJson(pet)).join('\n') }
  return addMalformedPets(report, malformedItems)
}

/** Changes some fields of one pet. A malformed field needs a value. */
export const setPet = (environment: Environment, audit: Audit, id: bigint, values: Partial<NewPet>): Promise<Report> =>
  changePets(environment, audit, {
    action: 'pets set',
    ids: [id],
    change: (item) => requirePet(readPet({ ...item, ...values }), 'Give that a value too.'),
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
  /** Returns the desired state of the pet of an item; undefined removes the pet. */
  readonly change: (item: Attributes) => Pet | undefined
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
      const found = await findPets(table, ids)
      const desired = found.map(({ id, item }) => ({ id, version: findPetFields(item), pet: change(item) }))
      if (out !== undefined) {
        const pets = found.map(({ item }) => requirePet(readPet(item), 'Name it in a command without --out.'))
        const rows = pets.map((pet) => ({ pet, version: pet }))
        await writeNewFile(out, writeRows(rows, chooseFormat(out)), signal)
      }

      const changes = await applyChanges({ table, audit, action, desired, signal })
      return reportChanges(changes, false)
    },
  )

interface FoundPet {
  readonly id: bigint
  /** The item of the pet. It may be malformed. */
  readonly item: Attributes
}

/** @throws UserError that names the ids without a pet */
const findPets = async (table: PetTable, ids: readonly bigint[]): Promise<readonly FoundPet[]> => {
  const items = await table.findItems(ids)
  const found: FoundPet[] = []
  const missingIds: bigint[] = []
  for (const id of ids) {
    const item = items.get(id)
    const hasPet = item !== undefined && readStoredPet(item) !== undefined
    if (hasPet) found.push({ id, item })
    else missingIds.push(id)
  }
  if (missingIds.length > 0) throw new UserError(`No pet has the id ${missingIds.join(', ')}.`)
  return found
}

/** @throws UserError that names the malformed field, followed by advice */
const requirePet = (reading: ItemReading<Pet>, advice: string): Pet => {
  if (reading.kind === 'malformed') throw new UserError(`${describeMalformedItem(reading)} ${advice}`)
  return reading.value
}
