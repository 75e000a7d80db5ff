/** The times of a simulation: its warm-up, its faults and its end. */

/** The time of the first request. Minutes and hours are counted from it. */
const startOfTraffic = Date.UTC(2026, 10, 2, 11, 30)

/**
 * Minutes before the first request, in which keys are issued and `gateway-keys` runs, so that usage plans meter
 * requests from the first one on: a run creates each gateway key, and an hour later requests are metered on it.
 */
const warmUpMinutes = 80

/** The faults end so long before the end of a simulation that `gateway-keys` runs twice without them. */
const quietMinutes = 40

/** Minutes after the end of the faults in which requests that met one may still fail. */
const settlingMinutes = 5

/** Nobody adds an animal in the last minutes, so that followers get all. */
const closingMinutes = 10

const minuteMilliseconds = 60_000

export interface Schedule {
  /** The begin of the warm-up. */
  readonly warmUp: number
  /** The time of the first request. */
  readonly start: number
  /** The faults begin with the first request. */
  readonly faultsEnd: number
  /** From here on every caller must succeed. */
  readonly settled: number
  readonly closing: number
  readonly end: number
}

/** @param minutes length of the simulation from the first request on */
export const planSchedule = (minutes: number): Schedule => {
  const end = startOfTraffic + minutes * minuteMilliseconds
  return {
    warmUp: startOfTraffic - warmUpMinutes * minuteMilliseconds,
    start: startOfTraffic,
    faultsEnd: end - quietMinutes * minuteMilliseconds,
    settled: end - (quietMinutes - settlingMinutes) * minuteMilliseconds,
    closing: end - closingMinutes * minuteMilliseconds,
    end,
  }
}

const gatewayKeysMilliseconds = 15 * minuteMilliseconds

/** Finds the next time at which the schedule runs `gateway-keys`. */
export const findNextGatewayKeysRun = (now: number): number =>
  (Math.floor(now / gatewayKeysMilliseconds) + 1) * gatewayKeysMilliseconds
