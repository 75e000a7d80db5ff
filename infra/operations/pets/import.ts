import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, parse, resolve } from 'node:path'
import { systemClock } from '../../../shared/clock.ts'
import { type Pet, withId } from '../../../shared/pets/pet.ts'
import { interruptible, interruption } from '../../command-line/interruption.ts'
import { defaultDataFolder, wholeNumber } from '../../command-line/options.ts'
import { progress } from '../../command-line/progress.ts'
import { amount, type Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type ChangingPlace, changing, type EnvironmentTool, type Place, reading } from '../target/carry-out.ts'
import { applySteps, completeRows, stepsOf } from './apply-rows.ts'
import { type CompleteRow, describeStep, type Step } from './decide.ts'
import { claimOutput, copyInput, temporaryFolder, wholePath } from './files.ts'
import { PetItems } from './pet-items.ts'
import { type CheckedFile, checkFile, rowsIn } from './rows/check-file.ts'
import { formatOf, textOf } from './rows/format.ts'
import type { Version } from './rows/version.ts'

interface Asked {
  /** A whole path, or `-` for standard input. */
  readonly file: string
  /** Whether a row whose id no pet has is added under that id. */
  readonly restore: boolean
  /** Whether a row changes its pet whatever others did since it was exported. */
  readonly overwrite: boolean
}

interface Import extends Asked {
  /** A whole path, for the rows with their ids and versions. */
  readonly out?: string | undefined
  /** The data folder of the local environment. */
  readonly data?: string | undefined
  /** Pets that are written a second, at most. */
  readonly perSecond?: number | undefined
}

/** On AWS the status index takes 1,000 writes a second of one status. The other half is for callers. */
const deployedPerSecond = 500

/** Shows what an import would do. */
export const tryImport = ({ database, tables }: Place, asked: Asked, signal: AbortSignal): Promise<Report> =>
  interruptible(signal, 'Nothing was to be written.', async () => {
    using folder = temporaryFolder()
    const copy = join(folder.path, 'rows')
    await copyInput(asked.file, copy, signal)
    await checkFile(copy, asked.overwrite, signal)
    const items = new PetItems(database, tables.pets)
    const result = new Result()
    for await (const steps of stepsOf(items, completed(items, copy, asked), asked.restore)) {
      signal.throwIfAborted()
      for (const step of steps) result.add(step, step.kind !== 'leave')
    }
    return result.report('would be')
  })

/**
 * Imports a file. Where a row lacks its id or its version, all rows are first written to a file in which none does, and that
 * is applied row by row. What is done already counts as done, so an import of that file goes on with an interrupted one.
 */
export const importPets = (place: ChangingPlace, asked: Import, signal: AbortSignal): Promise<Report> =>
  interruptible(signal, 'Nothing is written. Run the same command again.', async (advice) => {
    using folder = temporaryFolder()
    // Nobody changes the copy.
    const copy = join(folder.path, 'rows')
    await copyInput(asked.file, copy, signal)
    const checked = await checkFile(copy, asked.overwrite, signal)
    const items = new PetItems(place.database, place.tables.pets)
    const out = resultFile(asked, place.environment, checked)
    let rows = completed(items, copy, asked)
    if (out !== undefined) {
      using file = claimOutput(out, { replaces: false })
      await file.write(textOf(petsOf(rows), formatOf(out)), signal)
      rows = completed(items, out, { ...asked, overwrite: false })
    }
    const file = out === undefined ? 'run the same command again' : `import ${out}`
    advice.howToGoOn = `To go on, ${file}${out !== undefined && asked.restore ? ' with --restore' : ''}.`
    const result = new Result()
    const advance = progress(checked.rows)
    await applySteps({
      items,
      steps: stepsOf(items, rows, asked.restore),
      audit: place.audit,
      settle: (step) => {
        result.add(step, step.kind === 'conflict')
        advance(1)
      },
      perSecond: asked.perSecond ?? (place.environment === 'local' ? undefined : deployedPerSecond),
      signal,
    })
    return result.report('are', out)
  })

