import { interruptible } from '../../command-line/interruption.ts'
import { printableJson } from '../../command-line/printable.ts'
import { progress } from '../../command-line/progress.ts'
import { amount, amountOf, type Report } from '../../command-line/report.ts'
import { workThrough } from '../../command-line/work-through.ts'
import type { Audit, Change } from '../target/audit.ts'
import type { Place } from '../target/carry-out.ts'
import { decide, isTaken, isWrite, kinds, type Step, type Wanted } from './decide.ts'
import { findItems, keysAtOnce, writeItem } from './pet-items.ts'
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
  /** What to say after an interruption. */
  readonly howToGoOn: string
}

/**
 * Gives ids what they are to have, each by one conditional write that is recorded before it is made. Without an audit nothing
 * is written, and the report says what would be.
 */
export const settle = async (
  place: Place & { readonly audit?: Audit },
  { action, wanted, restores = false, perSecond, signal, howToGoOn }: Task,
): Promise<Report> => {
  const { audit } = place
  const advance = progress(wanted.length)
  const settled: Step[] = []
  const carryOut = async (step: Step): Promise<Step> => {
    const { id, pet, version } = step.wanted
    const written = await writeItem(place, id, step.found, pet, version)
    if (written.isWritten) return step
    const next = decide(step.wanted, written.now, restores)
    if (isWrite(next)) return carryOut(next)
    // The SDK retries a write when its response is lost.
    return next.kind === 'leave' ? step : next
  }
  const changeOf = ({ wanted: { id, pet }, found }: Step): Change => {
    return { action, ids: [`${id}`], old: found?.pet ?? null, new: pet ?? null }
  }
  const begun = new Set<Step>()
  const work = async (step: Step): Promise<void> => {
    begun.add(step)
    const done = await carryOut(step)
    settled.push(done)
    if (done.kind === 'conflict') await audit?.([{ ...changeOf(step), refused: 'changed meanwhile' }])
  }
  await interruptible(signal, howToGoOn, async () => {
    for (let start = 0; start < wanted.length; start += keysAtOnce) {
      signal.throwIfAborted()
      const batch = wanted.slice(start, start + keysAtOnce)
      const ids = batch.map(({ id }) => id)
      const found = await findItems(place, ids)
      const steps = batch.map((one) => decide(one, found.get(one.id), restores))
      const writes = audit === undefined ? [] : steps.filter(isWrite)
      settled.push(...steps.filter((step) => audit === undefined || !isWrite(step)))
      if (writes.length > 0) await audit?.(writes.map(changeOf))
      await workThrough(writes, work, { perSecond, signal })
      const rest = writes.filter((step) => !begun.has(step))
      if (rest.length > 0) await audit?.(rest.map((step) => ({ ...changeOf(step), refused: 'interrupted' })))
      advance(batch.length)
    }
    signal.throwIfAborted()
  })
  return reportOf(settled, audit === undefined)
}

const wordsOf = (kind: string, count: number): string =>
  kind === kinds.conflict ? amountOf(count, 'conflict') : `${amount(count)} ${kind}`

/** Of the rows of a file, it lists conflicts alone, unless nothing was done. */
const reportOf = (settled: readonly Step[], isTrial: boolean): Report => {
  const listed = settled
    .filter((step) => step.kind === 'conflict' || (isWrite(step) && (isTrial || step.wanted.line === undefined)))
    .toSorted((one, other) => (one.wanted.line ?? 0) - (other.wanted.line ?? 0))
    .map(describe)
  const byKind = Map.groupBy(settled, ({ kind }) => kinds[kind])
  const counts = Object.fromEntries(Object.values(kinds).map((kind) => [kind, byKind.get(kind)?.length ?? 0]))
  const sum = Object.entries(counts).flatMap(([kind, count]) => (count === 0 ? [] : [wordsOf(kind, count)]))
  const last = `${isTrial ? 'Would be: ' : ''}${sum.join(', ') || 'no pets'}.`
  return {
    json: { ...counts, steps: listed.map(({ json }) => json) },
    text: [...listed.map(({ text }) => text), last].join('\n'),
    ...(byKind.has('conflicts') && { exitCode: 1 }),
  }
}

/** The pets of a step: before and after it, or those of a conflict. */
const describe = ({ kind, wanted: { line, version, pet }, found }: Step) => {
  const theirs = found?.pet
  const isOther = isTaken(version, found)
  const old = isOther || pet === undefined ? undefined : findOld(version, pet, theirs)
  const done = kind === 'create' ? { new: { ...pet, id: undefined } } : { old: theirs, new: pet }
  const pets = Object.entries(kind === 'conflict' ? { old, theirs, yours: pet } : done)
  const gone = 'no pet has the id now: an import with --restore adds it'
  const changed = theirs === undefined ? gone : 'somebody else has changed the pet'
  const taken = 'another pet has got the id. Empty the id and the version of the row, and import it'
  const what = `${line === undefined ? '' : `line ${line}: `}${kind}`
  const lines = pets.flatMap(([whose, one]) => (one === undefined ? [] : [`  ${whose}: ${printableJson(one)}`]))
  return {
    json: { line, action: kind, ...Object.fromEntries(pets) },
    text: [kind === 'conflict' ? `${what}, ${isOther ? taken : changed}` : what, ...lines].join('\n'),
  }
}
