import { pipeline } from 'node:stream/promises'
import { parseExactJson, stringifyExactJson } from '../../../shared/exact-json.ts'
import { type Pet, type PetStatus, parsePet } from '../../../shared/pets/pet.ts'
import { runInterruptibly, startProgress } from '../../command-line/long-work.ts'
import { formatCount, type Report } from '../../command-line/report.ts'
import type { Environment } from '../environment/open-environment.ts'
import { writeWhole } from './files.ts'
import { scanPets } from './pet-items.ts'
import { formatOf, textOf } from './rows/format.ts'

interface Export {
  readonly status?: PetStatus | undefined
  /** A whole path; standard output without it. */
  readonly out?: string | undefined
  /** Whether standard output has JSON Lines. */
  readonly json?: boolean | undefined
}

/** @returns undefined where the pets themselves are the output */
export const exportPets = async (
  environment: Environment,
  { status, out, json: asJson }: Export,
): Promise<Report | undefined> => {
  let count = 0
  /** The highest id first, in the same memory for any number. */
  async function* newestFirst() {
    const advance = startProgress('pets')
    const { DatabaseSync } = await import('node:sqlite')
    // Without a name it is a temporary file, of which SQLite keeps a little in memory.
    using sorted = new DatabaseSync('')
    sorted.exec('CREATE TABLE pets (id INTEGER PRIMARY KEY, json TEXT); BEGIN')
    const insert = sorted.prepare('INSERT OR REPLACE INTO pets VALUES (?, ?)')
    for await (const page of scanPets(environment)) {
      const pets = page.filter((pet) => status === undefined || pet.status === status)
      for (const pet of pets) insert.run(pet.id, stringifyExactJson(pet))
      count += pets.length
      advance(pets.length)
    }
    for (const { json } of sorted.prepare('SELECT json FROM pets ORDER BY id DESC').iterate()) {
      // Written above.
      const pet = parsePet(parseExactJson(String(json)) as Pet)
      yield { pet, version: pet }
    }
  }
  const what = out === undefined ? 'The output is not complete' : `Nothing is written to ${out}`
  await runInterruptibly(
    () => `${what}. Run the same command again.`,
    (signal) => {
      const text = textOf(newestFirst(), out === undefined && asJson ? 'jsonl' : formatOf(out ?? ''))
      if (out === undefined) return pipeline(text, process.stdout, { signal })
      return writeWhole(out, text, signal)
    },
  )
  if (out === undefined) return undefined
  return { json: { pets: count, file: out }, text: `${out} has ${formatCount(count, 'pet')}.` }
}
