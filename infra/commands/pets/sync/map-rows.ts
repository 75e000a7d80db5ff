/** The animals of a shelter's file, in the words of this service. */
import { createPet as contract } from '../../../../shared/contract/generated/create-pet.ts'
import type { FileRow } from './read-file.ts'
import type { ShelterStatus, SourceSettings } from './settings.ts'

/** An animal as the file has it. */
export interface FileAnimal {
  readonly name: string
  readonly categoryId: bigint
  readonly status: ShelterStatus
}

/** A reason why the animal of a row stays as it is, as a sentence without its full stop. */
export interface UnknownRow {
  readonly reference: string
  readonly reason: string
}

/** The animals of a file by their references. Each reference is in one of the two. */
export interface MappedRows {
  readonly animals: ReadonlyMap<string, FileAnimal>
  readonly unknownRows: ReadonlyMap<string, UnknownRow>
}

/** Maps the rows of a file. Two equal rows are one animal; of two that differ, neither counts. */
export const mapRows = (rows: readonly FileRow[], settings: SourceSettings): MappedRows => {
  const animals = new Map<string, FileAnimal>()
  const unknownRows = new Map<string, UnknownRow>()
  for (const row of rows) {
    const { reference } = row
    const animal = mapRow(row, settings)
    const other = animals.get(reference)
    if (typeof animal === 'string') unknownRows.set(reference, { reference, reason: animal })
    else if (other === undefined) animals.set(reference, animal)
    else if (!isSameAnimal(animal, other)) {
      unknownRows.set(reference, { reference, reason: 'two rows with this reference differ' })
    }
  }
  for (const reference of unknownRows.keys()) animals.delete(reference)
  return { animals, unknownRows }
}

const isSameAnimal = (one: FileAnimal, other: FileAnimal): boolean =>
  one.name === other.name && one.categoryId === other.categoryId && one.status === other.status

/** @returns the animal, or why the row cannot be mapped */
const mapRow = (
  { reference, name: givenName, category, status: givenStatus }: FileRow,
  { categories, statuses }: SourceSettings,
): FileAnimal | string => {
  const status = statuses.get(givenStatus)
  if (status === undefined) return `its status ${JSON.stringify(givenStatus)} is not in the settings`
  const categoryId = categories.get(category)
  if (categoryId === undefined) return `its category ${JSON.stringify(category)} is not in the settings`

  const name = givenName === '' ? reference : givenName
  const body = { name, categoryId }
  const isValid = contract.validate({ path: {}, query: {}, headers: {}, body })
  return isValid ? { name, categoryId, status } : `its name must be ${contract.rules['/body/name']}`
}
