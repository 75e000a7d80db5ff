/** `npm run pets -- export`: all pets, or those of one status, as a file. */
import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ResourceNotFoundException } from '@aws-sdk/client-dynamodb'
import type { PetStatus } from '../../../shared/pets/pet.ts'
import { formatCount, type Report, writeOutput } from '../../command-line/report.ts'
import { exitCodes, UserError } from '../../command-line/user-error.ts'
import { compareNewestFirst, describeMalformedPets, scanPets } from '../changes/read-pets.ts'
import { formatPetState, type StoredPet } from '../changes/stored-pet.ts'
import type { Environment } from '../environment/open-environment.ts'
import { formatJsonLine } from '../files/json-lines.ts'
import { formatSheet } from '../files/sheet.ts'

interface ExportOptions {
  /** Exports only pets of this status. Default: all pets, and as JSON Lines also the removed ones of sources. */
  readonly status?: PetStatus | undefined
  /** Name of a restored copy of the pets table, to export in its place. */
  readonly table?: string | undefined
  /** Absolute path of the file to write. Default: standard output. */
  readonly out?: string | undefined
  /** Whether standard output gets JSON Lines rather than CSV. A file has the format of its name. */
  readonly json?: boolean | undefined
}

/**
 * Exports pets, the newest first: as JSON Lines, which `restore` takes, or as CSV, which has only pets that lists show.
 * All pets are read before the first row is written, and a file appears once it is complete.
 *
 * @returns undefined if the pets were written to standard output, where no report may follow them
 */
export const exportPets = async (
  { database, tables }: Environment,
  { status, table: restoredTable, out, json = false }: ExportOptions,
): Promise<Report | undefined> => {
  const tableName = restoredTable ?? tables.pets
  // The note goes to standard error, because the rows may go to standard output.
  if (restoredTable !== undefined) console.error(`The pets are those of the table ${tableName}.`)
  if (out === undefined) {
    const { chunks, mistakes } = await collectExport(database, tableName, status, json)
    for (const chunk of chunks) await writeOutput(chunk)
    if (mistakes.length > 0) throw new UserError(mistakes.join('\n'))
    return undefined
  }

  requireNewFile(out)
  const isJson = /\.(jsonl|ndjson)$/i.test(out)
  const { chunks, mistakes, count } = await collectExport(database, tableName, status, isJson)
  writeNewFile(out, chunks)
  return {
    json: { table: tableName, pets: count, file: out, malformed: mistakes },
    text: [`${out} has ${formatCount(count, 'pet')}.`, ...mistakes].join('\n'),
    exitCode: mistakes.length === 0 ? exitCodes.done : exitCodes.failure,
  }
}

/** Reads all pets of an export before its first row is formatted. */
const collectExport = async (
  database: Environment['database'],
  table: string,
  status: PetStatus | undefined,
  isJson: boolean,
) => {
  const pets = await readAll(table, scanPets(database, table))
  const exported = pets.filter((pet) => isExported(pet, status, isJson)).toSorted(compareNewestFirst)
  return {
    chunks: isJson ? formatJsonLines(exported) : formatCsv(exported),
    count: exported.length,
    mistakes: describeMalformedPets(pets),
  }
}

const readAll = async (table: string, scan: AsyncIterable<StoredPet>): Promise<readonly StoredPet[]> => {
  try {
    return await Array.fromAsync(scan)
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error
    throw new UserError(`There is no table ${table} in the account and Region of the environment.`)
  }
}

const isExported = ({ state, origin }: StoredPet, status: PetStatus | undefined, isJson: boolean): boolean => {
  if (state.kind === 'shown') return status === undefined || state.pet.status === status
  return state.kind === 'removed' && isJson && status === undefined && origin !== undefined
}

function* formatJsonLines(pets: readonly StoredPet[]): Generator<string> {
  for (const { id, state, origin } of pets) yield formatJsonLine({ ...formatPetState(id, state, origin), ...origin })
}

const formatCsv = (pets: readonly StoredPet[]): Iterable<string> =>
  formatSheet(pets.flatMap(({ state, origin }) => (state.kind === 'shown' ? [{ ...state.pet, ...origin }] : [])))

/** @throws UserError if the path exists, even as a folder, a device or a broken link */
const requireNewFile = (file: string): void => {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    throw new UserError(`${file} exists. Name another file.`)
  }
  if (!existsSync(dirname(file))) throw new UserError(`The folder ${dirname(file)} does not exist.`)
}

/**
 * Number of characters of the file's name that an unfinished file keeps: with its ending, a name has 255 bytes at most.
 */
const keptNameLength = 50

/** Writes a new file, which appears once it is complete. A command that is killed leaves a file `*.unfinished`. */
const writeNewFile = (file: string, chunks: Iterable<string>): void => {
  const name = basename(file).slice(0, keptNameLength)
  const unfinished = join(dirname(file), `${name}.${randomBytes(4).toString('hex')}.unfinished`)
  try {
    // `wx` fails if the file exists.
    const descriptor = openSync(unfinished, 'wx')
    try {
      for (const chunk of chunks) writeFileSync(descriptor, chunk)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    // A rename would replace the file if it has appeared meanwhile.
    requireNewFile(file)
    renameSync(unfinished, file)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
}
