import type { Clock } from '../../shared/clock.ts'

/** A clock that stands still until a test moves it. */
export interface SettableClock {
  readonly clock: Clock
  readonly set: (milliseconds: number) => void
  readonly advance: (seconds: number) => void
}

export const settableClock = (start: number): SettableClock => {
  let now = start
  return {
    clock: () => now,
    set: (milliseconds) => {
      now = milliseconds
    },
    advance: (seconds) => {
      now += seconds * 1_000
    },
  }
}

/** 10 seconds into a minute, in the middle of a UTC day. */
export const noon = Date.UTC(2026, 10, 2, 12, 0, 10)
