import type { Plan } from '../../../shared/api-keys/plans.ts'
import type { EdgeRegistry } from '../../keys/edge-registry.ts'
import type { EdgeKeys } from './edge-keys.ts'

/** What the key administration writes to in place of API Gateway's own registry of keys. */
export const createLocalEdgeRegistry = (
  edgeKeys: EdgeKeys,
  usagePlanIds: Readonly<Record<Plan, string>>,
): EdgeRegistry => ({
  assign: (keyHash, keyId, plan) =>
    edgeKeys.put({ value: keyHash, name: keyId, usagePlanId: usagePlanIds[plan], enabled: true }),
  remove: (keyHash) => edgeKeys.remove(keyHash),
})
