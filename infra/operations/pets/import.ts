import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Clock, systemClock } from '../../../shared/clock.ts'
import { PetStore } from '../../../shared/pets/pet-store.ts'
import {
  createPacer,
  type Pacer,
  runInterruptibly,
  startProgress,
  UnfinishedWork,
} from '../../command-line/long-work.ts'
import type { Report } from '../../command-line/report.ts'
import type { Audit } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { addNewPets, settleEarlierRun } from './add-new-pets.ts'
import { applyBatch } from './apply-changes.ts'
import { ChangeSummary } from './change-report.ts'
import { describeConflict } from './describe-conflict.ts'
import { findFileSize, readFileInChunks, writeNewFile } from './files.ts'
import { doesJournalExist, getJournalFile, ImportJournal } from './import-journal.ts'
import { PetTable } from './pet-table.ts'
import { asksForChange, type ChangeRules } from './plan-change.ts'
import { chooseConflictFile, chooseResultFile, requireNewResultFile, writeResultFile } from './result-files.ts'
import type { ExistingPetRow, NewPetRow, PetRow } from './rows/check-row.ts'
import { chooseFormat, columns, conflictColumn, writeRows } from './rows/format.ts'
import { checkExportedRows, type ExportedRow, readRows } from './rows/read-rows.ts'
import { openServiceClock } from './service-clock.ts'
import { StagedRows } from './staged-rows.ts'

interface ImportOptions extends ChangeRules {
  /** Absolute path of the file to import. */
  readonly file: string
  /** Absolute path of the result file. Default: beside the file. */
  readonly out?: string | undefined
  /** Maximum writes per second. Default: `deployedPerSecond` on AWS, no limit locally. */
  readonly perSecond?: number | undefined
}

/** On AWS the status index accepts 1,000 writes per second of one status. An import leaves half of them to callers. */
export const deployedPerSecond = 500

/** Changes and conflicts that a report lists at most. */
const maximumListed = 100

/**
 * Number of rows from which on the pets are compared by a scan of the table. A strongly consistent lookup costs a read
 * unit for each pet, and a scan one for each 4 KB, which is some thirty pets.
 */
const minimumRowsOfScan = 10_000

const nothingWritten = 'Nothing is written. Run the same command again.'

/**
 * Imports a file. All its rows are checked before anything is written. Then rows that were edited change their pets,
 * and rows without an id become new pets. Memory use does not depend on the size of the file. Without an audit it is a
 * dry run.
 *
 * The same command goes on after an interruption: a change that was made finds its pet unchanged, and the journal has
 * the new pets that were added.
 */
export const importPets = (
  environment: Environment,
  audit: Audit | undefined,
  options: ImportOptions,
  clock: Clock = systemClock,
): Promise<Report> =>
  runInterruptibly(
    () => nothingWritten,
    async (signal) => {
      const summary = new ChangeSummary({ isListed: () => audit === undefined, maximumListed })
      using rows = await StagedRows.open()
      const checksum = await stageRows(options, rows, summary, signal)

      const table = new PetTable(environment.database, environment.tables.pets)
      const perSecond = options.perSecond ?? (environment.name === 'local' ? undefined : deployedPerSecond)
      const pacer = createPacer(perSecond, signal)
      const context: ImportContext = { environment, options, audit, summary, rows, table, pacer, clock, signal }

      await dropSettledChanges(context)
      await checkExportedChanges(context)
      using addition = rows.newCount === 0 ? undefined : await prepareAddition(context, checksum)
      return await importRows(context, addition)
    },
  )

