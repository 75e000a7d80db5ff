import { newPetFields, type Pet, withId } from '../../../shared/pets/pet.ts'
import { interruption } from '../../command-line/interruption.ts'
import { printableJson } from '../../command-line/printable.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type ChangingPlace, changing, type EnvironmentTool, type Place, reading } from '../target/carry-out.ts'
import { wholePath, writeWhole } from './files.ts'
import { findItems } from './pet-items.ts'
import { checkValue, readId } from './rows/check-row.ts'
import { formatOf, textOf } from './rows/format.ts'
import { versionOf } from './rows/version.ts'
import { settle } from './settle.ts'

/** @throws UserError that names the texts that are no ids, or the ids that no pet has */
const findPets = async (place: Place, texts: readonly string[]): Promise<readonly Pet[]> => {
  const named = texts.map((text) => {
    const id = readId(text)
    if (id !== undefined) return id
    throw new UserError(`"${text}" is no id of a pet: it must be a whole number from 1 to 9007199254740991.`)
  })
  const ids = [...new Set(named)]
  const found = await findItems(place, ids)
  const missing = ids.filter((id) => found.get(id)?.pet === undefined)
  if (missing.length > 0) throw new UserError(`No pet has the id ${missing.join(', ')}.`)
  return ids.flatMap((id) => found.get(id)?.pet ?? [])
}

export const addShow = (pets: EnvironmentTool): void => {
  pets
    .command('show <id...>')
    .description('some pets')
    .action((ids, _options, command) =>
      reading(command.optsWithGlobals(), async (place) => {
        const found = await findPets(place, ids)
        return { json: { pets: found }, text: found.map((pet) => printableJson(pet)).join('\n') }
      }),
    )
}

/** Gives pets what they are to be by what they are now. `out` is a file that keeps them as they are now. */
const become = async (
  place: ChangingPlace,
  ids: readonly string[],
  {
    action,
    next,
    out,
  }: { readonly action: string; readonly next: (pet: Pet) => Pet | undefined; readonly out?: string | undefined },
): Promise<Report> => {
  const pets = await findPets(place, ids)
  const signal = interruption()
  if (out !== undefined) await writeWhole(wholePath(out), textOf(pets, formatOf(out)), { replaces: false, signal })
  const wanted = pets.map((pet) => ({ id: pet.id, version: versionOf(pet), pet: next(pet) }))
  const howToGoOn = 'To go on, run the command again for the pets that are as before: "show" shows them.'
  return settle(place, { action, wanted, signal, howToGoOn })
}

const optionOf = (field: string): string => `--${field.replace(/Id$/, '')}`

export const addSet = (pets: EnvironmentTool): void => {
  const set = pets.command('set <id>').description('change one pet')
  for (const field of newPetFields) set.option(`${optionOf(field)} <value>`, `its ${field}`)
  set.action((id, given, command) => {
    const texts: Readonly<Record<string, string>> = { ...given }
    const values: Record<string, unknown> = {}
    const mistakes: string[] = []
    for (const field of newPetFields) {
      const text = texts[optionOf(field).slice(2)]
      const checked = text === undefined ? {} : checkValue(field, text, true)
      if ('mistake' in checked) mistakes.push(`${optionOf(field)} ${checked.mistake}.`)
      if ('value' in checked) values[field] = checked.value
    }
    if (mistakes.length > 0) throw new UserError(mistakes.join('\n'))
    if (Object.keys(values).length === 0)
      throw new UserError(`Give at least one of ${newPetFields.map(optionOf).join(', ')}.`)
    const next = (pet: Pet) => withId(pet.id, { ...pet, ...values })
    return changing(command.optsWithGlobals(), (place) => become(place, [id], { action: 'pets set', next }))
  })
}

export const addRemove = (pets: EnvironmentTool): void => {
  pets
    .command('remove <id...>')
    .description('remove pets')
    .option('--out <file>', 'keep what is removed, for "import --restore"')
    .action((ids, { out }, command) => {
      const removal = { action: 'pets remove', next: () => undefined, out }
      return changing(command.optsWithGlobals(), (place) => become(place, ids, removal))
    })
}
