import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import type { MalformedItem } from '../../../shared/dynamodb/item-reader.ts'
import { stringifyExactJson } from '../../../shared/exact-json.ts'
import type { PetStatus } from '../../../shared/pets/pet.ts'
import { runInterruptibly, startProgress } from '../../command-line/long-work.ts'
import { formatCount, type Report, writeOutputStream } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Environment } from '../environment/open-environment.ts'
import { writeNewFile } from './files.ts'
import { addMalformedPets, describeMalformedPets } from './malformed-pets.ts'
import { PetTable } from './pet-table.ts'
import { chooseFormat, type Format, writeExport } from './rows/format.ts'

interface ExportOptions {
  /** Exports only pets of this status. Default: all pets. */
  readonly status?: PetStatus | undefined
  /** Name of a restored copy of the pets table, to export in its place. */
  readonly table?: string | undefined
  /** Absolute path of the file to write. Default: standard output. */
  readonly out?: string | undefined
  /** Whether standard output gets JSON Lines rather than CSV. A file has the format of its name. */
  readonly json?: boolean | undefined
}

/**
 * Exports pets, the newest first.
 *
 * @returns undefined if the pets were written to standard output, where no report may follow them
 */
export const exportPets = async (
  { database, tables }: Environment,
  { status, table: copyName, out, json = false }: ExportOptions,
): Promise<Report | undefined> => {
  const tableName = copyName ?? tables.pets
  // The rows may go to standard output, so this does not.
  if (copyName !== undefined) console.error(`The pets are those of the table ${tableName}.`)
  const table = new PetTable(database, tableName)
  const malformedItems: MalformedItem[] = []
  let count = 0
  async function* listPets(signal: AbortSignal) {
    for await (const petJson of sortPets({ table, status, malformedItems, signal })) {
      count += 1
      yield petJson
    }
  }

  const problem = out === undefined ? 'The output is not complete' : `Nothing is written to ${out}`
  await runInterruptibly(
    () => `${problem}. Run the same command again.`,
    (signal) => {
      const format = out === undefined ? chooseOutputFormat(json) : chooseFormat(out)
      const text = writeExport(listPets(signal), format)
      return out === undefined ? writeOutputStream(text, signal) : writeNewFile(out, text, signal)
    },
  ).catch((error) => {
    throw explainMissingTable(error, tableName)
  })

  if (out !== undefined) {
    const report = {
      json: { table: tableName, pets: count, file: out },
      text: `${out} has ${formatCount(count, 'pet')}.`,
    }
    return addMalformedPets(report, malformedItems)
  }
  if (malformedItems.length > 0) throw new UserError(describeMalformedPets(malformedItems).join('\n'))
  return undefined
}

const explainMissingTable = (error: unknown, tableName: string): unknown => {
  const isTableMissing = error instanceof UserError && error.cause instanceof ResourceNotFoundException
  if (!isTableMissing) return error
  return new UserError(`There is no table ${tableName} in the account and Region of the environment.`, { cause: error })
}

const chooseOutputFormat = (json: boolean): Format => (json ? 'jsonl' : 'csv')

interface Selection {
  readonly table: PetTable
  /** Status of the pets; undefined for all pets. */
  readonly status: PetStatus | undefined
  /** Gets the items that cannot be read. Each of them may be of the status. */
  readonly malformedItems: MalformedItem[]
  readonly signal: AbortSignal
}

/**
 * Scans the pets and sorts them by id, the highest first. Memory use does not depend on the number of pets.
 *
 * @returns the JSON of each pet
 */
async function* sortPets({ table, status, malformedItems, signal }: Selection): AsyncGenerator<string> {
  const { DatabaseSync } = await import('node:sqlite')
  // A database without a name is a temporary file. SQLite keeps a small part of it in memory.
  using database = new DatabaseSync('')
  database.exec('CREATE TABLE pets (id INTEGER PRIMARY KEY, json TEXT); BEGIN')
  const insert = database.prepare('INSERT OR REPLACE INTO pets VALUES (?, ?)')

  let count = 0
  using scanProgress = startProgress('pets')
  for await (const page of table.scan(signal)) {
    malformedItems.push(...page.malformedItems)
    const pets = page.pets.filter((pet) => status === undefined || pet.status === status)
    for (const pet of pets) insert.run(pet.id, stringifyExactJson(pet))
    count += pets.length
    scanProgress.count(pets.length)
  }

  using writeProgress = startProgress('pets written', count)
  for (const { json } of database.prepare('SELECT json FROM pets ORDER BY id DESC').iterate()) {
    yield String(json)
    writeProgress.count(1)
  }
}
