/** An operator who exports the animals, edits the file and imports it again, until the import has ended. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from '../../infra/command-line/report.ts'
import { exportPets } from '../../infra/operations/pets/export.ts'
import { importPets } from '../../infra/operations/pets/import.ts'
import { petStatuses } from '../../shared/pets/pet.ts'
import { formatJsonLines, readJsonLines } from '../fixtures/json-lines.ts'
import type { Edits } from './import-rules.ts'
import { type Operators, openEnvironmentAt, runCommand } from './operators.ts'
import type { Random } from './random.ts'

/** Name of the imported file, and of the file that its import writes. */
const fileName = 'pets.jsonl'
const resultFileName = 'result.jsonl'

/** Writes in a second, so that an import takes minutes while others change the animals. */
const perSecond = 2

const largestNumberOfNewRows = 200

/** The most edited rows, so that the last import ends before followers ask for the last time. */
const largestNumberOfEdits = 200

/** The longest time between an export and the import of its edited file. */
const longestEditSeconds = 600

/** A file to import. */
interface Edition {
  /** Folder of the file. */
  readonly folder: string
  /** Time at which the export began. */
  readonly exportedAt: number
  readonly edits: Edits
  /** Whether the import has `--overwrite`. */
  readonly overwrite: boolean
  /** Functions that get the id of each new animal, by its name. */
  readonly acknowledge: ReadonlyMap<string, (id: number) => Promise<void>>
}

/** Starts the operator. The last import begins once the faults have ended. */
export const startImporter = async (operators: Operators): Promise<void> => {
  const { time, random, mustSucceed, schedule } = operators
  const own = random.fork()
  let isLast = false
  while (!isLast) {
    await time.pause(Math.min(own.untilNext(900) * 1_000, schedule.settled - time.now))
    isLast = mustSucceed()
    const editMilliseconds = isLast ? 0 : own.between(0, longestEditSeconds) * 1_000
    const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-import-'))
    try {
      await time.whileFilesAreUsed(async () => {
        const edition = await exportAndEdit(operators, own, folder)
        await time.pause(editMilliseconds)
        if (edition !== undefined) await importUntilItEnds(operators, folder, edition)
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
}

/**
 * Exports all animals, and edits some rows of the file and appends others.
 *
 * @returns undefined if the export fails
 */
const exportAndEdit = async (operators: Operators, random: Random, folder: string): Promise<Edition | undefined> => {
  const { petRules, history, time } = operators
  const exportedAt = time.now
  const importFolder = join(folder, 'import')
  mkdirSync(importFolder)
  const file = join(importFolder, fileName)
  const { outcome } = await runCommand(operators, {
    kind: 'pets export',
    subject: 'importer',
    run: (process) => exportPets(openEnvironmentAt(operators, process), { out: file }),
  })
  if (outcome !== 'done') return undefined

  const rows = readJsonLines(file)
  const edits = new Map<string, { readonly status: string }>()
  for (const row of rows) {
    const status = random.pick(petStatuses)
    if (!random.chance(0.03) || row['status'] === status || edits.size === largestNumberOfEdits) continue
    row['status'] = status
    edits.set(String(row['id']), { status })
  }
  const acknowledge = new Map<string, (id: number) => Promise<void>>()
  const newRows = Array.from({ length: random.integer(0, largestNumberOfNewRows) }, () => {
    const name = `imported ${random.integer(0, 1e12)}`
    acknowledge.set(name, petRules.begin(name))
    return { name, categoryId: 1, status: random.pick(petStatuses) }
  })
  history.note('importer', `${rows.length} rows, ${edits.size} edited, ${newRows.length} new`)
  writeFileSync(file, formatJsonLines([...rows, ...newRows]))
  return { folder: importFolder, exportedAt, edits, overwrite: random.chance(0.3), acknowledge }
}

/** Imports a file. Runs the same command again after a failure or a kill. */
const importUntilItEnds = async (operators: Operators, folder: string, edition: Edition): Promise<void> => {
  let runEdition = edition
  for (let run = 1; ; run += 1) {
    const end = await importOnce(operators, runEdition)
    if (end.outcome === 'done') {
      await checkAndAcknowledge(operators, runEdition, end.result)
      return
    }
    await operators.time.pause(1_000)
    // A killed import would have released its journal, but this process, in which it was simulated, still has it.
    const copy = join(folder, `import-${run}`)
    cpSync(runEdition.folder, copy, { recursive: true })
    runEdition = { ...runEdition, folder: copy }
  }
}

const importOnce = (operators: Operators, { folder, edits, overwrite }: Edition) =>
  runCommand(operators, {
    kind: 'pets import',
    subject: 'importer',
    killProbability: 0.002,
    run: (process) => {
      operators.petAuditRules.expectEdits(process.who, edits)
      const options = { file: join(folder, fileName), out: join(folder, resultFileName), perSecond, overwrite }
      return importPets(openEnvironmentAt(operators, process), process.audit, options, process.clock)
    },
    // An import that has ended has done its work, also if it reports conflicts.
    isConflict: () => false,
  })

/** Checks that an import that has ended has done all that its file asks for, and acknowledges the new animals. */
const checkAndAcknowledge = async (operators: Operators, edition: Edition, { json }: Report): Promise<void> => {
  const { folder, acknowledge } = edition
  const newRows = acknowledge.size === 0 ? [] : readJsonLines(join(folder, resultFileName))
  const conflicts = json['conflictFile'] === undefined ? [] : readJsonLines(String(json['conflictFile']))
  operators.history.note('importer', `ended with ${conflicts.length} conflicts`)
  operators.importRules.checkEnd({
    ...edition,
    newNames: [...acknowledge.keys()],
    conflictIds: new Set(conflicts.map(({ id }) => String(id))),
    resultNames: new Set(newRows.map(({ name }) => String(name))),
  })
  for (const { id, name } of newRows) await acknowledge.get(String(name))?.(Number(id))
}
