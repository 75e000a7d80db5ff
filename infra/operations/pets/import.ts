import { randomBytes, randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { basename, join, parse, resolve } from 'node:path'
import { systemClock } from '../../../shared/clock.ts'
import { assignPetId } from '../../../shared/pets/pet.ts'
import { drawPetId } from '../../../shared/pets/pet-id.ts'
import { keysPerLookup, PetTable } from '../../../shared/pets/pet-table.ts'
import { runInterruptibly, UnfinishedWork } from '../../command-line/long-work.ts'
import type { Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { Audit } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { applyChanges } from './apply-changes.ts'
import { reportChanges } from './change-report.ts'
import { readWholeFile, writeNewFile } from './files.ts'
import type { ChangeRules, DesiredPet } from './plan-change.ts'
import type { PetRow } from './rows/check-row.ts'
import { chooseFormat, writeRows } from './rows/format.ts'
import { readRows } from './rows/read-rows.ts'

interface ImportOptions extends ChangeRules {
  /** Absolute path of the file to import. */
  readonly file: string
  /** Absolute path of the result file. Default: beside the file, if rows lack an id; else none is written. */
  readonly out?: string | undefined
  /** Maximum writes per second. Default: `deployedPerSecond` on AWS, no limit locally. */
  readonly perSecond?: number | undefined
}

/** On AWS the status index accepts 1,000 writes per second of one status. An import leaves half of them to callers. */
export const deployedPerSecond = 500

/**
 * Imports a file. If rows lack an id, all rows are first written to a result file that gives each one an id. An
 * import of the result file continues an interrupted import, because pets that were added already are unchanged.
 * Without an audit it is a dry run.
 */
export const importPets = (
  environment: Environment,
  audit: Audit | undefined,
  options: ImportOptions,
): Promise<Report> =>
  runInterruptibly(
    () => 'Nothing is written. Run the same command again.',
    async (signal) => {
      const { file, restore, overwrite = false } = options
      const isDryRun = audit === undefined
      const table = new PetTable(environment.database, environment.tables.pets)

      const rows = readRows(await readWholeFile(file, signal), overwrite)
      // A dry run fails too if the default result file exists, but it writes none.
      const neededResultFile = findResultFile(environment, options, rows)
      const resultFile = isDryRun ? undefined : neededResultFile

      const desired = await assignIds(table, rows)
      if (resultFile !== undefined) {
        await writeNewFile(resultFile, writeRows(desired, chooseFormat(resultFile)), signal)
      }

      const perSecond = options.perSecond ?? (environment.name === 'local' ? undefined : deployedPerSecond)
      const changes = await applyChanges({
        table,
        audit,
        action: 'pets import',
        desired,
        restore,
        overwrite,
        perSecond,
        signal,
      }).catch((cause) => {
        throw new UnfinishedWork(describeHowToGoOn(options, resultFile), { cause })
      })
      return addResultFile(reportChanges(changes, isDryRun), resultFile)
    },
  )

/** Describes how to continue an import that has ended before all its changes were made. */
const describeHowToGoOn = ({ restore = false, overwrite = false }: ImportOptions, resultFile: string | undefined) => {
  if (resultFile === undefined) return 'To go on, run the same command again.'
  const options = [restore ? ' --restore' : '', overwrite ? ' --overwrite' : '']
  return `To go on, import ${resultFile}${options.join('')}.`
}

const addResultFile = (report: Report, resultFile: string | undefined): Report => {
  if (resultFile === undefined) return report
  return {
    ...report,
    json: { ...report.json, resultFile },
    text: `${report.text}\nThe rows with their ids are in ${resultFile}.`,
  }
}

/** Gives new pets their ids, and versions by which a later import recognizes that this import has added them. */
const assignIds = async (table: PetTable, rows: readonly PetRow[]) => {
  const importId = `import-${randomBytes(8).toString('hex')}`
  const newIds = drawFreeIds(table)

  return Array.fromAsync(rows, async ({ line, id, version, values }) => {
    if (id !== undefined) return { line, id, pet: assignPetId(id, values), version } satisfies DesiredPet
    const pet = assignPetId((await newIds.next()).value, values)
    return { line, id: pet.id, pet, version: { ...pet, importId } } satisfies DesiredPet
  })
}

/**
 * Draws ids without an item, each higher than the one before. The service draws ids of the present moment, so an id
 * of a past moment that has no item now will not get one from the service. The first id is random, so that two
 * imports rarely draw the same ids.
 */
async function* drawFreeIds(table: PetTable): AsyncGenerator<bigint, never> {
  let nextId = drawPetId(systemClock() - 1_000 + randomInt(500))
  for (;;) {
    const drawnIds = Array.from({ length: keysPerLookup }, () => nextId++)
    const items = await table.findItems(drawnIds)
    yield* drawnIds.filter((id) => !items.has(id))
  }
}

/**
 * Finds the path of the result file, or undefined if none is needed. By default it is beside the imported file. Its
 * name contains the environment, or the name of the data folder, because each data folder is an environment of its
 * own.
 *
 * @throws UserError if the default path exists
 */
const findResultFile = (
  { name: environmentName, dataFolder = environmentName }: Environment,
  { file, out }: ImportOptions,
  rows: readonly PetRow[],
): string | undefined => {
  if (out !== undefined) return out
  const isComplete = rows.every(({ id }) => id !== undefined)
  if (isComplete) return undefined

  const { dir, name, ext } = parse(file)
  const suffix = basename(resolve(dataFolder)).replace(/^\./, '')
  const resultFile = join(dir, `${name}.imported-${suffix}${ext}`)
  if (!existsSync(resultFile)) return resultFile
  const sentences = [
    `${resultFile} is there: ${file} was imported before, perhaps not to its end.`,
    `Import ${resultFile} to go on, or to import rows that you have added to it: it adds no pet twice.`,
    `To import all rows of ${file} once more, name another file with --out.`,
  ]
  throw new UserError(sentences.join(' '))
}
