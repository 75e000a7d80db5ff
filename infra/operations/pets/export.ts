import { pipeline } from 'node:stream/promises'
import { Option } from '@commander-js/extra-typings'
import { type PetStatus, petStatuses } from '../../../shared/pets/pet.ts'
import { interruptible, interruption } from '../../command-line/interruption.ts'
import { progress } from '../../command-line/progress.ts'
import { amount, type Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { type EnvironmentTool, type Place, reading } from '../target/carry-out.ts'
import { claimOutput, temporaryFolder, wholePath } from './files.ts'
import { newestFirst } from './newest-first.ts'
import { PetItems } from './pet-items.ts'
import { type Format, formatOf, textOf } from './rows/format.ts'

interface ExportOptions {
  readonly status: PetStatus | undefined
  readonly format: Format
  /** A whole path; standard output without it. */
  readonly out: string | undefined
}

/** @returns undefined where the pets themselves are the output */
export const exportPets = (
  place: Place,
  { status, format, out }: ExportOptions,
  signal: AbortSignal,
): Promise<Report | undefined> => {
  const what = out === undefined ? 'The output is not complete' : `Nothing is written to ${out}`
  return interruptible(signal, `${what}. Run the same command again.`, async () => {
    using folder = temporaryFolder()
    using file = out === undefined ? undefined : claimOutput(out, { replaces: true })
    const items = new PetItems(place.database, place.tables.pets)
    const advance = progress(undefined)
    let count = 0
    async function* scanned() {
      for await (const pets of items.scan(status)) {
        count += pets.length
        advance(pets.length)
        yield pets
      }
    }
    const pets = newestFirst(scanned(), folder.path)
    if (file !== undefined) {
      await file.write(textOf(pets, format), signal)
      return { json: { pets: count, file: file.path }, text: `${amount(count)} pets are in ${file.path}.` }
    }
    try {
      await pipeline(textOf(pets, format), process.stdout, { signal })
    } catch (cause) {
      const isClosed = cause instanceof Error && 'code' in cause && cause.code === 'EPIPE'
      throw isClosed ? new UserError('Nothing reads the output any more.', { cause }) : cause
    }
    return undefined
  })
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
    .action(({ status, format, out }, command) => {
      const options = command.optsWithGlobals()
      if (options.json === true && out === undefined) throw new UserError('--json needs --out here.')
      const path = out === undefined ? undefined : wholePath(out)
      return reading(options, (place) =>
        exportPets(place, { status, format: format ?? formatOf(out ?? ''), out: path }, interruption()),
      )
    })
}
