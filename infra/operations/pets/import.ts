import { randomBytes, randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, join, parse, resolve } from 'node:path'
import { systemClock } from '../../../shared/clock.ts'
import { assignPetId } from '../../../shared/pets/pet.ts'
import { drawPetId } from '../../../shared/pets/pet-id.ts'
import { runInterruptibly } from '../../command-line/long-work.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { readWhole, writeWhole } from './files.ts'
import { findItems, keysAtOnce } from './pet-items.ts'
import type { PetRow } from './rows/check-row.ts'
import { formatOf, textOf } from './rows/format.ts'
import { readRows } from './rows/read-rows.ts'
import { settle, type Task } from './settle.ts'

interface Import extends Pick<Task, 'restore' | 'overwrite' | 'perSecond'> {
  /** A whole path, as is `out`. */
  readonly file: string
  /** For the rows with their ids. */
  readonly out?: string | undefined
}

/** On AWS the status index takes 1,000 writes a second of one status. The other half is for callers. */
export const deployedPerSecond = 500

/**
 * Imports a file. Where rows lack an id, all rows are first written to a file in which none does. What is done already counts
 * as done, so an import of that file goes on with an interrupted one. Without an audit nothing is written.
 */
export const importPets = (environment: Environment, audit: Audit | undefined, asked: Import): Promise<Report> => {
  const { file, restore, overwrite = false } = asked
  const perSecond = asked.perSecond ?? (environment.name === 'local' ? undefined : deployedPerSecond)
  let howToGoOn = 'Nothing is written. Run the same command again.'
  const work = async (signal: AbortSignal): Promise<Report> => {
    const rows = readRows(await readWhole(file, signal), overwrite)
    const isComplete = rows.every(({ id }) => id !== undefined)
    const result = asked.out ?? (isComplete ? undefined : resultOf(file, environment))
    const out = audit === undefined ? undefined : result
    const wanted = await withIds(environment, rows)
    if (out !== undefined) await writeWhole(out, textOf(wanted, formatOf(out)), signal)
    const words = [out, restore ? '--restore' : [], overwrite ? '--overwrite' : []].flat()
    howToGoOn = `To go on, ${out === undefined ? 'run the same command again' : `import ${words.join(' ')}`}.`
    const report = await settle(environment, audit, { ...asked, action: 'pets import', wanted, perSecond, signal })
    const note = out === undefined ? '' : `\nThe rows with their ids are in ${out}.`
    return { ...report, json: { ...report.json, file: out }, text: report.text + note }
  }
  return runInterruptibly(() => howToGoOn, work)
}

/** Gives new pets their ids, and versions that say so. */
const withIds = (environment: Environment, rows: readonly PetRow[]) => {
  const importId = `import-${randomBytes(8).toString('hex')}`
  const newIds = freeIds(environment)
  return Array.fromAsync(rows, async ({ line, id, version, values }) => {
    const pet = assignPetId(id ?? (await newIds.next()).value, values)
    return { line, id: pet.id, pet, version: id === undefined ? { ...pet, importId } : version }
  })
}

/**
 * Ids that no item has, each higher than the one before. The service draws ids of the present moment: those of a moment that
 * has passed are free, or have an item by now. They begin anywhere, so that two imports rarely draw the same.
 */
async function* freeIds(environment: Environment): AsyncGenerator<bigint, never> {
  let next = drawPetId(systemClock() - 1_000 + randomInt(500))
  for (;;) {
    const drawn = Array.from({ length: keysAtOnce }, () => next++)
    const taken = await findItems(environment, drawn)
    yield* drawn.filter((id) => !taken.has(id))
  }
}

/**
 * The file beside another one for its rows with their ids. Each data folder is an environment of its own.
 *
 * @throws UserError where it is there already
 */
const resultOf = (file: string, { name: environmentName, dataFolder = environmentName }: Environment): string => {
  const { dir, name, ext } = parse(file)
  const result = join(dir, `${name}.imported-${basename(resolve(dataFolder)).replace(/^\./, '')}${ext}`)
  if (!existsSync(result)) return result
  throw new UserError(
    `${result} is there: ${file} was imported before, perhaps not to its end. Import ${result} to go on, or to import rows that you have added to it: it adds no pet twice. To import all rows of ${file} once more, name another file with --out.`,
  )
}