/** The rows of a file that was checked, as they are applied. */
const completed = (items: PetItems, file: string, asked: Asked): AsyncIterable<CompleteRow> =>
  completeRows(items, rowsIn(file), { ...asked, clock: systemClock })

async function* petsOf(rows: AsyncIterable<CompleteRow>): AsyncGenerator<Pet & { readonly version: Version }> {
  for await (const { id, values, version } of rows) yield { ...withId(id, values), version }
}

/**
 * The file for the rows with their ids and versions, where some have none.
 *
 * @throws UserError where it is there already
 */
const resultFile = (
  { file, out, overwrite, data = defaultDataFolder }: Import,
  environment: string,
  { newRows }: CheckedFile,
): string | undefined => {
  if (out !== undefined) return out
  if (newRows === 0 && !overwrite) return undefined
  if (file === '-') throw new UserError('Name a file for the rows with their ids, with --out.')
  const { dir, name } = parse(file)
  // Each data folder is an environment of its own.
  const place = data === defaultDataFolder ? environment : `${environment}-${shortHash(resolve(data))}`
  const [stem = '', number] = name.split(new RegExp(`\\.imported-${place}(?:\\.(\\d+))?$`))
  const next = stem === name ? '' : `.${Number(number ?? 1) + 1}`
  const result = join(dir, `${stem}.imported-${place}${next}.${formatOf(file)}`)
  if (!existsSync(result)) return result
  throw new UserError(
    `${result} is there: ${file} was imported before, perhaps not to its end. Import ${result} to go on, or to import rows that you have added to it: it adds no pet twice. To import all rows of ${file} once more, name another file with --out.`,
  )
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 6)

/** What an import does, or would do. */
class Result {
  readonly #counts = { create: 0, change: 0, restore: 0, leave: 0, conflict: 0 }
  readonly #steps: Step[] = []

  /** @param isShown whether the report describes the step, beside counting it */
  add(step: Step, isShown: boolean): void {
    this.#counts[step.kind] += 1
    if (isShown) this.#steps.push(step)
  }

  report(are: 'are' | 'would be', out?: string): Report {
    const { create, change, restore, leave, conflict } = this.#counts
    const counts = { created: create, changed: change, restored: restore, left: leave, conflicts: conflict }
    const steps = this.#steps.toSorted((one, other) => one.row.line - other.row.line).map(describeStep)
    const lines = [
      ...steps.map(({ text }) => text),
      `${Object.entries(counts)
        .map(([what, count]) => `${amount(count)} ${are} ${what}`)
        .join(', ')}.`,
      ...(out === undefined ? [] : [`The rows with their ids are in ${out}.`]),
    ]
    return {
      json: { ...counts, steps: steps.map(({ json }) => json), file: out ?? null },
      text: lines.join('\n'),
      ...(conflict > 0 && { exitCode: 1 }),
    }
  }
}

export const addImport = (pets: EnvironmentTool): void => {
  pets
    .command('import <file>')
    .description('add the rows without an id, and change the pets of those with one; - is standard input')
    .option('--dry-run', 'only show what would be done')
    .option('--restore', 'add a row whose id no pet has under that id')
    .option('--overwrite', 'change pets also where somebody else has changed them since the export')
    .option(
      '--per-second <n>',
      `pets written a second, at most (default: ${deployedPerSecond} on AWS, no limit locally)`,
      wholeNumber(1, 100_000),
    )
    .option('--out <file>', 'for the rows with their ids (default: beside the file)')
    .action((name, { dryRun = false, restore = false, overwrite = false, perSecond, out }, command) => {
      const options = command.optsWithGlobals()
      const { data } = options
      const file = name === '-' ? name : wholePath(name)
      const asked = { file, restore, overwrite }
      if (!dryRun) {
        const path = out === undefined ? undefined : wholePath(out)
        return changing(options, (place) => importPets(place, { ...asked, out: path, data, perSecond }, interruption()))
      }
      if (out !== undefined) throw new UserError('--dry-run writes nothing: leave out --out.')
      return reading(options, (place) => tryImport(place, asked, interruption()))
    })
}
