import { createHash, randomBytes, randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'
import { systemClock } from '../../../shared/clock.ts'
import { withId } from '../../../shared/pets/pet.ts'
import { newPetId } from '../../../shared/pets/pet-id.ts'
import { interruptible, interruption } from '../../command-line/interruption.ts'
import { defaultDataFolder, wholeNumber } from '../../command-line/options.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../target/audit.ts'
import { changing, type EnvironmentTool, type Place, reading } from '../target/carry-out.ts'
import type { Wanted } from './decide.ts'
import { readWhole, wholePath, writeWhole } from './files.ts'
import { findItems } from './pet-items.ts'
import type { PetRow } from './rows/check-row.ts'
import { formatOf, textOf } from './rows/format.ts'
import { readRows } from './rows/read-rows.ts'
import { type Version, versionOf } from './rows/version.ts'
import { settle } from './settle.ts'

interface Import {
  /** A whole path, as is `out`. */
  readonly file: string
  /** For the rows with their ids and versions. */
  readonly out?: string | undefined
  /** The data folder of the local environment. */
  readonly data?: string | undefined
  /** Whether a row whose id no pet has is added under that id. */
  readonly restore?: boolean | undefined
  /** Whether a row changes its pet whatever others did since it was exported. */
  readonly overwrite?: boolean | undefined
  /** Pets that are written a second, at most. */
  readonly perSecond?: number | undefined
  readonly signal: AbortSignal
}

/** On AWS the status index takes 1,000 writes a second of one status. The other half is for callers. */
const deployedPerSecond = 500

/**
 * Imports a file. Where a row lacks its id or its version, all rows are first written to a file in which none does. What is done
 * already counts as done, so an import of that file goes on with an interrupted one. Without an audit nothing is written.
 */
export const importPets = async (place: Place & { readonly audit?: Audit }, asked: Import): Promise<Report> => {
  const { file, restore = false, overwrite = false, signal } = asked
  const isTrial = place.audit === undefined
  const { wanted, out } = await interruptible(signal, 'Nothing is written. Run the same command again.', async () => {
    const rows = readRows(await readWhole(file, signal), overwrite)
    const isComplete = !overwrite && rows.every(({ id }) => id !== undefined)
    const out = isTrial || (isComplete && asked.out === undefined) ? undefined : (asked.out ?? resultOf(asked, place))
    const wanted = await complete(place, rows, overwrite)
    const written = wanted.map(({ pet, version }) => ({ ...pet, version }))
    if (out !== undefined) await writeWhole(out, textOf(written, formatOf(out)), { replaces: false, signal })
    return { wanted, out }
  })
  const again = out === undefined ? 'run the same command again' : `import ${out}${restore ? ' with --restore' : ''}`
  const report = await settle(place, {
    ...{ action: 'pets import', wanted, restores: restore, signal },
    howToGoOn: `To go on, ${again}.`,
    perSecond: asked.perSecond ?? (place.environment === 'local' ? undefined : deployedPerSecond),
  })
  const note = out === undefined ? '' : `\nThe rows with their ids are in ${out}.`
  return { ...report, json: { ...report.json, file: out }, text: report.text + note }
}

/** Gives each row what it lacks: an id to a new pet, and a version to the others, or to all that are to be overwritten. */
const complete = async (place: Place, rows: readonly PetRow[], overwrite: boolean) => {
  const importId = `import-${randomBytes(8).toString('hex')}` as const
  const found = await findItems(place, overwrite ? rows.flatMap(({ id }) => id ?? []) : [])
  const newIds = (await freeIds(place, rows.filter(({ id }) => id === undefined).length)).values()
  return rows.map(({ line, id: given, version, values }) => {
    const id = given ?? newIds.next().value ?? 0n
    const pet = withId(id, values)
    const theirs = found.get(id)?.pet
    const own: Version = given === undefined ? `${importId}-${versionOf(pet)}` : (version ?? versionOf(pet))
    return { line, id, pet, version: theirs === undefined ? own : versionOf(theirs) } satisfies Wanted
  })
}

/**
 * Ids that no item has, each higher than the one before. The service draws ids of the present moment: those of a moment that
 * has passed are free, or have an item by now. They begin anywhere, so that two imports rarely draw the same.
 */
const freeIds = async (place: Place, count: number): Promise<readonly bigint[]> => {
  let ids: readonly bigint[] = []
  let next = newPetId(systemClock() - 1_000 + randomInt(500))
  while (ids.length < count) {
    const drawn = Array.from({ length: count - ids.length }, () => next++)
    const taken = await findItems(place, drawn)
    ids = ids.concat(drawn.filter((id) => !taken.has(id)))
  }
  return ids
}

/**
 * The file beside another one for its rows with their ids and versions. Each data folder is an environment of its own.
 *
 * @throws UserError where it is there already
 */
const resultOf = ({ file, data = defaultDataFolder }: Import, { environment }: Place): string => {
  const { dir, name, ext } = parse(file)
  const folder = createHash('sha256').update(resolve(data)).digest('hex').slice(0, 6)
  const result = join(dir, `${name}.imported-${environment}${data === defaultDataFolder ? '' : `-${folder}`}${ext}`)
  if (!existsSync(result)) return result
  throw new UserError(
    `${result} is there: ${file} was imported before, perhaps not to its end. Import ${result} to go on, or to import rows that you have added to it: it adds no pet twice. To import all rows of ${file} once more, name another file with --out.`,
  )
}

export const addImport = (pets: EnvironmentTool): void => {
  pets
    .command('import <file>')
    .description('add the rows without an id, and change the pets of those with one')
    .option('--dry-run', 'only show what would be done')
    .option('--restore', 'add a row whose id no pet has under that id')
    .option('--overwrite', 'change pets also where somebody else has changed them since the export')
    .option(
      '--per-second <n>',
      `pets written a second, at most (default: ${deployedPerSecond} on AWS, no limit locally)`,
      wholeNumber(1, 100_000),
    )
    .option('--out <file>', 'for the rows with their ids (default: beside the file)')
    .action((name, given, command) => {
      const { dryRun = false, out } = given
      if (dryRun && out !== undefined) throw new UserError('--dry-run writes nothing: leave out --out.')
      const options = command.optsWithGlobals()
      const files = { file: wholePath(name), out: out === undefined ? undefined : wholePath(out) }
      const asked = { ...given, ...files, data: options.data, signal: interruption() }
      return (dryRun ? reading : changing)(options, (place: Place) => importPets(place, asked))
    })
}
