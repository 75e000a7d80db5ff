import type { Pet } from '../../../shared/pets/pet.ts'
import { interruptedCode, interruption } from '../../command-line/interruption.ts'
import type { Report } from '../../command-line/report.ts'
import { workThrough } from '../../command-line/work-through.ts'
import { type ChangingPlace, changing, type EnvironmentTool } from '../target/carry-out.ts'
import { lineOf } from './decide.ts'
import { claimOutput, wholePath } from './files.ts'
import { PetItems } from './pet-items.ts'
import { formatOf, textOf } from './rows/format.ts'
import { findPets, readIds } from './show.ts'

/** @param out a whole path, of the file that keeps what is removed */
const removePets = async (
  { database, tables, audit }: ChangingPlace,
  ids: readonly bigint[],
  out: string | undefined,
  signal: AbortSignal,
): Promise<Report> => {
  const items = new PetItems(database, tables.pets)
  const pets = await findPets(items, ids)
  if (out !== undefined) {
    using file = claimOutput(out, { replaces: false })
    await file.write(textOf(pets, formatOf(out)), signal)
  }
  const removed = new Set<Pet>()
  await workThrough(
    pets,
    async (pet) => {
      const change = { action: 'pets remove', ids: [`${pet.id}`], old: pet, new: null }
      await audit([change])
      if ((await items.remove(pet)).isWritten) removed.add(pet)
      else await audit([{ ...change, refused: 'changed meanwhile' }])
    },
    { signal },
  )
  const done = pets.filter((pet) => removed.has(pet))
  const left = pets.filter((pet) => !removed.has(pet)).map(({ id }) => id)
  const text = done.map((pet) => `removed ${lineOf(pet)}`)
  if (left.length === 0) return { json: { removed: done }, text: text.join('\n') }
  const why = signal.aborted ? 'Interrupted' : 'Somebody else has changed the others meanwhile'
  text.push(`${why}. To go on, run the command again for ${left.join(' ')}.`)
  return { json: { removed: done, left }, text: text.join('\n'), exitCode: signal.aborted ? interruptedCode : 1 }
}

export const addRemove = (pets: EnvironmentTool): void => {
  pets
    .command('remove <id...>')
    .description('remove pets')
    .option('--out <file>', 'keep what is removed, for "import --restore"')
    .action((texts, { out }, command) => {
      const ids = readIds(texts)
      const path = out === undefined ? undefined : wholePath(out)
      return changing(command.optsWithGlobals(), (place) => removePets(place, ids, path, interruption()))
    })
}
