import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { assignPetId, type Pet, petFields } from '../../../shared/pets/pet.ts'
import { processInBatches, waitForAll } from '../../command-line/long-work.ts'
import { printableJson } from '../../command-line/printable.ts'
import { formatNumber, type Report } from '../../command-line/report.ts'
import type { Audit, Change } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import { findItems, petIn, writeItem } from './pet-items.ts'
import type { Version } from './rows/format.ts'

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

export interface Task {
  /** For the audit, such as `pets set`. */
  readonly action: string
  readonly wanted: readonly Wanted[]
  readonly signal: AbortSignal
  /** Whether a pet is added under an id that has none. */
  readonly restore?: boolean | undefined
  /** Whether a pet is changed that somebody else has changed since. */
  readonly overwrite?: boolean | undefined
  /** Pets that are written a second, at most. */
  readonly perSecond?: number | undefined
}

/** What becomes of an id. It is left where it is as it is to be: an earlier run may have done it. */
const outcomes = ['created', 'changed', 'restored', 'removed', 'left', 'refused'] as const

type Outcome = (typeof outcomes)[number]

interface Step {
  readonly outcome: Outcome
  /** Why it is refused: somebody else was first. */
  readonly reason: string | undefined
  readonly wanted: Wanted
  readonly found: Attributes | undefined
}

/** What is to become of an id, by the item that was found there. */
const decide = ({ restore = false, overwrite }: Task, wanted: Wanted, found: Attributes | undefined): Step => {
  const step = (outcome: Outcome, reason?: string): Step => ({ outcome, reason, wanted, found })
  const { version, pet } = wanted
  const theirs = petIn(found)
  if (version?.importId !== undefined) {
    if (found === undefined) return step('created')
    if (found['attemptId'] !== version.importId) return step('refused', taken)
    // The pet was added. What others did to it since is no matter of a row that nobody has edited.
    if (isSamePet(pet, version) && (theirs !== undefined || !restore)) return step('left')
  }
  if (isSamePet(theirs, pet)) return step('left')
  if (theirs === undefined) return restore ? step('restored') : step('refused', gone)
  if (!overwrite && !isSamePet(theirs, version)) return step('refused', 'somebody else has changed the pet')
  return step(pet === undefined ? 'removed' : 'changed')
}

const taken = 'another pet has got the id. Empty the id and the version of the row, and import it'
const gone = 'no pet has the id now: an import with --restore adds it'

const isSamePet = (one: Pet | undefined, other: Pet | undefined): boolean =>
  petFields.every((field) => one?.[field] === other?.[field])

const isWrite = ({ outcome }: Step): boolean => outcome !== 'left' && outcome !== 'refused'

/**
 * Gives ids what they are to have, each by one conditional write that is recorded before it is made. Without an audit nothing
 * is written, and the report says what would be.
 */
export const settle = async (environment: Environment, audit: Audit | undefined, task: Task): Promise<Report> => {
  const { action, wanted } = task
  // Every outcome is there.
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, 0])) as Record<Outcome, number>
  const listed: Step[] = []
  const take = (step: Step): void => {
    counts[step.outcome] += 1
    // What is written of a file is only counted.
    const isShown = isWrite(step) && (audit === undefined || step.wanted.line === undefined)
    if (isShown || step.outcome === 'refused') listed.push(step)
  }
  const changeOf = ({ wanted: { id, pet }, found }: Step): Change => {
    return { action, ids: [`${id}`], old: petIn(found) ?? null, new: pet ?? null }
  }
  const carryOut = async (step: Step): Promise<void> => {
    const { id, pet, version } = step.wanted
    const refusal = await writeItem(environment, id, step.found, pet, version?.importId ?? 'restore')
    if (refusal === undefined) return take(step)
    const next = decide(task, step.wanted, refusal.now)
    if (isWrite(next)) return carryOut(next)
    // The SDK retries a write when its response is lost.
    take(next.outcome === 'left' ? step : next)
    if (next.outcome === 'refused') await audit?.record([{ ...changeOf(step), failed: 'changed meanwhile' }])
  }
  const settleBatch = async (batch: readonly Wanted[]): Promise<void> => {
    const ids = batch.map(({ id }) => id)
    const found = await findItems(environment, ids)
    const steps = batch.map((one) => decide(task, one, found.get(one.id)))
    const writes = audit === undefined ? [] : steps.filter(isWrite)
    for (const step of steps) if (!writes.includes(step)) take(step)
    if (writes.length > 0) await audit?.record(writes.map(changeOf))
    await waitForAll(writes.map(carryOut))
  }
  await processInBatches('pets', wanted, settleBatch, task)
  const steps = listed.toSorted((one, other) => (one.wanted.line ?? 0) - (other.wanted.line ?? 0)).map(entryOf)
  const sum = outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${formatNumber(counts[outcome])} ${outcome}`)
  const start = audit === undefined ? ['Nothing is written. It would be:'] : []
  return {
    json: { ...counts, steps },
    text: [...start, ...steps.map(textOf), `${sum.join(', ') || 'no pets'}.`].join('\n'),
    ...(counts.refused > 0 && { exitCode: 1 }),
  }
}

/** A step with its pets: before and after it, or those of a refusal. */
const entryOf = ({ outcome, reason, wanted: { line, id, version, pet }, found }: Step) => {
  const theirs = petIn(found)
  const refused = { old: version && assignPetId(id, version), theirs, yours: pet }
  const done = outcome === 'created' ? { new: { ...pet, id: undefined } } : { old: theirs, new: pet }
  return { line, outcome, reason, ...(outcome === 'refused' ? refused : done) }
}

const textOf = ({ line, outcome, reason, ...pets }: ReturnType<typeof entryOf>): string => {
  const what = line === undefined ? outcome : `line ${line}: ${outcome}`
  const shown = Object.entries(pets).filter(([, pet]) => pet !== undefined)
  const lines = shown.map(([whose, pet]) => `  ${whose}: ${printableJson(pet)}`)
  return [reason === undefined ? what : `${what}, ${reason}`, ...lines].join('\n')
}
