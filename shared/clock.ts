/** The current time in milliseconds since the Unix epoch. Injected, so that tests set it. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

/**
 * A function gives up and responds this long before its timeout. At the timeout Lambda would end the instance, and the
 * next request would have to start another.
 */
export const timeoutMarginMilliseconds = 500
