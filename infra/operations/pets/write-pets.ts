import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import type { Pet } from '../../../shared/pets/pet.ts'
import { UserError } from '../../command-line/user-error.ts'
import { columns, escapeFormula, type Format } from './format.ts'

type Pets = AsyncIterable<Pet> | Iterable<Pet>

/** Writes pets to standard output. */
export const printPets = async (pets: Pets, format: Format): Promise<void> => {
  try {
    await write(pets, format, process.stdout)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error
    throw new UserError('Nothing reads the output any more.')
  }
}

/** Writes pets to a file, which appears, or replaces the one before it, when it is complete. */
export const savePets = async (pets: Pets, format: Format, file: string): Promise<void> => {
  const unfinished = `${file}.${process.pid}.unfinished`
  try {
    await write(pets, format, createWriteStream(unfinished, { flush: true }))
    renameSync(unfinished, file)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

const write = (pets: Pets, format: Format, output: NodeJS.WritableStream): Promise<void> =>
  format === 'jsonl'
    ? pipeline(Readable.from(jsonLines(pets)), output)
    : pipeline(
        Readable.from(pets),
        stringify({
          // Spreadsheets take a file without it for one of another encoding.
          bom: true,
          header: true,
          columns: [...columns],
          cast: { bigint: String, string: (text, { header }) => (header ? text : escapeFormula(text)) },
          // A spreadsheet of another country takes these for delimiters, and a formula may follow.
          quoted_match: /[;\t]/,
        }),
        output,
      )

async function* jsonLines(pets: Pets): AsyncGenerator<string> {
  for await (const { id, name, categoryId, status } of pets) {
    yield `${stringifyExactJson({ id, name, categoryId, status })}\n`
  }
}
