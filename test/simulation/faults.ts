import type { Random } from './random.ts'

/** The fate of a call of DynamoDB. */
export type Fate = 'done' | 'throttled' | 'request lost' | 'response lost'

/**
 * The faults of a simulation. The seed draws how likely each one is, so that simulations differ in kind: some have
 * none, and in some everything fails often.
 */
export class Faults {
  readonly #random: Random
  readonly #throttled: number
  readonly #requestLost: number
  readonly #responseLost: number
  readonly #freeze: number
  readonly #kill: number
  readonly #responseToCallerLost: number
  readonly #longestIndexLag: number
  #hasEnded = false

  constructor(random: Random) {
    this.#random = random
    const drawProbability = (highest: number): number => (random.chance(0.4) ? 0 : random.between(0, highest))
    this.#throttled = drawProbability(0.03)
    this.#requestLost = drawProbability(0.02)
    this.#responseLost = drawProbability(0.02)
    this.#freeze = drawProbability(0.003)
    this.#kill = drawProbability(0.005)
    this.#responseToCallerLost = drawProbability(0.02)
    this.#longestIndexLag = random.pick([20, 1_000, 5_000])
  }

  /** Ends all faults. The index still lags. */
  end(): void {
    this.#hasEnded = true
  }

  drawCall(): Fate {
    if (this.#occurs(this.#throttled)) return 'throttled'
    if (this.#occurs(this.#requestLost)) return 'request lost'
    if (this.#occurs(this.#responseLost)) return 'response lost'
    return 'done'
  }

  /** Draws for how many milliseconds a process stands still before its next step; 0 if it goes on. */
  drawFreeze(): number {
    return this.#occurs(this.#freeze) ? this.#random.between(100, 180_000) : 0
  }

  /** Draws whether a process stops for good before its next step. */
  drawKill(): boolean {
    return this.#occurs(this.#kill)
  }

  drawLossOfResponse(): boolean {
    return this.#occurs(this.#responseToCallerLost)
  }

  /** Draws the milliseconds by which a partition of the index is behind the table. */
  drawIndexLag(): number {
    return this.#random.between(5, this.#longestIndexLag)
  }

  describe(): string {
    const percent = (probability: number) => `${(probability * 100).toFixed(1)} %`
    return (
      `throttled calls ${percent(this.#throttled)}, lost requests ${percent(this.#requestLost)}, ` +
      `lost responses ${percent(this.#responseLost)} and ${percent(this.#responseToCallerLost)}, ` +
      `freezes ${percent(this.#freeze)}, kills ${percent(this.#kill)}, ` +
      `index up to ${this.#longestIndexLag / 1_000} s behind`
    )
  }

  #occurs(probability: number): boolean {
    return !this.#hasEnded && this.#random.chance(probability)
  }
}
