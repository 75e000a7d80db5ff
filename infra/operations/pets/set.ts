import { newPetFields, type Pet, withId } from '../../../shared/pets/pet.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type ChangingPlace, changing, type EnvironmentTool } from '../target/carry-out.ts'
import { lineOf } from './decide.ts'
import { PetItems } from './pet-items.ts'
import { checkValues } from './rows/check-row.ts'
import { isSamePet } from './rows/version.ts'
import { findPets, readIds } from './show.ts'

/** By the names of the fields, as they are written: the contract's validators judge them. */
type Changes = Readonly<Record<string, string>>

const setPet = async (place: ChangingPlace, id: bigint, changes: Changes): Promise<Report> => {
  const items = new PetItems(place.database, place.tables.pets)
  const [old] = await findPets(items, [id])
  if (old === undefined) throw new Error('A pet was found, and is not there.')
  const pet = changed(old, changes)
  if (isSamePet(old, pet)) return { json: { old, new: pet, changed: false }, text: `The pet ${id} is like that.` }
  await place.recorded({ action: 'pets set', ids: [`${id}`], old, new: pet }, async () => {
    const written = await items.change(old, pet)
    if (written.isWritten) return
    const what = written.theirs === undefined ? 'removed' : 'changed'
    throw new UserError(`Somebody else has ${what} the pet ${id} meanwhile. Look at it, and run the command again.`)
  })
  return { json: { old, new: pet, changed: true }, text: `before: ${lineOf(old)}\nnow:    ${lineOf(pet)}` }
}

const changed = ({ id, ...old }: Pet, changes: Changes): Pet => {
  const checked = checkValues({ ...old, ...changes }, true)
  if ('values' in checked) return withId(id, checked.values)
  throw new UserError(checked.mistakes.map(({ column, text }) => `${optionOf(column)} ${text}.`).join('\n'))
}

const optionOf = (field: string): string => `--${field.replace(/Id$/, '')}`

export const addSet = (pets: EnvironmentTool): void => {
  const set = pets.command('set <id>').description('change one pet')
  for (const field of newPetFields) set.option(`${optionOf(field)} <value>`, `its ${field}`)
  set.action((text, given, command) => {
    const [id = 0n] = readIds([text])
    const values: Readonly<Record<string, string>> = { ...given }
    const changes = Object.fromEntries(
      newPetFields.flatMap((field) => {
        const value = values[optionOf(field).slice(2)]
        return value === undefined ? [] : [[field, value] as const]
      }),
    )
    if (Object.keys(changes).length === 0) {
      throw new UserError(`Give at least one of ${newPetFields.map(optionOf).join(', ')}.`)
    }
    return changing(command.optsWithGlobals(), (place) => setPet(place, id, changes))
  })
}
