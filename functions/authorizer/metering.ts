/**
 * A *gateway key* is an API key of API Gateway, which callers do not send: the authorizer chooses one for each request.
 * API Gateway *meters* the request on the chosen key: it counts the request in the usage plan of the key, and refuses
 * the request if the usage plan is used up. The usage plan of the *unlimited gateway key* has no limits.
 */
import { fitsUsagePlan } from '../../shared/api-keys/plans.ts'
import type { DecisionOfKey } from '../../shared/rate-limit/rate-limiter.ts'

/**
 * Chooses the gateway key on which API Gateway meters a request: the caller's own, or the unlimited one. The unlimited
 * gateway key meters:
 *
 * - a request that is not admitted, so that it does not use up the caller's plan in API Gateway.
 * - a request before `meteredFrom` of the record, because the edge of API Gateway takes minutes to know a new gateway
 *   key. `meteredFrom` is missing until the gateway key exists.
 * - a request of a key whose limits exceed those of its plan, because the plan was lowered since. In the usage plan,
 *   API Gateway would refuse requests that the authorizer has admitted.
 * - a request of a key whose plan this version does not know, because its usage plan may not exist: a deployment that
 *   added the plan was rolled back.
 */
export const chooseGatewayKey = ({ kind, record, nowSeconds }: DecisionOfKey, unlimitedKey: string): string => {
  const { gatewayKey, meteredFrom } = record
  if (kind !== 'admitted') return unlimitedKey
  if (gatewayKey === undefined || meteredFrom === undefined || nowSeconds < meteredFrom) return unlimitedKey
  return fitsUsagePlan(record) ? gatewayKey : unlimitedKey
}
