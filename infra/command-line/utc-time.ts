/**
 * Parses a UTC day such as `2030-12-31`, or a time such as `2030-12-31T23:59Z`.
 *
 * @returns milliseconds since the Unix epoch; NaN for any other text
 */
export const parseUtcTime = (text: string): number => {
  const isUtcTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.test(text)
  const time = isUtcTime ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) return Number.NaN
  // Date.parse reads 30 February as 2 March, so the day that it has read is compared with the text.
  const readDay = new Date(time).toISOString().slice(0, 10)
  return text.startsWith(readDay) ? time : Number.NaN
}

const unitMilliseconds: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Parses a number of minutes, hours or days, such as `90m`, `24h` or `7d`.
 *
 * @returns milliseconds; NaN for any other text
 */
export const parseDuration = (text: string): number => {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  return Number(count) * (unitMilliseconds[unit] ?? Number.NaN)
}

/** Whether a text has the form of a day. */
export const isDayText = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text)

/** Formats Unix seconds, for example as `2026-11-02T12:00:00Z`. */
export const formatUnixSeconds = (seconds: number): string =>
  new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')

/** Formats the minute of Unix seconds, for example as `2026-11-02T12:00Z`. */
export const formatUtcMinute = (seconds: number): string => `${new Date(seconds * 1_000).toISOString().slice(0, 16)}Z`
