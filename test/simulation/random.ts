/**
 * Random numbers of a simulation. The same seed gives the same numbers on every machine.
 *
 * @example
 * const random = new Random(7)
 * if (random.chance(0.1)) await pause(random.between(1, 30))
 */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Draws a number from 0 up to, but not including, 1, as `Math.random` does. It is the generator mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Draws a number between two others. */
  between(minimum: number, maximum: number): number {
    return minimum + this.next() * (maximum - minimum)
  }

  /** Draws a whole number. Both bounds can be drawn. */
  integer(minimum: number, maximum: number): number {
    return Math.floor(this.between(minimum, maximum + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Draws one of some values. */
  pick<Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.integer(0, values.length - 1)] ?? values[0]
  }

  /** Draws a time until the next of events that come at random, on average once in `mean`. */
  untilNext(mean: number): number {
    return -Math.log(1 - this.next()) * mean
  }

  fillBytes(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = this.integer(0, 255)
  }

  /** Creates random numbers of their own for a part of the simulation, which other parts do not change. */
  fork(): Random {
    return new Random(this.integer(0, 2 ** 32 - 1))
  }
}
