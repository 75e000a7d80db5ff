/** The current time in milliseconds since the Unix epoch. Injected, so that tests set it. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()
