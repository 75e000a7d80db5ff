/** Invariants of lists, as the README promises them. */
import type { History } from './history.ts'
import type { VirtualTime } from './virtual-time.ts'

/** The last change of an animal's item. */
interface Version {
  readonly at: number
  /** Whether the id has no animal any more. */
  readonly isVoid: boolean
}

/** Time after which a change is in every list: the index of a simulation is at most five seconds behind. */
const indexMarginMilliseconds = 6_000

export class ListRules {
  readonly #time: VirtualTime
  readonly #history: History
  readonly #versions = new Map<number, Version>()

  constructor(time: VirtualTime, history: History) {
    this.#time = time
    this.#history = history
  }

  /** An animal was stored or changed, or its item became void. */
  recordVersion(id: number, isVoid: boolean): void {
    this.#versions.set(id, { at: this.#time.now, isVoid })
  }

  /** Checks the ids of one page. */
  checkPage(ids: readonly number[]): void {
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
    if (repeated !== undefined) this.#history.report('a list repeats no animal', String(repeated), ids.join(', '))
  }

  /**
   * Checks the ids of all pages of a list.
   *
   * @param begin the time at which its first page was requested
   */
  checkList(ids: readonly number[], begin: number): void {
    this.checkPage(ids)
    const listed = new Set(ids)
    for (const [id, { at, isVoid }] of this.#versions) {
      const isSettled = at < begin - indexMarginMilliseconds
      if (!isSettled || isVoid === !listed.has(id)) continue
      const text = isVoid ? 'a removed animal is listed' : 'is missing'
      this.#history.report('a list has each animal that did not just change', String(id), text)
    }
  }
}
