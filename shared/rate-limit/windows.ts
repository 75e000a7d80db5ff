import type { CountedKey } from './counted-key.ts'

/** The two fixed windows in which requests are counted, by their lengths in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const

export type WindowName = keyof typeof windowSeconds

/** Computes the number of the window that contains a time, counted from the Unix epoch. */
export const computeWindowNumber = (name: WindowName, nowSeconds: number): number =>
  Math.floor(nowSeconds / windowSeconds[name])

/**
 * Finds which windows of a record have expired. A window ahead of this clock has not expired: the instance that opened
 * the window has a clock that is a little ahead. If the day has expired, the minute has too.
 */
export const findExpiredWindows = (record: CountedKey, nowSeconds: number): Readonly<Record<WindowName, boolean>> => ({
  minute: record.minuteWindow < computeWindowNumber('minute', nowSeconds),
  day: record.dayWindow < computeWindowNumber('day', nowSeconds),
})

/** The limit of one window, and how much of it remains. */
export interface WindowStatus {
  readonly window: WindowName
  readonly limit: number
  readonly remaining: number
  /** When the window expires, in Unix seconds. */
  readonly resetAt: number
}

/** The status of both windows of a key. */
export type LimitStatus = Readonly<Record<WindowName, WindowStatus>>

/** Computes the status of a key. An expired window counts as unused. */
export const computeLimitStatus = (record: CountedKey, nowSeconds: number): LimitStatus => ({
  minute: computeWindowStatus(record, 'minute', nowSeconds),
  day: computeWindowStatus(record, 'day', nowSeconds),
})

const computeWindowStatus = (record: CountedKey, window: WindowName, nowSeconds: number): WindowStatus => {
  const limit = record[`${window}Limit`]
  const countedWindow = record[`${window}Window`]
  // A counted window ahead of this clock is the current one: the clock of another instance is a little ahead.
  const currentWindow = Math.max(countedWindow, computeWindowNumber(window, nowSeconds))
  const count = currentWindow === countedWindow ? record[`${window}Count`] : 0
  return {
    window,
    limit,
    remaining: Math.max(0, limit - count),
    resetAt: (currentWindow + 1) * windowSeconds[window],
  }
}

/** Chooses the window with fewer requests remaining, or the one that expires later if both have the same number. */
export const chooseBindingWindow = ({ minute, day }: LimitStatus): WindowStatus => {
  if (minute.remaining !== day.remaining) return minute.remaining < day.remaining ? minute : day
  return minute.resetAt >= day.resetAt ? minute : day
}

/** Computes the status of a key that is banned until a time (Unix seconds): no request remains in either window. */
export const blockBothWindows = ({ minute, day }: LimitStatus, bannedUntil: number): LimitStatus => ({
  minute: blockWindow(minute, bannedUntil),
  day: blockWindow(day, bannedUntil),
})

/** Takes the remaining requests out of a window. A used-up window stays so until it expires, even after the ban. */
const blockWindow = (status: WindowStatus, bannedUntil: number): WindowStatus => ({
  ...status,
  remaining: 0,
  resetAt: status.remaining === 0 ? Math.max(status.resetAt, bannedUntil) : bannedUntil,
})
