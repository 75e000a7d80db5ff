/**
 * API Gateway *meters* a request on a gateway key: it counts the request in the usage plan of that key. The authorizer
 * chooses the key.
 */
import { fitsUsagePlan } from '../../shared/api-keys/plans.ts'
import type { DecisionOfKey } from '../../shared/rate-limit/rate-limiter.ts'

/**
 * Chooses the gateway key on which API Gateway meters a request: the caller's own, or the unlimited gateway key, whose
 * usage plan has no limits. The unlimited gateway key meters:
 *
 * - a request that is not admitted, so that it does not use up the caller's plan in API Gateway.
 * - a request before `meteredFrom` of the record, because a new API Gateway key takes minutes to work at the edge.
 *   `meteredFrom` is missing until the API Gateway key exists.
 * - a request of a key whose limits exceed those of its plan, because the plan was lowered since. API Gateway would
 *   refuse requests that the table has admitted.
 * - a request of a key whose plan this version does not know, because its usage plan may not exist: a deployment that
 *   added the plan was rolled back.
 */
export const chooseGatewayKey = ({ kind, record, nowSeconds }: DecisionOfKey, unlimitedKey: string): string => {
  const { gatewayKey, meteredFrom } = record
  if (kind !== 'admitted') return unlimitedKey
  if (gatewayKey === undefined || meteredFrom === undefined || nowSeconds < meteredFrom) return unlimitedKey
  return fitsUsagePlan(record) ? gatewayKey : unlimitedKey
}
