/** `npm run pets -- export`: all pets, or those of one status, as a file. */
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import type { MalformedItem, ReadItem } from '../../../shared/dynamodb/item-reader.ts'
import type { Pet, PetStatus } from '../../../shared/pets/pet.ts'
import { formatCount, type Report, writeOutput } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Environment } from '../environment/open-environment.ts'
import { addMalformedPets, describeMalformedPets } from './malformed-pets.ts'
import { PetTable, type PetWithOrigin, readOrigin } from './pet-table.ts'
import { readPets } from './read-pets.ts'
import { chooseFormat, formatRows } from './rows/format-rows.ts'

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
 * Exports pets, the newest first. All of them are read before the first row is written, and a file appears once it is
 * complete.
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
  if (out !== undefined) requireNewFile(out)

  const select = ({ value, item }: ReadItem<Pet>): PetWithOrigin | undefined =>
    status === undefined || value.status === status ? { ...value, ...readOrigin(item) } : undefined
  const { pets, malformedItems } = await readPets(new PetTable(database, tableName), select).catch((error) => {
    if (!(error instanceof ResourceNotFoundException)) throw error
    throw new UserError(`There is no table ${tableName} in the account and Region of the environment.`)
  })
  if (out === undefined) {
    await printRows(formatRows(pets, json ? 'jsonl' : 'csv'), malformedItems)
    return undefined
  }
  writeNewFile(out, formatRows(pets, chooseFormat(out)))
  const report = {
    json: { table: tableName, pets: pets.length, file: out },
    text: `${out} has ${formatCount(pets.length, 'pet')}.`,
  }
  return addMalformedPets(report, malformedItems)
}

/** @throws UserError that names the items that cannot be read */
const printRows = async (chunks: Iterable<string>, malformedItems: readonly MalformedItem[]): Promise<void> => {
  for (const chunk of chunks) await writeOutput(chunk)
  if (malformedItems.length > 0) throw new UserError(describeMalformedPets(malformedItems).join('\n'))
}

/** @throws UserError if something has the path, be it a folder, a device or a broken link */
const requireNewFile = (file: string): void => {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    throw new UserError(`${file} exists. Name another file.`)
  }
  if (!existsSync(dirname(file))) throw new UserError(`The folder ${dirname(file)} does not exist.`)
}

/** Characters that the name of an unfinished file keeps. With four bytes each they leave room for its ending. */
const keptNameLength = 50

/** Writes a new file, which appears once it is complete. A command that is killed leaves a file `*.unfinished`. */
const writeNewFile = (file: string, chunks: Iterable<string>): void => {
  const name = basename(file).slice(0, keptNameLength)
  const unfinished = join(dirname(file), `${name}.${randomBytes(4).toString('hex')}.unfinished`)
  try {
    const descriptor = openSync(unfinished, 'wx')
    try {
      for (const chunk of chunks) writeFileSync(descriptor, chunk)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    requireNewFile(file)
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}
