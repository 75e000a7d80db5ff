/** An operator who exports the animals, edits the file and imports it again, until the import has ended. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportPets } from '../../infra/operations/pets/export.ts'
import { importPets } from '../../infra/operations/pets/import.ts'
import { petStatuses } from '../../shared/pets/pet.ts'
import { runningProcess } from './database.ts'
import { createMortalProcess, type Operators, openEnvironmentAt } from './operators.ts'
import type { EditedFields } from './pet-audit-rules.ts'
import type { Random } from './random.ts'

/** Name of the imported file, and of the file that its import writes. */
const fileName = 'pets.jsonl'
const resultFileName = 'result.jsonl'

/** Writes in a second, so that an import takes minutes while others change the animals. */
const perSecond = 2

const largestNumberOfNewRows = 200

/** The longest time between an export and the import of its edited file. */
const longestEditSeconds = 600

/** A file to import. */
interface Edition {
  /** Folder of the file. */
  readonly folder: string
  readonly editedFields: EditedFields
  /** Whether the import has `--overwrite`. */
  readonly overwrite: boolean
  /** Functions that get the id of each new animal, by its name. */
  readonly acknowledge: ReadonlyMap<string, (id: number) => Promise<void>>
}

/** Starts the operator. */
export const startImporter = async (operators: Operators): Promise<void> => {
  const { time, random, mustSucceed, history } = operators
  const own = random.fork()
  while (!mustSucceed()) {
    await time.pause(own.untilNext(900) * 1_000)
    if (mustSucceed()) return
    const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-import-'))
    const fileFolder = join(folder, 'import')
    mkdirSync(fileFolder)
    try {
      await time.whileFilesAreUsed(async () => {
        const edition = await exportAndEdit(operators, own, fileFolder)
        await time.pause(own.between(0, longestEditSeconds) * 1_000)
        await importUntilItEnds(operators, edition)
      })
    } catch (error) {
      history.note('importer', `failed: ${error}`)
      if (!(error instanceof Error)) throw error
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
}

/** Exports all animals, and edits some rows of the file and appends others. */
const exportAndEdit = async (operators: Operators, random: Random, folder: string): Promise<Edition> => {
  const { petRules, history } = operators
  const file = join(folder, fileName)
  await exportPets(openEnvironmentAt(operators, runningProcess), { out: file })

  const rows = readRows(file)
  const editedFields = new Map<string, readonly string[]>()
  for (const row of rows) {
    const status = random.pick(petStatuses)
    if (!random.chance(0.03) || row['status'] === status) continue
    row['status'] = status
    editedFields.set(String(row['id']), ['status'])
  }
  const acknowledge = new Map<string, (id: number) => Promise<void>>()
  const newRows = Array.from({ length: random.integer(0, largestNumberOfNewRows) }, () => {
    const name = `imported ${random.integer(0, 1e12)}`
    acknowledge.set(name, petRules.begin(name))
    return { name, categoryId: 1, status: random.pick(petStatuses) }
  })
  history.note('importer', `${rows.length} rows, ${editedFields.size} edited, ${newRows.length} new`)
  writeFileSync(file, [...rows, ...newRows].map((row) => `${JSON.stringify(row)}\n`).join(''))
  return { folder, editedFields, overwrite: random.chance(0.3), acknowledge }
}

/** Imports a file. Runs the same command again after a failure or a kill. */
const importUntilItEnds = async (operators: Operators, edition: Edition): Promise<void> => {
  const { time, history } = operators
  let { folder } = edition
  while (true) {
    const end = await importOnce(operators, { ...edition, folder }).catch((error) => String(error))
    history.note('importer', end)
    if (end === 'ended') break
    await time.pause(1_000)
    // A killed import would have released its journal, but this process, in which it was simulated, still has it.
    const copy = `${folder}-again`
    cpSync(folder, copy, { recursive: true })
    folder = copy
  }
  if (edition.acknowledge.size === 0) return
  for (const { id, name } of readRows(join(folder, resultFileName))) {
    await edition.acknowledge.get(String(name))?.(Number(id))
  }
}

const importOnce = async (
  operators: Operators,
  { folder, editedFields, overwrite }: Edition,
): Promise<'ended' | 'killed'> => {
  operators.history.count('commands')
  const process = createMortalProcess(operators, 0.002)
  const { audit, who } = operators.audit.open(process)
  operators.petAuditRules.expectEdits(who, editedFields)
  const options = { file: join(folder, fileName), out: join(folder, resultFileName), perSecond, overwrite }
  const work = importPets(openEnvironmentAt(operators, process), audit, options, () => operators.time.now)
  return Promise.race([work.then(() => 'ended' as const), process.killed])
}

const readRows = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
