import type { EdgeKeys } from '../../operations/target/edge-keys.ts'
import type { RestApi } from '../template/rest-api.ts'
import { type Refused, refuse } from './refusal.ts'
import type { Authorized, Metered } from './request.ts'
import type { Usage } from './usage.ts'

export interface UsageMeter {
  readonly edgeKeys: Pick<EdgeKeys, 'get'>
  readonly usage: Usage
}

/**
 * Checks the API key and counts the request against its usage plan, "Usage plans and API keys for
 * REST APIs in API Gateway". The key comes from the authorizer.
 */
export const meter = async (
  api: RestApi,
  request: Authorized,
  { edgeKeys, usage }: UsageMeter,
): Promise<Metered | Refused> => {
  const { authorizerValues, usageIdentifierKey } = request
  if (!request.method.apiKeyRequired) return { ...request, apiKeyName: undefined }
  if (usageIdentifierKey === undefined) return refuse('INVALID_API_KEY', authorizerValues)
  const key = api.apiKeys.get(usageIdentifierKey) ?? (await edgeKeys.get(usageIdentifierKey))
  const plan = key === undefined ? undefined : api.usagePlans.get(key.usagePlanId)
  if (key === undefined || plan === undefined) return refuse('INVALID_API_KEY', authorizerValues)
  const counted = usage.count(plan, usageIdentifierKey)
  return counted === 'counted' ? { ...request, apiKeyName: key.name } : refuse(counted, authorizerValues)
}
