import type { Pet } from '../../../shared/pets/pet.ts'
import { allEnded, progress, workThrough } from '../../command-line/long-work.ts'
import { printableJson } from '../../command-line/printable.ts'
import { amount, amountOf, type Report } from '../../command-line/report.ts'
import type { Audit, Change } from '../target/audit.ts'
import type { Place } from '../target/carry-out.ts'
import { findItems, type PetItem, writeItem } from './pet-items.ts'
import { isSamePet, type Version } from './rows/version.ts'

/** What an id is to have. */
export interface Wanted {
  /** Of the file that says so. */
  readonly line?: number
  readonly id: bigint
  /** Of the pet that it has, as far as whoever wants this knows. */
  readonly version: Version | undefined
  /** Undefined where the pet is to be removed. */
  readonly pet: Pet | undefined
}

/** What is done about an id, and how it is counted. */
const kinds = {
  create: 'created',
  change: 'changed',
  restore: 'restored',
  remove: 'removed',
  /** It is as it is to be: an earlier run may have done it. */
  leave: 'left',
  /** Somebody else has changed or removed the pet since: nothing is done. */
  conflict: 'conflicts',
} as const

/** What is done about an id, by the item that was found there. */
interface Step {
  readonly kind: keyof typeof kinds
  readonly wanted: Wanted
  readonly found: PetItem | undefined
}

/** How a file is imported. */
export interface Rules {
  /** Whether a pet is added under an id that has none. */
  readonly restore?: boolean | undefined
  /** Whether a pet is changed that somebody else has changed since. */
  readonly overwrite?: boolean | undefined
  /** Pets that are written a second, at most. */
  readonly perSecond?: number | undefined
}

const kindOf = (
  { version, pet }: Wanted,
  found: PetItem | undefined,
  { restore = false, overwrite }: Rules,
): Step['kind'] => {
  const theirs = found?.pet
  if (version?.importId !== undefined) {
    if (found === undefined) return 'create'
    if (isTaken(version, found)) return 'conflict'
    // The pet was added. What others did to it since is no matter of a row that nobody has edited.
    if (isSamePet(pet, version.pet) && (theirs !== undefined || !restore)) return 'leave'
  }
  if (isSamePet(theirs, pet)) return 'leave'
  if (theirs === undefined) return restore ? 'restore' : 'conflict'
  if (!overwrite && !isSamePet(theirs, version?.pet)) return 'conflict'
  return pet === undefined ? 'remove' : 'change'
}

/** Whether the id of a new pet has another one. */
const isTaken = (version: Version | undefined, found: PetItem | undefined): boolean =>
  version?.importId !== undefined && found !== undefined && found.attributes['attemptId'] !== version.importId

const isWrite = ({ kind }: Step): boolean => kind !== 'leave' && kind !== 'conflict'

interface Task extends Rules {
  /** For the audit, such as `pets set`. */
  readonly action: string
  readonly wanted: readonly Wanted[]
  readonly signal: AbortSignal
}

/**
 * Gives ids what they are to have, each by one conditional write that is recorded before it is made. Without an audit nothing
 * is written, and the report says what would be.
 */
export const settle = async (
  place: Place & { readonly audit?: Audit },
  { action, wanted, signal, ...rules }: Task,
): Promise<Report> => {
  const { audit } = place
  const sum = new Map<string, number>(Object.values(kinds).map((kind) => [kind, 0]))
  const listed: Step[] = []
  /** Of the rows of a file, conflicts alone are listed, unless nothing was done. */
  const take = (step: Step): void => {
    const kind = kinds[step.kind]
    sum.set(kind, (sum.get(kind) ?? 0) + 1)
    const isShown = isWrite(step) && (audit === undefined || step.wanted.line === undefined)
    if (isShown || step.kind === 'conflict') listed.push(step)
  }
  const decide = (one: Wanted, found: PetItem | undefined): Step => {
    return { kind: kindOf(one, found, rules), wanted: one, found }
  }
  const changeOf = ({ wanted: { id, pet }, found }: Step): Change => {
    return { action, ids: [`${id}`], old: found?.pet ?? null, new: pet ?? null }
  }
  const write = async (step: Step): Promise<Step> => {
    const { id, pet, version } = step.wanted
    const refusal = await writeItem(place, id, step.found, pet, version?.importId ?? 'restore')
    if (refusal === undefined) return step
    const next = decide(step.wanted, refusal.now)
    if (isWrite(next)) return write(next)
    // The SDK retries a write when its response is lost.
    return next.kind === 'leave' ? step : next
  }
  const carryOut = async (step: Step): Promise<void> => {
    const done = await write(step)
    take(done)
    if (done.kind === 'conflict') await audit?.([{ ...changeOf(step), refused: 'changed meanwhile' }])
  }
  const settleBatch = async (batch: readonly Wanted[]): Promise<void> => {
    const ids = batch.map(({ id }) => id)
    const found = await findItems(place, ids)
    const steps = batch.map((one) => decide(one, found.get(one.id)))
    const writes = audit === undefined ? [] : steps.filter(isWrite)
    for (const step of steps) if (!writes.includes(step)) take(step)
    if (writes.length > 0) await audit?.(writes.map(changeOf))
    await allEnded(writes.map(carryOut))
  }
  await workThrough(wanted, settleBatch, { ...rules, signal, advance: progress('pets', wanted.length) })
  return reportOf(sum, listed, audit === undefined)
}

const wordsOf = (kind: string, count: number): string =>
  kind === kinds.conflict ? amountOf(count, 'conflict') : `${amount(count)} ${kind}`

const reportOf = (sum: ReadonlyMap<string, number>, listed: readonly Step[], isTrial: boolean): Report => {
  const steps = listed.toSorted((one, other) => (one.wanted.line ?? 0) - (other.wanted.line ?? 0)).map(describe)
  const words = [...sum].filter(([, count]) => count > 0).map(([kind, count]) => wordsOf(kind, count))
  const last = `${isTrial ? 'Would be: ' : ''}${words.join(', ') || 'no pets'}.`
  return {
    json: { ...Object.fromEntries(sum), steps: steps.map(({ json }) => json) },
    text: [...steps.map(({ text }) => text), last].join('\n'),
    ...(sum.get(kinds.conflict) !== 0 && { exitCode: 1 }),
  }
}

/** The pets of a step: before and after it, or those of a conflict. */
const describe = ({ kind, wanted: { line, version, pet }, found }: Step) => {
  const theirs = found?.pet
  const isOther = isTaken(version, found)
  const gone = 'no pet has the id now: an import with --restore adds it'
  const changed = theirs === undefined ? gone : 'somebody else has changed the pet'
  const taken = 'another pet has got the id. Empty the id and the version of the row, and import it'
  const conflict = { old: isOther ? undefined : version?.pet, theirs, yours: pet }
  const done = kind === 'create' ? { new: { ...pet, id: undefined } } : { old: theirs, new: pet }
  const pets = Object.entries(kind === 'conflict' ? conflict : done)
  const what = `${line === undefined ? '' : `line ${line}: `}${kind}`
  const lines = pets.flatMap(([whose, one]) => (one === undefined ? [] : [`  ${whose}: ${printableJson(one)}`]))
  return {
    json: { line, action: kind, ...Object.fromEntries(pets) },
    text: [kind === 'conflict' ? `${what}, ${isOther ? taken : changed}` : what, ...lines].join('\n'),
  }
}
