import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'
import { type WindowName, windowAt, windowEnd } from './windows.ts'

/** What is left of one window. */
export interface WindowStanding {
  readonly window: WindowName
  readonly limit: number
  readonly remaining: number
  /** When the window ends, in Unix seconds. */
  readonly resetAt: number
}

/** What is left of both windows of a key. */
export interface Standing {
  readonly minute: WindowStanding
  readonly day: WindowStanding
}

/** Where a key stands at a time (milliseconds). A window that has passed counts as untouched. */
export const standingOf = (record: ApiKeyRecord, now: number): Standing => ({
  minute: windowStanding('minute', record.minuteLimit, record.minuteWindow, record.minuteCount, now),
  day: windowStanding('day', record.dayLimit, record.dayWindow, record.dayCount, now),
})

const windowStanding = (
  window: WindowName,
  limit: number,
  countedWindow: number,
  count: number,
  now: number,
): WindowStanding => {
  const current = windowAt(window, now)
  // A window ahead of this clock is the current one: another instance's clock is a little ahead.
  const passed = countedWindow < current
  return {
    window,
    limit,
    remaining: passed ? limit : Math.max(0, limit - count),
    resetAt: windowEnd(window, passed ? current : countedWindow),
  }
}

/** The window with the fewest requests remaining; of two alike, the one that lasts longer. */
export const bindingWindow = ({ minute, day }: Standing): WindowStanding => {
  if (minute.remaining !== day.remaining) return minute.remaining < day.remaining ? minute : day
  return minute.resetAt >= day.resetAt ? minute : day
}

/** The standing of a key that is held back until a moment (Unix seconds), whatever its windows have left. */
export const heldUntil = (moment: number, { minute, day }: Standing): Standing => ({
  minute: held(minute, moment),
  day: held(day, moment),
})

const held = (standing: WindowStanding, moment: number): WindowStanding => ({
  ...standing,
  remaining: 0,
  resetAt: standing.remaining === 0 ? Math.max(standing.resetAt, moment) : moment,
})

/** Whole seconds from a time (milliseconds) to a moment (Unix seconds): at least 1, and never short of it. */
export const secondsUntil = (moment: number, now: number): number => Math.max(1, Math.ceil(moment - now / 1_000))
