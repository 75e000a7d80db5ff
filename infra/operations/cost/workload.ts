/**
 * What a request can be. `refused` is over a limit: the function of its operation responds 429, without a call to a
 * table. `unauthorized` has no valid key: the authorizer refuses it with 401, and no other function runs.
 */
export const kinds = ['list', 'get', 'create', 'refused', 'unauthorized'] as const

/** The share of each kind; together 1. */
export type Mix = Readonly<Record<(typeof kinds)[number], number>>

/** A month of requests. */
export interface Workload {
  readonly requests: number
  readonly mix: Mix
  /** Of the lists, the share without a status, for which all three statuses are queried. */
  readonly unfiltered: number
  /** Pets on a page. */
  readonly page: number
  /** Of the creations, the share with an `Idempotency-Key`. */
  readonly idempotent: number
  /** Of the unauthorized requests, the share with a well-formed key that does not exist, which costs a write. */
  readonly unknownKeys: number
  /** API keys, among which the authorized requests are spread evenly. */
  readonly keys: number
  /** In the table before the month. */
  readonly pets: number
  readonly authorizerMilliseconds: number
  readonly operationMilliseconds: number
}

/** As AWS counts a month: 730 hours. */
export const month = { days: 730 / 24, minutes: 730 * 60 } as const
