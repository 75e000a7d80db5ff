/** The two fixed windows in which requests are counted, by their lengths in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const

export type WindowName = keyof typeof windowSeconds

/** The number of the window that a time falls into, counted from the Unix epoch. `now` is in milliseconds. */
export const windowAt = (name: WindowName, now: number): number => Math.floor(now / 1_000 / windowSeconds[name])

/** When a window ends, in Unix seconds. */
export const windowEnd = (name: WindowName, window: number): number => (window + 1) * windowSeconds[name]
