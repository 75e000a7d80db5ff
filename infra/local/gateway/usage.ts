import type { Clock } from '../../../shared/clock.ts'
import type { QuotaPeriod, UsagePlan } from '../template/rest-api.ts'

/**
 * What each API key has used of its usage plan: a token bucket for the rate, a counter for the
 * quota. It is kept in memory, and starts anew with the environment.
 */
export interface Usage {
  /** Counts one request of a key, unless the plan refuses it; a refused request counts nothing. */
  count(plan: UsagePlan, apiKey: string): 'counted' | 'THROTTLED' | 'QUOTA_EXCEEDED'
}

interface KeyUsage {
  tokens: number
  refilledAt: number
  quotaPeriod: string
  requests: number
}

export const createUsage = (clock: Clock): Usage => {
  const usages = new Map<string, KeyUsage>()
  return {
    count: (plan, apiKey) => {
      const now = clock()
      // A key that is moved to another plan starts with that plan's full allowance.
      const name = `${plan.id} ${apiKey}`
      const usage = usages.get(name) ?? {
        tokens: plan.throttle?.burst ?? 0,
        refilledAt: now,
        quotaPeriod: '',
        requests: 0,
      }
      usages.set(name, usage)
      if (plan.throttle !== undefined) {
        refill(usage, plan.throttle, now)
        if (usage.tokens < 1) return 'THROTTLED'
      }
      if (plan.quota !== undefined) {
        roll(usage, plan.quota.period, now)
        if (usage.requests >= plan.quota.limit) return 'QUOTA_EXCEEDED'
      }
      usage.tokens -= 1
      usage.requests += 1
      return 'counted'
    },
  }
}

const refill = (
  usage: KeyUsage,
  { ratePerSecond, burst }: { readonly ratePerSecond: number; readonly burst: number },
  now: number,
): void => {
  // A clock that was set back must not take tokens away.
  const seconds = Math.max(0, now - usage.refilledAt) / 1_000
  usage.tokens = Math.min(burst, usage.tokens + seconds * ratePerSecond)
  usage.refilledAt = now
}

const roll = (usage: KeyUsage, period: QuotaPeriod, now: number): void => {
  const current = periodOf(period, now)
  if (current === usage.quotaPeriod) return
  usage.quotaPeriod = current
  usage.requests = 0
}

const dayMilliseconds = 86_400_000

/** Names the period that a time is in: UTC days, weeks from Sunday on, and months. */
const periodOf = (period: QuotaPeriod, now: number): string => {
  if (period === 'MONTH') return new Date(now).toISOString().slice(0, 7)
  const day = Math.floor(now / dayMilliseconds)
  // The Unix epoch was a Thursday, four days after a Sunday.
  return String(period === 'DAY' ? day : Math.floor((day + 4) / 7))
}
