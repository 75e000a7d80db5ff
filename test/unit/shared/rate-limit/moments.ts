import { windowAt } from '../../../../shared/rate-limit/windows.ts'

/** 17.4 seconds into a minute, half past nine on a Monday. */
export const now = Date.UTC(2026, 10, 2, 9, 30, 17, 400)

/** The windows of `now`, as a record keeps them. */
export const windowsOfNow = { minuteWindow: windowAt('minute', now), dayWindow: windowAt('day', now) }

export const endOfMinute = Date.UTC(2026, 10, 2, 9, 31) / 1_000
export const endOfDay = Date.UTC(2026, 10, 3) / 1_000
