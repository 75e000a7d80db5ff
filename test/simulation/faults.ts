import { AsyncLocalStorage } from 'node:async_hooks'
import { authorizerTimeoutSeconds } from '../../shared/timeouts.ts'
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

/** The highest probability to which a weight raises that of a fault. */
const highestWeightedProbability = 0.2

const shortestFreezeMilliseconds = 100
const longestFreezeMilliseconds = 180_000

/** Milliseconds by which the clock of an operator's machine may differ from the time. */
const largestClockOffset = 30_000

/** Milliseconds by which the index is behind at most, if it does not lag. */
const smallestIndexLag = 20

/**
 * The longest time from the response of the authorizer until API Gateway meters its request. AWS documents none;
 * `gateway-keys` allows for as much.
 */
const longestEdgeMilliseconds = authorizerTimeoutSeconds * 1_000

interface FaultsOptions {
  readonly random: Random
  /** The faults that can occur. */
  readonly enabled: ReadonlySet<FaultName>
  /** Whether faults can occur now. The index lags, and the clocks of operators are off, at all times. */
  readonly isActive: () => boolean
  /** Learns each fault. The lag of the index, a slow edge and the clocks of operators are none. */
  readonly onFault: (name: FaultName) => void
}

/**
 * The faults of a simulation. The seed draws how likely each one is, so that simulations differ in kind: some have
 * none, in some everything fails now and then, and in some one thing fails often.
 */
export class Faults {
  readonly #random: Random
  readonly #enabled: ReadonlySet<FaultName>
  readonly #isActive: () => boolean
  readonly #onFault: (name: FaultName) => void
  readonly #probabilities = new Map<FaultName, number>()
  readonly #longestIndexLag: number
  readonly #slowEdgeProbability: number
  readonly #largestClockOffset: number
  /** The faults that the present work has met. */
  readonly #met = new AsyncLocalStorage<{ count: number }>()

  constructor({ random, enabled, isActive, onFault }: FaultsOptions) {
    this.#random = random
    this.#enabled = enabled
    this.#isActive = isActive
    this.#onFault = onFault
    // Every number is drawn, also for faults that cannot occur, so that the others stay the same without them.
    for (const name of Object.keys(highestProbabilities) as DrawnFault[]) {
      const probability = this.#drawProbability(highestProbabilities[name])
      this.#probabilities.set(name, enabled.has(name) ? probability : 0)
    }
    const longestIndexLag = random.pick([smallestIndexLag, 1_000, 5_000])
    this.#longestIndexLag = enabled.has('index-lag') ? longestIndexLag : smallestIndexLag
    const slowEdgeProbability = random.pick([0, 0.02, 0.1])
    this.#slowEdgeProbability = enabled.has('slow-edge') ? slowEdgeProbability : 0
    const clockOffset = random.pick([0, largestClockOffset])
    this.#largestClockOffset = enabled.has('operator-clocks') ? clockOffset : 0
  }

  /** Whether a fault can occur now, also where a caller or an operator draws it. */
  canOccur(name: FaultName): boolean {
    return this.#enabled.has(name) && this.#isActive()
  }

  /** Does some work, such as a call of a client, and counts the faults that it meets. */
  async countDuring<Result>(work: () => Promise<Result>): Promise<{ readonly result: Result; readonly count: number }> {
    const met = { count: 0 }
    const result = await this.#met.run(met, work)
    return { result, count: met.count }
  }

  drawCall(): Fate {
    if (this.#occurs('throttled-calls')) return 'throttled'
    if (this.#occurs('lost-requests')) return 'request lost'
    if (this.#occurs('lost-responses')) return 'response lost'
    return 'done'
  }

  /**
   * Draws for how many milliseconds a process stands still before its next step; 0 if it goes on.
   *
   * @param weight factor of the probability
   */
  drawFreeze(weight: number): number {
    if (!this.#occurs('freezes', weight)) return 0
    // Half of the freezes are shorter than about four seconds.
    const ratio = longestFreezeMilliseconds / shortestFreezeMilliseconds
    return shortestFreezeMilliseconds * ratio ** this.#random.next()
  }

  /**
   * Draws whether a process stops for good before its next step.
   *
   * @param weight factor of the probability
   */
  drawKill(weight: number): boolean {
    return this.#occurs('kills', weight)
  }

  /** Draws whether a caller does not get the response to its request. */
  drawLossOfResponseToCaller(): boolean {
    return this.#occurs('lost-responses-to-callers')
  }

  /** Draws the milliseconds by which a partition of the index is behind the table. */
  drawIndexLag(): number {
    return this.#random.between(5, this.#longestIndexLag)
  }

  /** Draws the milliseconds from the response of the authorizer until API Gateway meters its request. */
  drawEdgeDelay(): number {
    const isSlow = this.#random.chance(this.#slowEdgeProbability)
    return isSlow ? this.#random.between(0, longestEdgeMilliseconds) : 0
  }

  /** Draws the milliseconds by which the clock of an operator's machine differs from the time. */
  drawClockOffset(): number {
    return this.#random.integer(-this.#largestClockOffset, this.#largestClockOffset)
  }

  describe(): string {
    const parts = faultNames.flatMap((name) => {
      const probability = this.#probabilities.get(name) ?? 0
      return probability === 0 ? [] : [`${name} ${(probability * 100).toFixed(1)} %`]
    })
    return [
      ...parts,
      `index up to ${this.#longestIndexLag / 1_000} s behind`,
      `edge slow for ${this.#slowEdgeProbability * 100} %`,
      `operators' clocks up to ${this.#largestClockOffset / 1_000} s off`,
    ].join(', ')
  }

  #drawProbability(highest: number): number {
    const isAbsent = this.#random.chance(0.4)
    const isStorm = this.#random.chance(0.1)
    const probability = this.#random.between(0, highest)
    if (isAbsent) return 0
    return isStorm ? probability * stormFactor : probability
  }

  #occurs(name: DrawnFault, weight = 1): boolean {
    const probability = this.#probabilities.get(name) ?? 0
    const weighted = Math.max(probability, Math.min(probability * weight, highestWeightedProbability))
    if (!this.#random.chance(weighted) || !this.#isActive()) return false
    const met = this.#met.getStore()
    if (met !== undefined) met.count += 1
    this.#onFault(name)
    return true
  }
}
