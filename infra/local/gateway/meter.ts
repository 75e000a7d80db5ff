import type { Clock } from '../../../shared/clock.ts'
import type { EdgeKeys } from '../../operations/target/edge-keys.ts'
import type { RestApi, Throttle, UsagePlan } from '../template/rest-api.ts'
import type { GatewayResponseType } from './gateway-response.ts'
import type { Authorized, Metered } from './request.ts'

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
): Promise<Metered | GatewayResponseType> => {
  const { usageIdentifierKey } = request
  if (!request.method.apiKeyRequired) return { ...request, apiKeyName: undefined }
  if (usageIdentifierKey === undefined) return 'INVALID_API_KEY'
  const key = api.apiKeys.get(usageIdentifierKey) ?? (await edgeKeys.get(usageIdentifierKey))
  const plan = key === undefined ? undefined : api.usagePlans.get(key.usagePlanId)
  if (key === undefined || plan === undefined) return 'INVALID_API_KEY'
  const counted = usage.count(plan, usageIdentifierKey)
  return counted === 'counted' ? { ...request, apiKeyName: key.name } : counted
}

/**
 * What each API key has used of its usage plan: a token bucket for the rate, a counter for the daily
 * quota. It is in memory, so it starts empty with the environment.
 */
export interface Usage {
  /** Counts one request of a key, unless it is over the plan. */
  count(plan: UsagePlan, apiKey: string): 'counted' | 'THROTTLED' | 'QUOTA_EXCEEDED'
}

interface KeyUsage {
  tokens: number
  refilledAt: number
  day: number
  requests: number
}

const dayMilliseconds = 86_400_000

export const createUsage = (clock: Clock): Usage => {
  const usages = new Map<string, KeyUsage>()
  return {
    count: ({ id, Throttle, Quota }, apiKey) => {
      const now = clock()
      const day = Math.floor(now / dayMilliseconds)
      // A key that moves to another plan starts with that plan's full allowance.
      const name = `${id} ${apiKey}`
      const usage = usages.get(name) ?? { tokens: Throttle?.BurstLimit ?? 0, refilledAt: now, day, requests: 0 }
      usages.set(name, usage)
      if (Throttle !== undefined) {
        refill(usage, Throttle, now)
        if (usage.tokens < 1) return 'THROTTLED'
      }
      if (usage.day !== day) Object.assign(usage, { day, requests: 0 })
      if (Quota !== undefined && usage.requests >= Quota.Limit) return 'QUOTA_EXCEEDED'
      usage.tokens -= 1
      usage.requests += 1
      return 'counted'
    },
  }
}

const refill = (usage: KeyUsage, { RateLimit, BurstLimit }: Throttle, now: number): void => {
  // A clock that is set back takes no tokens away.
  const seconds = Math.max(0, now - usage.refilledAt) / 1_000
  usage.tokens = Math.min(BurstLimit, usage.tokens + seconds * RateLimit)
  usage.refilledAt = now
}
