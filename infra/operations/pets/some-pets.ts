/** The pets that a command names by their ids. */
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import {
  describeMalformedItem,
  type ItemReading,
  type ReadItem,
  separateMalformed,
} from '../../../shared/dynamodb/item-reader.ts'
import { type NewPet, type Pet, readPet } from '../../../shared/pets/pet.ts'
import { isRemoved } from '../../../shared/pets/pet-store.ts'
import { runInterruptibly, UnfinishedWork } from '../../command-line/long-work.ts'
import { formatPrintableJson } from '../../command-line/printable.ts'
import { formatCount, formatNumber, type Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { applyChanges, type ChangeRequest } from './apply-changes.ts'
import { reportChanges } from './change-report.ts'
import { writeNewFile } from './files.ts'
import { deployedPerSecond } from './import.ts'
import { addMalformedPets } from './malformed-pets.ts'
import { findPetFields, lastChange, PetTable, readStoredPet } from './pet-table.ts'
import { type DesiredPet, planChange } from './plan-change.ts'
import { chooseFormat, writeRows } from './rows/format.ts'

/** Shows pets, one line each, with the API key that has added the pet, and the last change by an operator. */
export const showPets = async ({ database, tables }: Environment, ids: readonly bigint[]): Promise<Report> => {
  const items = await new PetTable(database, tables.pets).findItems(ids)
  const found = requirePets(ids, items)
  const { readItems, malformedItems } = separateMalformed(found.map(({ item }) => readPet(item)))
  const pets = readItems.map(describePet)
  const report = { json: { pets }, text: pets.map((pet) => formatPrintableJson(pet)).join('\n') }
  return addMalformedPets(report, malformedItems)
}

const describePet = ({ value: pet, item }: ReadItem<Pet>) => ({
  ...pet,
  addedBy: item['addedBy'],
  lastChange: item[lastChange],
})

/** Changes some fields of pets. A malformed field needs a value. */
export const setPets = (
  environment: Environment,
  audit: Audit,
  ids: readonly bigint[],
  values: Partial<NewPet>,
): Promise<Report> =>
  runInterruptibly(
    () => nothingChanged,
    async (signal) => {
      const table = new PetTable(environment.database, environment.tables.pets)
      const found = requirePets(ids, await table.findItems(ids))
      const desired = found.map(({ id, item }) => {
        const pet = requirePet(readPet({ ...item, ...values }), 'Give that a value too.')
        return { id, version: findPetFields(item), pet }
      })
      const changes = { table, audit, action: 'pets set', desired, signal }
      return changePets(environment, changes, 'To go on, run the same command again.')
    },
  )

/**
 * Removes pets. A pet that was removed before is unchanged, so the command can be repeated.
 *
 * @param out absolute path of a file that keeps the removed pets, for "import --restore"
 */
export const removePets = (
  environment: Environment,
  audit: Audit,
  ids: readonly bigint[],
  out: string | undefined,
): Promise<Report> =>
  runInterruptibly(
    () => nothingChanged,
    async (signal) => {
      const table = new PetTable(environment.database, environment.tables.pets)
      const items = await table.findItems(ids)
      const isRemovedId = (id: bigint): boolean => isRemoved(items.get(id) ?? {})
      const found = requirePets(
        ids.filter((id) => !isRemovedId(id)),
        items,
      )

      if (out !== undefined) {
        const pets = found.map(({ item }) => requirePet(readPet(item), 'Name it in a command without --out.'))
        const rows = pets.map((pet) => ({ pet, version: pet }))
        await writeNewFile(out, writeRows(rows, chooseFormat(out)), signal)
      }

      const desired = ids.map((id) => ({ id, version: findPetFields(items.get(id)), pet: undefined }))
      const changes = { table, audit, action: 'pets remove', desired, signal }
      const advice = 'To go on, run the same command again'
      return changePets(environment, changes, out === undefined ? `${advice}.` : `${advice}, with another --out.`)
    },
  )

const nothingChanged = 'Nothing is changed. Run the same command again.'

/**
 * Makes changes, and reports them.
 *
 * @param howToGoOn sentence for the operator, if a change fails or the command is interrupted. A sentence that says how
 *   many pets have their desired states precedes it.
 */
const changePets = async (environment: Environment, request: ChangeRequest, howToGoOn: string): Promise<Report> => {
  const perSecond = environment.name === 'local' ? undefined : deployedPerSecond
  try {
    const changes = await applyChanges({ ...request, perSecond })
    return reportChanges(changes)
  } catch (cause) {
    throw new UnfinishedWork(`${await describeProgress(request)} ${howToGoOn}`, { cause })
  }
}

/** Counts the pets that have their desired states. A change whose response was lost may have been made. */
const describeProgress = async ({ table, desired }: ChangeRequest): Promise<string> => {
  try {
    const items = await table.findItems(desired.map(({ id }) => id))
    const isDone = (pet: DesiredPet): boolean => planChange({}, pet, items.get(pet.id)).outcome === 'unchanged'
    const doneCount = desired.filter(isDone).length
    return `${formatNumber(doneCount)} of ${formatCount(desired.length, 'pet')} done.`
  } catch {
    return 'Some pets may be changed: "show" shows them.'
  }
}

interface FoundPet {
  readonly id: bigint
  /** The item of the pet. It may be malformed. */
  readonly item: Attributes
}

/** @throws UserError that names the ids without a pet */
const requirePets = (ids: readonly bigint[], items: ReadonlyMap<bigint, Attributes>): readonly FoundPet[] => {
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
