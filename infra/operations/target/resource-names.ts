import type { Plan } from '../../../shared/api-keys/plans.ts'

/** The names by which commands reach the resources of an environment. */
export interface ResourceNames {
  readonly tables: { readonly pets: string; readonly apiKeys: string; readonly idempotency: string }
  readonly usagePlanIds: Readonly<Record<Plan, string>>
}

/** Reads the names from the outputs of an environment's stacks. */
export const readResourceNames = (output: (name: string) => string): ResourceNames => ({
  tables: {
    pets: output('PetsTableName'),
    apiKeys: output('ApiKeysTableName'),
    idempotency: output('IdempotencyTableName'),
  },
  usagePlanIds: {
    free: output('FreeUsagePlanId'),
    pro: output('ProUsagePlanId'),
    business: output('BusinessUsagePlanId'),
    enterprise: output('EnterpriseUsagePlanId'),
  },
})
