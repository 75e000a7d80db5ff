/**
 * API Gateway *meters* a request on a gateway key: it counts the request in the usage plan of that key. The authorizer
 * chooses the key.
 */
import { fitsUsagePlan } from '../../shared/api-keys/plans.ts'
import type { DecisionOfKey } from '../../shared/rate-limit/rate-limiter.ts'
import { windowSeconds } from '../../shared/rate-limit/windows.ts'
import { authorizerTimeoutSeconds } from '../../shared/timeouts.ts'

/**
 * Chooses the gateway key on which API Gateway meters a request: the caller's own, or the unlimited gateway key, whose
 * usage plan has no limits. The unlimited gateway key meters:
 *
 * - a request that is not admitted, so that it does not use up the caller's plan in API Gateway.
 * - a request around midnight UTC. API Gateway may count it in another day than the table did, and the caller would
 *   miss one request of that day.
 * - a request before `meteredFrom` of the record, because a new API Gateway key takes minutes to work at the edge.
 *   `meteredFrom` is missing until the API Gateway key exists.
 * - a request of a key whose limits exceed those of its plan, because the plan was lowered since. API Gateway would
 *   refuse requests that the table has admitted.
 * - a request of a key whose plan this version does not know, because its usage plan may not exist: a deployment that
 *   added the plan was rolled back.
 */
export const chooseGatewayKey = ({ kind, record, nowSeconds }: DecisionOfKey, unlimitedKey: string): string => {
  const { gatewayKey, meteredFrom } = record
  if (kind !== 'admitted' || isAroundMidnight(nowSeconds)) return unlimitedKey
  if (gatewayKey === undefined || meteredFrom === undefined || nowSeconds < meteredFrom) return unlimitedKey
  return fitsUsagePlan(record) ? gatewayKey : unlimitedKey
}

/**
 * Time before and after midnight in which API Gateway may count a request in another day than the table: twice the time
 * that the authorizer may take, because clocks may also differ a little.
 */
const midnightMarginSeconds = 2 * authorizerTimeoutSeconds

const isAroundMidnight = (nowSeconds: number): boolean => {
  const secondOfDay = nowSeconds % windowSeconds.day
  return secondOfDay < midnightMarginSeconds || secondOfDay >= windowSeconds.day - midnightMarginSeconds
}
