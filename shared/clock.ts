/** Returns the current time in milliseconds since the Unix epoch. Injected, so that tests can set the time. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()
