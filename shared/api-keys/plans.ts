/** How many requests a key may make in each of its two windows. */
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
 * The most requests a minute of one key: 500 a second. One item counts them, and DynamoDB takes 1,000 writes a second to
 * one partition key ("Best practices for designing and using partition keys effectively"). The other half is for
 * requests that arrive unevenly.
 */
export const maximumPerMinute = 30_000

/** A usage plan. Each key of `enterprise` carries its own allowance. */
export type Plan = FixedPlan | 'enterprise'

// The names of an object's properties are in the order in which they were written.
export const planNames = [...Object.keys(fixedPlans), 'enterprise'] as readonly Plan[]
