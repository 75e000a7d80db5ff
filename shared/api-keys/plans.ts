/** The numbers of requests that a key may make in each of its two windows. */
export interface Allowance {
  readonly perMinute: number
  readonly perDay: number
}

/** The plans whose allowance is the same for each of their keys. */
export const fixedPlans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<string, Allowance>

export type FixedPlan = keyof typeof fixedPlans

/**
 * The largest allowance per minute that a key can have: 500 requests a second. One item counts the requests of a key,
 * and DynamoDB takes 1,000 writes a second to one partition key ("Best practices for designing and using partition
 * keys effectively"). The other half is for requests that arrive unevenly.
 */
export const maximumPerMinute = 30_000

/** A usage plan. Each key of `enterprise` has its own allowance. */
export type Plan = FixedPlan | 'enterprise'

/**
 * The names of all plans, in the order in which they are written above. Object.keys keeps that order, but its type is
 * string[], hence the cast.
 */
export const planNames = [...Object.keys(fixedPlans), 'enterprise'] as readonly Plan[]
