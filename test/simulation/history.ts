import { createHash } from 'node:crypto'
import type { Invariant } from './invariants.ts'
import type { VirtualTime } from './virtual-time.ts'

/** An event of one subject, such as a key or a pet. */
interface HistoryEvent {
  readonly hours: number
  readonly subject: string
  readonly text: string
}

/** A broken invariant. */
export interface Violation {
  readonly invariant: Invariant
  readonly text: string
  /** The last events of the subject, and the faults since the first of these, one a line. */
  readonly events: readonly string[]
}

/** Counts of what has happened since the first request. */
export interface Totals {
  requests: number
  successes: number
  limited: number
  otherErrors: number
  failures: number
  lost: number
  faults: number
  commands: number
}

const keptEvents = 200_000

/** The most events of a subject, and the most faults, that a violation shows. */
const shownEvents = 25

/** Subject of the events that are faults. */
export const faultSubject = 'fault'

/** The events of a simulation, and its broken invariants. */
export class History {
  readonly violations: Violation[] = []
  readonly totals: Totals = {
    requests: 0,
    successes: 0,
    limited: 0,
    otherErrors: 0,
    failures: 0,
    lost: 0,
    faults: 0,
    commands: 0,
  }
  readonly #time: VirtualTime
  readonly #events: HistoryEvent[] = []
  readonly #hash = createHash('sha256')

  constructor(time: VirtualTime) {
    this.#time = time
  }

  note(subject: string, text: string): void {
    const event = { hours: this.#time.hours, subject, text: removePlaces(text) }
    this.#events.push(event)
    if (this.#events.length > 2 * keptEvents) this.#events.splice(0, keptEvents)
    this.#hash.update(`${subject} ${formatEvent(event)}\n`)
  }

  /** A hash of all events up to now. Two simulations with the same one have the same history. */
  get digest(): string {
    return this.#hash.copy().digest('hex')
  }

  /** Counts what happens, but for the warm-up. */
  count(name: keyof Totals): void {
    if (this.#time.hours >= 0) this.totals[name] += 1
  }

  /** Records that an invariant is broken. Of each invariant the first violation is kept. */
  report(invariant: Invariant, subject: string, text: string): void {
    if (this.violations.some((violation) => violation.invariant === invariant)) return
    const events = this.#events.filter((event) => event.subject === subject).slice(-shownEvents)
    const begin = events[0]?.hours ?? 0
    const faults = this.#events.filter((event) => event.subject === faultSubject && event.hours >= begin)
    const shown = [...events, ...faults.slice(-shownEvents)].toSorted((one, other) => one.hours - other.hours)
    this.violations.push({
      invariant,
      text: `${formatHours(this.#time.hours)} ${subject}: ${text}`,
      events: shown.map(formatEvent),
    })
  }
}

/** Removes what differs between machines and runs: the stacks of errors, and the names of temporary folders. */
const removePlaces = (text: string): string =>
  text.replaceAll(/\n\s*'? +at .*/g, '').replaceAll(/[^\s"']*\/pet-adoption-([a-z]+)-\w{6}\b/g, '$1')

const formatEvent = ({ hours, subject, text }: HistoryEvent): string => {
  const label = subject === faultSubject ? 'fault: ' : ''
  return `${formatHours(hours)} ${label}${text}`
}

/** Formats hours since the first request, such as `17:04:59.321`, and `-00:30:00.000` for the warm-up. */
const formatHours = (hours: number): string => {
  const milliseconds = Math.round(Math.abs(hours) * 3_600_000)
  const pad = (value: number, length = 2) => String(Math.floor(value)).padStart(length, '0')
  const seconds = pad((milliseconds / 1_000) % 60)
  const sign = hours < 0 ? '-' : ''
  return `${sign}${pad(milliseconds / 3_600_000)}:${pad((milliseconds / 60_000) % 60)}:${seconds}.${pad(milliseconds % 1_000, 3)}`
}
