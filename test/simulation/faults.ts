import { AsyncLocalStorage } from 'node:async_hooks'
import type { Random } from './random.ts'

/** The highest probability that a seed usually draws for a fault, for each step in which it can occur. */
const highestProbabilities = {
  'a call is throttled': 0.03,
  'a request of a call is lost': 0.02,
  'a response of a call is lost': 0.02,
  'a response to a caller is lost': 0.02,
  'an instance is frozen': 0.003,
  'an instance is killed': 0.005,
  'a command is killed': 0.02,
} as const

type FaultName = keyof typeof highestProbabilities

/** The fate of a call of DynamoDB or API Gateway. */
export type Fate = 'done' | 'throttled' | 'request lost' | 'response lost'

/** Factor of a fault that is frequent in a simulation. */
const stormFactor = 10

/** Factor of the probability that an instance is frozen or killed at a rare call, and the highest one that it gives. */
const rareCallFactor = 30
const highestRaisedProbability = 0.2

const shortestFreezeMilliseconds = 100
const longestFreezeMilliseconds = 180_000

interface FaultsOptions {
  readonly random: Random
  /** Whether faults can occur now. The index lags at all times. */
  readonly isActive: () => boolean
  /** Learns each fault. The lag of the index does not count as a fault. */
  readonly onFault: (name: FaultName) => void
}

/**
 * The faults of a simulation. The seed draws how likely each one is, so that simulations differ in kind: some have
 * none, in some everything fails now and then, and in some one thing fails often.
 */
export class Faults {
  readonly #options: FaultsOptions
  readonly #probabilities = new Map<FaultName, number>()
  readonly #longestIndexLag: number
  /** The number of faults that the present work has met. */
  readonly #met = new AsyncLocalStorage<{ count: number }>()

  constructor(options: FaultsOptions) {
    this.#options = options
    const { random } = options
    for (const [name, highest] of Object.entries(highestProbabilities)) {
      const isAbsent = random.chance(0.4)
      const factor = random.chance(0.1) ? stormFactor : 1
      const probability = random.between(0, highest) * factor
      // Object.entries forgets that each name is a FaultName.
      this.#probabilities.set(name as FaultName, isAbsent ? 0 : probability)
    }
    this.#longestIndexLag = random.pick([20, 1_000, 5_000])
  }

  /** Does some work, such as a call of a client, and counts the faults that it meets. */
  async countDuring<Result>(work: () => Promise<Result>): Promise<{ readonly result: Result; readonly count: number }> {
    const met = { count: 0 }
    const result = await this.#met.run(met, work)
    return { result, count: met.count }
  }

  /**
   * Draws whether a fault occurs now.
   *
   * @param raise changes the probability that the seed drew
   */
  draw(name: FaultName, raise = (probability: number) => probability): boolean {
    const { random, isActive, onFault } = this.#options
    const probability = this.#probabilities.get(name) ?? 0
    if (!random.chance(raise(probability)) || !isActive()) return false
    const met = this.#met.getStore()
    if (met !== undefined) met.count += 1
    onFault(name)
    return true
  }

  drawCall(): Fate {
    if (this.draw('a call is throttled')) return 'throttled'
    if (this.draw('a request of a call is lost')) return 'request lost'
    if (this.draw('a response of a call is lost')) return 'response lost'
    return 'done'
  }

  /** Draws for how many milliseconds an instance stands still before its next step; 0 if it goes on. */
  drawFreeze(isRareCall: boolean): number {
    if (!this.draw('an instance is frozen', isRareCall ? raiseForRareCall : undefined)) return 0
    // Half of the freezes are shorter than about four seconds.
    const ratio = longestFreezeMilliseconds / shortestFreezeMilliseconds
    return shortestFreezeMilliseconds * ratio ** this.#options.random.next()
  }

  /** Draws whether an instance stops for good before its next step. */
  drawKill(isRareCall: boolean): boolean {
    return this.draw('an instance is killed', isRareCall ? raiseForRareCall : undefined)
  }

  /** Draws the milliseconds by which a partition of the index is behind the table. */
  drawIndexLag(): number {
    return this.#options.random.between(5, this.#longestIndexLag)
  }

  describe(): string {
    const likely = [...this.#probabilities].filter(([, probability]) => probability > 0)
    const parts = likely.map(([name, probability]) => `${name} (${(probability * 100).toFixed(1)} %)`)
    return [...parts, `the index is up to ${this.#longestIndexLag / 1_000} s behind`].join(', ')
  }
}

const raiseForRareCall = (probability: number): number =>
  Math.max(probability, Math.min(probability * rareCallFactor, highestRaisedProbability))
