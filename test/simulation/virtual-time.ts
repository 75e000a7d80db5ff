/**
 * Virtual time: a process whose clocks and timers stand still until the simulation moves them on, and whose random
 * numbers come from a seed. So an hour passes in seconds, and each run of a seed makes the same history.
 *
 * `install` replaces the clocks, timers and random numbers of the whole process. So a simulation runs in a process of
 * its own.
 *
 * @example
 * const time = new VirtualTime(Date.UTC(2026, 10, 2))
 * time.install(new Random(7))
 * setTimeout(() => console.log(new Date()), 3_600_000)
 * await time.runUntil(() => false)
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import timerPromises from 'node:timers/promises'
import type { Random } from './random.ts'

/** A timer that waits for its time. Timers of the same time run in the order in which they were set. */
interface Timer {
  readonly at: number
  readonly run: () => void
  /** Node's timers have these methods. A virtual timer keeps no process running, so they do nothing. */
  readonly ref: () => Timer
  readonly unref: () => Timer
  readonly hasRef: () => boolean
}

const setImmediateOfNode = setImmediate

/** Waits until all promises that can settle have done so. */
const waitForPromises = (): Promise<void> => new Promise((resolve) => setImmediateOfNode(resolve))

export class VirtualTime {
  #now: number
  readonly #startedAt: number
  /** Timers in the order in which they run. */
  readonly #timers: Timer[] = []

  /** @param start the time at which the simulation begins, in milliseconds since the Unix epoch */
  constructor(start: number) {
    this.#now = start
    this.#startedAt = start
  }

  /** The present time in milliseconds since the Unix epoch. */
  get now(): number {
    return this.#now
  }

  readonly pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      this.#set(resolve, milliseconds)
    })

  /** Runs all timers, one after the other, until a condition is met or no timer is left. */
  async runUntil(isOver: () => boolean): Promise<void> {
    while (true) {
      // Promises settle before the next timer runs: setImmediate runs after all of them.
      await waitForPromises()
      if (isOver()) return
      const timer = this.#timers.shift()
      if (timer === undefined) return
      this.#now = Math.max(this.#now, timer.at)
      timer.run()
    }
  }

  /** Replaces the clocks, the timers and the random numbers of this process. */
  install(random: Random): void {
    this.#installClocks()
    this.#installTimers()
    installRandomNumbers(random)
    syncBuiltinESMExports()
  }

  #installClocks(): void {
    const readNow = () => this.#now
    globalThis.Date = class extends Date {
      // A Date without arguments is the present time. All other forms pass unchanged.
      constructor(...parts: [] | [number]) {
        super(...(parts.length === 0 ? ([readNow()] as const) : parts))
      }

      static override now = readNow
    } as DateConstructor
    Object.defineProperty(performance, 'now', { value: () => this.#now - this.#startedAt })
  }

  #installTimers(): void {
    const setTimer = (run: (...values: unknown[]) => void, milliseconds = 0, ...values: unknown[]) =>
      this.#set(() => run(...values), milliseconds)
    const clearTimer = (timer?: Timer) => this.#clear(timer)
    // Packages take the timers from the globals, from `node:timers` as middy does, or from `node:timers/promises`.
    const callbackTimers = { setTimeout: setTimer, clearTimeout: clearTimer }
    Object.assign(globalThis, callbackTimers)
    Object.assign(timers, callbackTimers)
    Object.assign(timerPromises, {
      setTimeout: async (milliseconds?: number, value?: unknown) => {
        await this.pause(milliseconds ?? 0)
        return value
      },
      // Commands let Ctrl-C interrupt them so. Here nothing may happen meanwhile, as between two promises.
      setImmediate: async (value?: unknown, options?: { readonly signal?: AbortSignal }) => {
        options?.signal?.throwIfAborted()
        return value
      },
    })
    AbortSignal.timeout = (milliseconds) => {
      const controller = new AbortController()
      this.#set(() => controller.abort(new DOMException('The time is over.', 'TimeoutError')), milliseconds)
      return controller.signal
    }
  }

  #set(run: () => void, milliseconds: number): Timer {
    const timer: Timer = {
      // Clocks show whole milliseconds.
      at: this.#now + Math.max(0, Math.round(milliseconds)),
      run,
      ref: () => timer,
      unref: () => timer,
      hasRef: () => false,
    }
    this.#timers.splice(this.#findPosition(timer.at), 0, timer)
    return timer
  }

  #clear(timer: Timer | undefined): void {
    const index = timer === undefined ? -1 : this.#timers.indexOf(timer)
    if (index !== -1) this.#timers.splice(index, 1)
  }

  /** Finds the position after all timers up to a time. */
  #findPosition(at: number): number {
    let low = 0
    let high = this.#timers.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const timer = this.#timers[middle]
      if (timer !== undefined && timer.at <= at) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Replaces the sources of random numbers that the service and its packages use. */
const installRandomNumbers = (random: Random): void => {
  Math.random = () => random.next()
  const randomBytes = (size: number): Buffer => {
    const bytes = Buffer.alloc(size)
    random.fillBytes(bytes)
    return bytes
  }
  const randomUUID = (): string => {
    const hex = randomBytes(16).toString('hex')
    return hex.replace(/^(.{8})(.{4}).(.{3})(.{4})(.{12})$/, '$1-$2-4$3-$4-$5')
  }
  const randomInt = (minimum: number, maximum?: number): number =>
    maximum === undefined ? random.integer(0, minimum - 1) : random.integer(minimum, maximum - 1)
  Object.assign(crypto, { randomBytes, randomUUID, randomInt })
  Object.defineProperty(globalThis.crypto, 'randomUUID', { value: randomUUID })
}
