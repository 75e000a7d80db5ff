/**
 * History of one test, which begins at noon, in a virtual time of its own.
 *
 * @example
 * let history: TestHistory
 * beforeEach(() => {
 *   history = new TestHistory()
 * })
 *
 * it('is broken by an id that comes twice', () => {
 *   new ListRules(history.time, history).checkPage([3, 2, 3])
 *
 *   expect(history.listBroken()).toEqual(['a list repeats no animal'])
 * })
 */
import { setImmediate } from 'node:timers/promises'
import { noon } from '../fixtures/clock.ts'
import { History } from './history.ts'
import { VirtualTime } from './virtual-time.ts'

export class TestHistory extends History {
  readonly time: VirtualTime

  constructor() {
    const time = new VirtualTime(noon)
    super(time)
    this.time = time
  }

  /** Lists the broken invariants. */
  listBroken(): readonly string[] {
    return this.violations.map(({ invariant }) => invariant)
  }

  /** Lets virtual time pass until some work has ended. */
  async runToEnd<Result>(work: Promise<Result>): Promise<Result> {
    let hasEnded = false
    const end = work.finally(() => {
      hasEnded = true
    })
    while (!hasEnded) {
      await this.time.runUntil(() => hasEnded)
      await setImmediate()
    }
    return end
  }

  letPass(milliseconds: number): Promise<void> {
    return this.runToEnd(this.time.pause(milliseconds))
  }
}
