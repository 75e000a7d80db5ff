import { pipeline } from 'node:stream/promises'
import { Option } from '@commander-js/extra-typings'
import { parseExactJson, stringifyExactJson } from '../../../shared/exact-json.ts'
import { type Pet, type PetStatus, parsePet, petStatuses } from '../../../shared/pets/pet.ts'
import { interruptible, interruption } from '../../command-line/interruption.ts'
import { progress } from '../../command-line/progress.ts'
import { amountOf, type Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type EnvironmentTool, type Place, reading } from '../target/carry-out.ts'
import { wholePath, writeWhole } from './files.ts'
import { scanPets } from './pet-items.ts'
import { type Format, formatOf, textOf } from './rows/format.ts'

interface Export {
  readonly status?: PetStatus | undefined
  readonly format: Format
  /** A whole path; standard output without it. */
  readonly out: string | undefined
  readonly signal: AbortSignal
}

/** @returns undefined where the pets themselves are the output */
export const exportPets = async (
  place: Place,
  { status, format, out, signal }: Export,
): Promise<Report | undefined> => {
  const advance = progress(undefined)
  let count = 0
  async function* pages(): AsyncGenerator<readonly Pet[]> {
    for await (const page of scanPets(place)) {
      const pets = page.filter((pet) => status === undefined || pet.status === status)
      count += pets.length
      advance(pets.length)
      yield pets
    }
  }
  const text = textOf(newestFirst(pages()), format)
  const what = out === undefined ? 'The output is not complete' : `Nothing is written to ${out}`
  await interruptible(signal, `${what}. Run the same command again.`, () =>
    out === undefined ? pipeline(text, process.stdout, { signal }) : writeWhole(out, text, { replaces: true, signal }),
  )
  return out === undefined
    ? undefined
    : { json: { pets: count, file: out }, text: `${out} has ${amountOf(count, 'pet')}.` }
}

/** Pets by their ids, the highest first, in the same memory for any number. */
async function* newestFirst(pages: AsyncIterable<readonly Pet[]>): AsyncGenerator<Pet> {
  const { DatabaseSync } = await import('node:sqlite')
  // Without a name it is a temporary file, of which SQLite keeps a little in memory.
  using sorted = new DatabaseSync('')
  sorted.exec('CREATE TABLE pets (id INTEGER PRIMARY KEY, json TEXT); BEGIN')
  const insert = sorted.prepare('INSERT OR REPLACE INTO pets VALUES (?, ?)')
  for await (const pets of pages) for (const pet of pets) insert.run(pet.id, stringifyExactJson(pet))
  for (const { json } of sorted.prepare('SELECT json FROM pets ORDER BY id DESC').iterate()) {
    // Written above.
    yield parsePet(parseExactJson(String(json)) as Pet)
  }
}

export const addExport = (pets: EnvironmentTool): void => {
  pets
    .command('export')
    .description('all pets, the newest first')
    .addOption(new Option('--status <name>', 'only those of one status').choices(petStatuses))
    .addOption(
      new Option('--format <name>', 'csv for spreadsheets (the default), or jsonl').choices(['csv', 'jsonl'] as const),
    )
    .option('--out <file>', 'a file instead of standard output')
    .action(({ status, format, out: name }, command) => {
      const options = command.optsWithGlobals()
      if (options.json === true && name === undefined) throw new UserError('--json needs --out here.')
      const out = name === undefined ? undefined : wholePath(name)
      const asked = { status, format: format ?? formatOf(name ?? ''), out, signal: interruption() }
      return reading(options, (place) => exportPets(place, asked))
    })
}
