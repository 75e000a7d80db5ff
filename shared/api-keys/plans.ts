/** The numbers of requests that a key may make in each of its two windows. */
export interface Limits {
  readonly perMinute: number
  readonly perDay: number
}

/** The plans whose limits are the same for each of their keys. */
export const fixedPlans = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
} as const satisfies Record<string, Limits>

export type FixedPlan = keyof typeof fixedPlans

/** The names of the fixed plans. The cast only narrows the type: Object.keys has the type string[]. */
export const fixedPlanNames = Object.keys(fixedPlans) as readonly FixedPlan[]

/**
 * The largest limit per minute that a key can have: 500 requests a second. One item counts the requests of a key,
 * and DynamoDB takes 1,000 writes a second to one partition key ("Best practices for designing and using partition
 * keys effectively"). The other half is for requests that arrive unevenly.
 */
export const maximumPerMinute = 30_000

/** A usage plan. Each key of `enterprise` has limits of its own. */
export type Plan = FixedPlan | 'enterprise'

/** The names of all plans, in the order in which they are written above. */
export const planNames: readonly Plan[] = [...fixedPlanNames, 'enterprise']

/** The limits of each plan's usage plan in API Gateway. The usage plan of `enterprise` has no limits. */
const limitsOfUsagePlans: Readonly<Record<Plan, Limits>> = {
  ...fixedPlans,
  enterprise: { perMinute: Number.POSITIVE_INFINITY, perDay: Number.POSITIVE_INFINITY },
}

/** The plan of a key, and the limits that the key got when it was issued or moved. */
interface KeyLimits {
  /** Undefined for a plan that only another version of the service knows. */
  readonly plan?: Plan | undefined
  readonly minuteLimit: number
  readonly dayLimit: number
}

/**
 * Whether the usage plan of a key's plan admits all requests that the key's own limits admit. It does not if the plan
 * was lowered since the key got its limits. Then API Gateway would refuse requests that the authorizer has admitted, so
 * it must not count the requests of the key in the usage plan.
 */
export const fitsUsagePlan = ({ plan, minuteLimit, dayLimit }: KeyLimits): boolean => {
  if (plan === undefined) return false
  const { perMinute, perDay } = limitsOfUsagePlans[plan]
  return minuteLimit <= perMinute && dayLimit <= perDay
}
