/**
 * What a request can be. `refused` is over a limit: the function of its operation responds 429, without a call to a
 * table. `unauthorized` has no valid key: the authorizer refuses it with 401, and no other function runs.
 */
export const kinds = ['list', 'get', 'create', 'refused', 'unauthorized'] as const

/** The share of each kind; together 1. */
export type Mix = Readonly<Record<(typeof kinds)[number], number>>

/** As AWS counts a month: 730 hours. */
export const month = { days: 730 / 24, minutes: 730 * 60 } as const
