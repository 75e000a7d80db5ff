import { printableJson } from '../../command-line/printable.ts'
import { progress } from '../../command-line/progress.ts'
import { amount, type Report } from '../../command-line/report.ts'
import { workThrough } from '../../command-line/work-through.ts'
import type { Audit, Change } from '../target/audit.ts'
import type { Place } from '../target/carry-out.ts'
import { attemptOf, decide, isTaken, isWrite, kinds, type Step, type Wanted } from './decide.ts'
import { interruptible } from './interruptible.ts'
import { keysAtOnce, PetItems } from './pet-items.ts'
import { findOld } from './rows/version.ts'

interface Task {
  /** For the audit, such as `pets set`. */
  readonly action: string
  readonly wanted: readonly Wanted[]
  /** Whether a pet is added under an id that has none. */
  readonly restores?: boolean
  /** Pets that are written a second, at most. */
  readonly perSecond?: number | undefined
  readonly signal: AbortSignal
  /** What to say after an interruption. By default, that the command is to be run for the ids that it has not reached. */
  readonly howToGoOn?: string
  /** Whether the report lists each step that is a write, beside each conflict. */
  readonly lists: boolean
}

/**
 * Gives ids what they are to have, each by one conditional write that is recorded before it is made. Without an audit nothing
 * is written, and the report says what would be.
 */
export const settle = async (
  { database, tables, audit }: Place & { readonly audit?: Audit },
  { action, wanted, restores = false, perSecond, signal, howToGoOn, lists }: Task,
): Promise<Report> => {
  const items = new PetItems(database, tables.pets)
  const advance = progress(wanted.length)
  const settled: Step[] = []
  const carryOut = async (step: Step): Promise<Step> => {
    const { id, pet } = step.wanted
    const written = await items.write(id, step.found, pet, attemptOf(step))
    if (written.isWritten) return step
    const next = decide(step.wanted, written.now, restores)
    if (isWrite(next)) return carryOut(next)
    // The SDK retries a write when its response is lost.
    return next.kind === 'leave' ? step : next
  }
  const changeOf = ({ wanted: { id, pet }, found }: Step): Change => {
    return { action, ids: [`${id}`], old: found?.pet ?? null, new: pet ?? null }
  }
  const work = async (step: Step): Promise<void> => {
    const done = await carryOut(step)
    settled.push(done)
    if (done.kind === 'conflict') await audit?.([{ ...changeOf(step), refused: 'changed meanwhile' }])
  }
  const idsLeft = (): readonly bigint[] => {
    const reached = new Set(settled.map((step) => step.wanted.id))
    return wanted.map(({ id }) => id).filter((id) => !reached.has(id))
  }
  const advice = () => howToGoOn ?? `To go on, run the command again for ${idsLeft().join(' ')}.`
  await interruptible(signal, advice, async () => {
    for (let start = 0; start < wanted.length; start += keysAtOnce) {
      signal.throwIfAborted()
      const batch = wanted.slice(start, start + keysAtOnce)
      const found = await items.find(batch.map(({ id }) => id))
      const steps = batch.map((one) => decide(one, found.get(one.id), restores))
      const writes = audit === undefined ? [] : steps.filter(isWrite)
      settled.push(...steps.filter((step) => audit === undefined || !isWrite(step)))
      if (writes.length > 0) await audit?.(writes.map(changeOf))
      await workThrough(writes, work, { perSecond, signal })
      advance(batch.length)
    }
    signal.throwIfAborted()
  })
  return reportOf(settled, lists, audit === undefined)
}

const reportOf = (settled: readonly Step[], lists: boolean, isTrial: boolean): Report => {
  const listed = settled
    .filter((step) => step.kind === 'conflict' || (lists && isWrite(step)))
    .toSorted((one, other) => (one.wanted.line ?? 0) - (other.wanted.line ?? 0))
    .map(describe)
  const byKind = Map.groupBy(settled, ({ kind }) => kinds[kind])
  const counts = Object.fromEntries(Object.values(kinds).map((kind) => [kind, byKind.get(kind)?.length ?? 0]))
  const sum = Object.entries(counts).flatMap(([kind, count]) => (count === 0 ? [] : [`${amount(count)} ${kind}`]))
  const lines = [...listed.map(({ text }) => text), `${isTrial ? 'Would be: ' : ''}${sum.join(', ') || 'no pets'}.`]
  return {
    json: { ...counts, steps: listed.map(({ json }) => json) },
    text: lines.join('\n'),
    ...(byKind.has('conflicts') && { exitCode: 1 }),
  }
}

/** The pets of a step: before and after it, or those of a conflict. */
const describe = ({ kind, wanted: { line, id, version, pet }, found }: Step) => {
  const isNew = kind === 'create'
  const theirs = found?.pet
  const isOther = isTaken(version, found)
  const pets = {
    ...{ old: kind !== 'conflict' ? theirs : isOther || pet === undefined ? undefined : findOld(version, pet, theirs) },
    ...(kind === 'conflict' ? { theirs, yours: pet } : { new: isNew ? { ...pet, id: undefined } : pet }),
  }
  const cause = isOther
    ? 'another pet has got this id: empty the id and the version of the row, and import it'
    : `somebody else has ${theirs === undefined ? 'removed' : 'changed'} it`
  const what = `${kind}${isNew ? '' : ` ${id}`}${kind === 'conflict' ? `: ${cause}` : ''}`
  const shown = Object.entries(pets).filter(([, one]) => one !== undefined)
  return {
    json: { line, action: kind, ...(!isNew && { id }), ...pets },
    text: [
      `${line === undefined ? '' : `line ${line}: `}${what}`,
      ...shown.map(([whose, one]) => `  ${whose}: ${printableJson(one)}`),
    ].join('\n'),
  }
}
