import type { Pet } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type EnvironmentTool, type Place, reading } from '../target/carry-out.ts'
import { lineOf } from './decide.ts'
import { PetItems } from './pet-items.ts'
import { readId } from './rows/check-row.ts'

const showPets = async ({ database, tables }: Place, ids: readonly bigint[]): Promise<Report> => {
  const pets = await findPets(new PetItems(database, tables.pets), ids)
  return { json: { pets }, text: pets.map(lineOf).join('\n') }
}

/** @throws UserError that names the ids that no pet has */
export const findPets = async (items: PetItems, ids: readonly bigint[]): Promise<readonly Pet[]> => {
  const found = await items.find(ids)
  const missing = ids.filter((id) => found.get(id)?.pet === undefined)
  if (missing.length > 0) throw new UserError(`No pet has the id ${missing.join(', ')}.`)
  return ids.flatMap((id) => found.get(id)?.pet ?? [])
}

/** @throws UserError for a text that is no id */
export const readIds = (texts: readonly string[]): readonly bigint[] => [
  ...new Set(
    texts.map((text) => {
      const id = readId(text)
      if (id !== undefined) return id
      throw new UserError(`"${text}" is no id of a pet: it must be a whole number from 1 to 9007199254740991.`)
    }),
  ),
]

export const addShow = (pets: EnvironmentTool): void => {
  pets
    .command('show <id...>')
    .description('some pets')
    .action((texts, _options, command) => {
      const ids = readIds(texts)
      return reading(command.optsWithGlobals(), (place) => showPets(place, ids))
    })
}
