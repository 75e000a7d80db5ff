import type { Invariant } from './invariants.ts'
import type { VirtualTime } from './virtual-time.ts'

/** An event of one subject, such as a key or a pet. */
interface HistoryEvent {
  readonly at: number
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

/** The most events of a subject, and the most faults, that a violation shows. */
const shownEvents = 25

/** Subject of the events that are faults. */
export const faultSubject = 'fault'

/** The events of a simulation, what happened how often, and the broken invariants. */
export class History {
  readonly violations: Violation[] = []
  /** Numbers of what has happened, by its name. */
  readonly totals: Record<string, number> = {}
  readonly #time: VirtualTime
  readonly #events: HistoryEvent[] = []

  constructor(time: VirtualTime) {
    this.#time = time
  }

  note(subject: string, text: string): void {
    this.#events.push({ at: this.#time.now, subject, text })
  }

  count(name: string): void {
    this.totals[name] = (this.totals[name] ?? 0) + 1
  }

  /** Records that an invariant is broken. Of each invariant the first violation is kept. */
  report(invariant: Invariant, subject: string, text: string): void {
    if (this.violations.some((violation) => violation.invariant === invariant)) return
    const events = this.#events.filter((event) => event.subject === subject).slice(-shownEvents)
    const begin = events[0]?.at ?? 0
    const faults = this.#events.filter((event) => event.subject === faultSubject && event.at >= begin)
    const shown = [...events, ...faults.slice(-shownEvents)].toSorted((one, other) => one.at - other.at)
    this.violations.push({
      invariant,
      text: `${formatTime(this.#time.now)} ${subject}: ${text}`,
      events: shown.map(formatEvent),
    })
  }
}

const formatEvent = ({ at, subject, text }: HistoryEvent): string => {
  const label = subject === faultSubject ? 'fault: ' : ''
  return `${formatTime(at)} ${label}${text}`
}

/** Formats a time of the day of the simulation, such as `17:04:59.321`. */
const formatTime = (time: number): string => new Date(time).toISOString().slice(11, 23)
