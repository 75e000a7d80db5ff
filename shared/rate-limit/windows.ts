import type { CountedKey } from './counted-key.ts'

/** The two fixed windows in which requests are counted, by their lengths in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const

export type WindowName = keyof typeof windowSeconds

/** Computes the number of the window that contains a time (milliseconds), counted from the Unix epoch. */
export const computeWindowNumber = (name: WindowName, now: number): number =>
  Math.floor(now / 1_000 / windowSeconds[name])

/**
 * Finds which windows of a record have expired. A window ahead of this clock has not: another clock is a little ahead.
 * When the day has expired, its minute has too: both open together.
 */
export const findExpiredWindows = (record: CountedKey, now: number): Readonly<Record<WindowName, boolean>> => ({
  minute: record.minuteWindow < computeWindowNumber('minute', now),
  day: record.dayWindow < computeWindowNumber('day', now),
})

/** The limit of one window, and how much of it remains. */
export interface WindowStatus {
  readonly window: WindowName
  readonly limit: number
  readonly remaining: number
  /** When the window ends, in Unix seconds. */
  readonly resetAt: number
}

/** The status of both windows of a key. */
export type QuotaStatus = Readonly<Record<WindowName, WindowStatus>>

/** Computes the status of a key at a time (milliseconds). An expired window counts as unused. */
export const computeQuotaStatus = (record: CountedKey, now: number): QuotaStatus => ({
  minute: computeWindowStatus(record, 'minute', now),
  day: computeWindowStatus(record, 'day', now),
})

const computeWindowStatus = (record: CountedKey, window: WindowName, now: number): WindowStatus => {
  const limit = record[`${window}Limit`]
  const countedWindow = record[`${window}Window`]
  // A counted window ahead of this clock is the current one: the clock of another instance is a little ahead.
  const currentWindow = Math.max(countedWindow, computeWindowNumber(window, now))
  const count = currentWindow === countedWindow ? record[`${window}Count`] : 0
  return {
    window,
    limit,
    remaining: Math.max(0, limit - count),
    resetAt: (currentWindow + 1) * windowSeconds[window],
  }
}

/** Chooses the window with fewer requests remaining, or the one that ends later if both have the same number. */
export const chooseBindingWindow = ({ minute, day }: QuotaStatus): WindowStatus => {
  if (minute.remaining !== day.remaining) return minute.remaining < day.remaining ? minute : day
  return minute.resetAt >= day.resetAt ? minute : day
}

/** Changes the status of a key that is blocked until a moment (Unix seconds): no request remains in either window. */
export const blockBothWindows = (moment: number, { minute, day }: QuotaStatus): QuotaStatus => ({
  minute: blockWindow(minute, moment),
  day: blockWindow(day, moment),
})

/** A window that is used up stays so until its own end, even if the block ends earlier. */
const blockWindow = (status: WindowStatus, moment: number): WindowStatus => ({
  ...status,
  remaining: 0,
  resetAt: status.remaining === 0 ? Math.max(status.resetAt, moment) : moment,
})

/** Seconds added to every wait, so that an instance whose clock is behind does not refuse a caller who waited. */
const clockMarginSeconds = 1

/**
 * Counts the whole seconds that a caller waits from a time (milliseconds) to a later moment (Unix seconds), so that
 * every instance takes the moment for past afterwards.
 */
export const countWaitSeconds = (moment: number, now: number): number =>
  Math.ceil(moment - now / 1_000) + clockMarginSeconds
