import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '../../../shared/clock.ts'
import { interruptedCode, interruption } from '../../command-line/interruption.ts'
import { pace } from '../../command-line/pace.ts'
import { progressReport } from '../../command-line/progress-report.ts'
import { amount, type Report } from '../../command-line/report.ts'
import { UserError } from '../../command-line/user-error.ts'
import { reasonOfStop } from '../target/aws-errors.ts'
import { lineOf, type Workplace } from './actions.ts'
import { formatOf } from './format.ts'
import { ImportJournal } from './import-journal.ts'
import { type Counts, checkFile, importRows } from './import-pets.ts'
import { blockSize, type Step } from './import-plan.ts'
import { savePets } from './write-pets.ts'

interface Import {
  /** `-` for standard input. */
  readonly file: string
  readonly dryRun: boolean
  /** Whether a row whose id no pet has is added under that id. */
  readonly restore: boolean
  readonly out: string | undefined
  /** Pets a second, at most. */
  readonly perSecond: number | undefined
  readonly json: boolean
}

/** Imports a file, or only shows what that would do. */
export const importPets = async (place: Workplace, action: Import): Promise<Report> => {
  const { environment, tableName, table } = place
  const { restore, out } = action
  using cleanup = new DisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-import-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'rows')
  const sha256 = await copy(action.file, file)
  const steps: object[] = []
  const show = (step: Step): void => {
    if (action.json && step.kind !== 'leave') steps.push(describe(step))
    else if (step.kind !== 'leave') console.log(textOfStep(step))
  }
  const counts = await checkFile(table, file, restore, action.dryRun ? show : undefined)
  if (action.dryRun) return report(counts, 'would be', { steps })

  const name = action.file === '-' ? 'stdin' : action.file
  // Only new ids must be the same after an interruption.
  const journal =
    counts.create === 0
      ? undefined
      : await ImportJournal.open(`${name}.${environment}.import.json`, { sha256, table: tableName })
  if (journal?.isComplete === true && out === undefined) {
    const text = `This file was imported before: nothing is left to do. To create its pets once more, delete ${journal.path}.`
    return { json: { ...namesOf({ create: 0, change: 0, restore: 0, leave: 0 }), importedBefore: true }, text }
  }
  const audit = await place.openAudit()
  const signal = interruption()
  const progress = progressReport(process.stderr)
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  progress.begin(Math.min(all, (journal?.done ?? 0) * blockSize), all)
  const givesBack = out !== undefined
  const limit = pace(action.perSecond, signal)
  const work = { table, file, restores: restore, journal, givesBack, audit, pace: limit, progress, signal }
  try {
    const pets = importRows({ ...work, clock: systemClock })
    if (out === undefined) for await (const _pet of pets);
    else await savePets(pets, formatOf(out), out)
  } catch (error) {
    throw toUserError(error, signal)
  } finally {
    progress.end()
  }
  return report(counts, 'are', {})
}

const toUserError = (error: unknown, { aborted }: AbortSignal): unknown => {
  if (aborted) {
    process.exitCode = interruptedCode
    return new UserError(`Interrupted. ${howToResume}`)
  }
  const reason = error instanceof UserError ? undefined : reasonOfStop(error)
  return reason === undefined ? error : new UserError(`The import stopped: ${reason}. ${howToResume}`, { cause: error })
}

const howToResume = 'The same command goes on from there, and creates nothing twice.'

/** @returns the SHA-256 */
const copy = async (from: string, to: string): Promise<string> => {
  const hash = createHash('sha256')
  const input = from === '-' ? process.stdin : createReadStream(from)
  const hashed = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  try {
    await pipeline(input, hashed, createWriteStream(to))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'EACCES') {
      throw new UserError(`${from} is no file that can be read (${code}).`)
    }
    throw error
  }
  return hash.digest('hex')
}

const namesOf = ({ create, change, restore, leave }: Counts) => ({
  created: create,
  changed: change,
  restored: restore,
  left: leave,
})

const report = (counts: Counts, are: string, more: object): Report => {
  const parts = Object.entries(namesOf(counts)).map(([what, count]) => `${amount(count)} ${are} ${what}`)
  return { json: { ...namesOf(counts), ...more }, text: `${parts.join(', ')}.` }
}

const describe = (step: Exclude<Step, { readonly kind: 'leave' }>): object => {
  const { line } = step.row
  if (step.kind === 'create') return { line, action: 'create', old: null, new: step.row.values }
  return { line, action: step.kind, old: step.kind === 'change' ? step.old : null, new: step.pet }
}

const textOfStep = (step: Step): string => {
  const place = `line ${step.row.line}: ${step.kind}`
  if (step.kind === 'create') return `${place}  ${lineOf({ id: 0n, ...step.row.values }).replace(/^0/, 'a new id')}`
  if (step.kind !== 'change') return `${place}  ${lineOf(step.pet)}`
  return `${place}\n  before: ${lineOf(step.old)}\n  after:  ${lineOf(step.pet)}`
}