/** The parts that all steps of an import share. */
interface ImportContext {
  readonly environment: Environment
  readonly options: ImportOptions
  readonly audit: Audit | undefined
  readonly summary: ChangeSummary
  readonly rows: StagedRows
  readonly table: PetTable
  readonly pacer: Pacer
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** @throws UnfinishedWork that says what was done */
const importRows = async (context: ImportContext, addition: Addition | undefined): Promise<Report> => {
  const { audit, summary } = context
  try {
    await applyRowChanges(context)
    if (addition !== undefined) await addRows(context, addition)
    return audit === undefined ? reportDryRun(summary) : await finishImport(context, addition)
  } catch (cause) {
    const advice =
      audit === undefined
        ? nothingWritten
        : `Known to be done: ${summary.describe()}. To go on, run the same command again.`
    throw new UnfinishedWork(advice, { cause })
  }
}

/**
 * Checks the rows of the file, and stages those that ask for anything.
 *
 * @returns the SHA-256 of the file
 */
const stageRows = async (
  { file, restore, overwrite = false }: ImportOptions,
  rows: StagedRows,
  summary: ChangeSummary,
  signal: AbortSignal,
): Promise<string> => {
  const hash = createHash('sha256')
  using progress = startProgress('bytes read', findFileSize(file))
  async function* readChunks() {
    for await (const chunk of readFileInChunks(file, signal)) {
      hash.update(chunk)
      yield chunk
      progress.count(chunk.length)
    }
  }

  const addExistingPet = (row: ExistingPetRow | ExportedRow): void => {
    const isExported = 'json' in row
    if (isExported && restore) rows.addExported(row)
    else if (!isExported && asksForChange({ restore, overwrite }, row)) rows.addChange(row)
    else summary.count('unchanged', 1)
  }
  const addRow = (row: PetRow | ExportedRow): string | undefined => {
    if (row.id === undefined) {
      rows.addNewPet(row)
      return undefined
    }
    const earlierLine = rows.addId(row.id, row.line)
    if (earlierLine !== undefined) return `the id ${row.id} is in line ${earlierLine} too`
    addExistingPet(row)
    return undefined
  }
  await readRows(readChunks(), { overwrite, addRow })
  return hash.digest('hex')
}

/** Compares many rows with a scan of the table, and drops those whose pets are as they ask. */
const dropSettledChanges = async ({ options, rows, table, summary, signal }: ImportContext): Promise<void> => {
  if (rows.changeCount < minimumRowsOfScan) return

  const isExistenceEnough = options.overwrite !== true
  using progress = startProgress('pets compared')
  for await (const { pets } of table.scan(signal)) {
    const droppedPets = pets.filter((pet) => rows.dropChangeOf(pet, isExistenceEnough))
    summary.count('unchanged', droppedPets.length)
    progress.count(pets.length)
  }
}

/**
 * Checks the rows of a backup that ask for a change and that nobody has edited. Each other row was checked when it was
 * read. Most rows of a backup ask for nothing, so they need no check.
 */
const checkExportedChanges = async ({ rows, signal }: ImportContext): Promise<void> => {
  using progress = startProgress('rows checked')
  async function* listRows() {
    for (const batch of rows.listExported()) {
      await setImmediate(undefined, { signal })
      yield* batch
      progress.count(batch.length)
    }
  }
  await checkExportedRows(listRows())
}

/** Applies the changes of existing pets. */
const applyRowChanges = async (context: ImportContext): Promise<void> => {
  const { options, summary, rows } = context
  using progress = startProgress('rows with an id', rows.changeCount)
  for (const batch of rows.listChanges()) {
    await applyBatch({ ...context, ...options, action: 'pets import' }, batch, (change) => {
      summary.add(change)
      if (change.outcome === 'conflict') rows.addConflict(change.desired.line ?? 0, describeConflict(change))
    })
    progress.count(batch.length)
  }
}

/** The parts that an import needs to add pets, beside the rows. Disposing of them releases the journal. */
interface Addition extends Disposable {
  readonly resultFile: string
  /** Undefined in a dry run of an import that has not begun. */
  readonly journal: ImportJournal | undefined
  readonly store: PetStore
  /** Clock of the service. */
  readonly clock: Clock
}

/**
 * Opens the journal.
 *
 * @throws UserError if the result file exists, or the clock of this machine is wrong
 */
const prepareAddition = async (context: ImportContext, checksum: string): Promise<Addition> => {
  const { environment, options, audit, clock, signal } = context
  const resultFile = chooseResultFile(environment, options)
  const hasBegun = doesJournalExist(resultFile)
  if (!hasBegun) requireNewResultFile(resultFile, options)

  const { database, tables, name, dataFolder } = environment
  const serviceClock = await openServiceClock(database, tables.pets, clock)
  const store = new PetStore(database, tables.pets)
  signal.throwIfAborted()

  using opened = new DisposableStack()
  const folder = dataFolder === undefined ? undefined : resolve(dataFolder)
  const source = JSON.stringify({ checksum, environment: name, folder, table: tables.pets })
  const needsJournal = audit !== undefined || hasBegun
  const journal = needsJournal ? opened.use(await ImportJournal.open(getJournalFile(resultFile), source)) : undefined
  if (journal?.isResultBegun !== true) requireNewResultFile(resultFile, options)
  const kept = opened.move()
  return { resultFile, journal, store, clock: serviceClock, [Symbol.dispose]: () => kept.dispose() }
}

/** Adds the pets of rows without an id, except those that an earlier run has added. */
const addRows = async (context: ImportContext, addition: Addition): Promise<void> => {
  const { audit, summary, rows, table, signal } = context
  const { journal, store } = addition
  if (journal !== undefined) await settleEarlierRun(journal, table, audit === undefined ? undefined : store)

  using progress = startProgress('new pets', rows.newCount)
  for (const batch of rows.listNewPets()) {
    // A dry run waits for nothing else.
    await setImmediate(undefined, { signal })
    const remaining = batch.filter(({ line }) => journal?.findStoredId(line) === undefined)
    summary.count('unchanged', batch.length - remaining.length)
    await addBatch(context, addition, remaining)
    progress.count(batch.length)
  }
}

const addBatch = async (
  context: ImportContext,
  { journal, store, clock }: Addition,
  batch: readonly NewPetRow[],
): Promise<void> => {
  const { audit, summary } = context
  if (audit !== undefined && journal !== undefined) {
    await addNewPets({ ...context, audit, store, journal, clock }, batch)
    return
  }
  for (const row of batch) summary.addNewPet(row)
}

const reportDryRun = (summary: ChangeSummary): Report => {
  const report = summary.createReport()
  return { ...report, text: `Nothing is written. It would be:\n${report.text}` }
}

/**
 * Writes the files of an import that has made its changes, and reports the import. The result file is the last one,
 * because the same command does not go on once that is there.
 */
const finishImport = async (context: ImportContext, addition: Addition | undefined): Promise<Report> => {
  const { environment, options, summary, rows, signal } = context
  const conflictFile = summary.conflictCount === 0 ? undefined : chooseConflictFile(environment, options)
  if (conflictFile !== undefined) {
    const text = writeRows(rows.listConflicts(), chooseFormat(conflictFile), [...columns, conflictColumn])
    await writeNewFile(conflictFile, text, signal)
  }

  const resultFile = addition?.resultFile
  if (addition?.journal !== undefined) await writeResultFile(addition.resultFile, rows, addition.journal, signal)

  const report = summary.createReport()
  const sentences = [
    report.text,
    resultFile === undefined ? '' : `The new pets with their ids are in ${resultFile}.`,
    conflictFile === undefined
      ? ''
      : `The conflicts are in ${conflictFile}, each with the present values of what you did not edit. ` +
        'Correct these rows, and import that file.',
  ]
  return {
    ...report,
    json: { ...report.json, resultFile, conflictFile },
    text: sentences.filter((sentence) => sentence !== '').join('\n'),
  }
}
