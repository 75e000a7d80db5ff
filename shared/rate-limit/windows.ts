import type { ApiKeyRecord } from '../api-keys/api-key-record.ts'

/** The two fixed windows in which requests are counted, by their lengths in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const

export type WindowName = keyof typeof windowSeconds

/** The number of the window that a time falls into, counted from the Unix epoch. `now` is in milliseconds. */
export const computeWindowNumber = (name: WindowName, now: number): number =>
  Math.floor(now / 1_000 / windowSeconds[name])

/**
 * Which of a record's windows have expired. A window ahead of this clock has not: another clock is a little ahead. A day
 * never expires without its last minute, since no day is opened without a minute of it.
 */
export const findExpiredWindows = (record: ApiKeyRecord, now: number): Readonly<Record<WindowName, boolean>> => ({
  minute: record.minuteWindow < computeWindowNumber('minute', now),
  day: record.dayWindow < computeWindowNumber('day', now),
})

/** What is left of one window. */
export interface WindowStatus {
  readonly window: WindowName
  readonly limit: number
  readonly remaining: number
  /** When the window ends, in Unix seconds. */
  readonly resetAt: number
}

/** What is left of both windows of a key. */
export type QuotaStatus = Readonly<Record<WindowName, WindowStatus>>

/** The status of a key at a time (milliseconds). An expired window counts as unused. */
export const computeQuotaStatus = (record: ApiKeyRecord, now: number): QuotaStatus => ({
  minute: computeWindowStatus(record, 'minute', now),
  day: computeWindowStatus(record, 'day', now),
})

const computeWindowStatus = (record: ApiKeyRecord, window: WindowName, now: number): WindowStatus => {
  const limit = record[`${window}Limit`]
  const counted = record[`${window}Window`]
  // A window ahead of this clock is the current one: the clock of another instance is a little ahead.
  const current = Math.max(counted, computeWindowNumber(window, now))
  const count = current === counted ? record[`${window}Count`] : 0
  return { window, limit, remaining: Math.max(0, limit - count), resetAt: (current + 1) * windowSeconds[window] }
}

/** The window with the fewest requests remaining; of two alike, the one that ends later. */
export const chooseBindingWindow = ({ minute, day }: QuotaStatus): WindowStatus => {
  if (minute.remaining !== day.remaining) return minute.remaining < day.remaining ? minute : day
  return minute.resetAt >= day.resetAt ? minute : day
}

/** The status of a key that is blocked until a moment (Unix seconds), whatever its windows have left. */
export const blockBothWindows = (moment: number, { minute, day }: QuotaStatus): QuotaStatus => ({
  minute: blockWindow(minute, moment),
  day: blockWindow(day, moment),
})

const blockWindow = (status: WindowStatus, moment: number): WindowStatus => ({
  ...status,
  remaining: 0,
  resetAt: status.remaining === 0 ? Math.max(status.resetAt, moment) : moment,
})

/** Whole seconds from a time (milliseconds) to a moment (Unix seconds): rounded up, at least 1. */
export const countSecondsUntil = (moment: number, now: number): number => Math.max(1, Math.ceil(moment - now / 1_000))
