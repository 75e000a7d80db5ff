import { type FaultName, faultNames } from './parts.ts'
import type { Random } from './random.ts'

/** The fate of a call of DynamoDB or API Gateway. */
export type Fate = 'done' | 'throttled' | 'request lost' | 'response lost'

/** The highest probability that a seed usually draws for a fault, for each step in which it can occur. */
const highestProbabilities = {
  'throttled-calls': 0.03,
  'lost-requests': 0.02,
  'lost-responses': 0.02,
  'lost-responses-to-callers': 0.02,
  freezes: 0.003,
  kills: 0.005,
} as const satisfies Partial<Record<FaultName, number>>

type DrawnFault = keyof typeof highestProbabilities

/** Factor of a fault that is frequent in a simulation. */
const stormFactor = 10

const shortestFreezeMilliseconds = 100
const longestFreezeMilliseconds = 180_000

/** Milliseconds by which the index is behind at most, if it does not lag. */
const smallestIndexLag = 20

interface FaultsOptions {
  readonly random: Random
  /** The faults that can occur. */
  readonly enabled: ReadonlySet<FaultName>
  /** Whether faults can occur now. The index lags at all times. */
  readonly isActive: () => boolean
  /** Called at each fault, but not for the lag of the index, which is no fault. */
  readonly onFault: (name: FaultName) => void
}

/**
 * The faults of a simulation. The seed draws how likely each one is, so that simulations differ in kind: some have
 * none, in some everything fails now and then, and in some one thing fails often.
 */
export class Faults {
  readonly #random: Random
  readonly #isActive: () => boolean
  readonly #onFault: (name: FaultName) => void
  readonly #probabilities = new Map<FaultName, number>()
  readonly #longestIndexLag: number
  #count = 0

  constructor({ random, enabled, isActive, onFault }: FaultsOptions) {
    this.#random = random
    this.#isActive = isActive
    this.#onFault = onFault
    // Every number is drawn, also for faults that cannot occur, so that the others stay the same without them.
    for (const name of Object.keys(highestProbabilities) as DrawnFault[]) {
      const probability = this.#drawProbability(highestProbabilities[name])
      this.#probabilities.set(name, enabled.has(name) ? probability : 0)
    }
    const longestIndexLag = random.pick([smallestIndexLag, 1_000, 5_000])
    this.#longestIndexLag = enabled.has('index-lag') ? longestIndexLag : smallestIndexLag
  }

  /** Number of faults until now. */
  get count(): number {
    return this.#count
  }

  drawCall(): Fate {
    if (this.#occurs('throttled-calls')) return 'throttled'
    if (this.#occurs('lost-requests')) return 'request lost'
    if (this.#occurs('lost-responses')) return 'response lost'
    return 'done'
  }

  /** Draws for how many milliseconds a process stands still before its next step; 0 if it goes on. */
  drawFreeze(): number {
    if (!this.#occurs('freezes')) return 0
    // Half of the freezes are shorter than about four seconds.
    const ratio = longestFreezeMilliseconds / shortestFreezeMilliseconds
    return shortestFreezeMilliseconds * ratio ** this.#random.next()
  }

  /** Draws whether a process stops for good before its next step. */
  drawKill(): boolean {
    return this.#occurs('kills')
  }

  /** Draws whether a caller does not get the response to its request. */
  drawLossOfResponseToCaller(): boolean {
    return this.#occurs('lost-responses-to-callers')
  }

  /** Draws the milliseconds by which a partition of the index is behind the table. */
  drawIndexLag(): number {
    return this.#random.between(5, this.#longestIndexLag)
  }

  describe(): string {
    const parts = faultNames.flatMap((name) => {
      const probability = this.#probabilities.get(name) ?? 0
      return probability === 0 ? [] : [`${name} ${(probability * 100).toFixed(1)} %`]
    })
    return [...parts, `index up to ${this.#longestIndexLag / 1_000} s behind`].join(', ')
  }

  #drawProbability(highest: number): number {
    const isAbsent = this.#random.chance(0.4)
    const isStorm = this.#random.chance(0.1)
    const probability = this.#random.between(0, highest)
    if (isAbsent) return 0
    return isStorm ? probability * stormFactor : probability
  }

  #occurs(name: DrawnFault): boolean {
    const occurs = this.#random.chance(this.#probabilities.get(name) ?? 0)
    if (!occurs || !this.#isActive()) return false
    this.#count += 1
    this.#onFault(name)
    return true
  }
}
