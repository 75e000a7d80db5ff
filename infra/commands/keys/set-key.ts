/** Changing the terms of keys, and ending bans. */
import {
  type ApiKeyRecord,
  createGatewayKeyValue,
  isUsable,
  type Scope,
  type StoredKey,
} from '../../../shared/api-keys/api-key-record.ts'
import type { KeyChange } from '../../../shared/api-keys/key-table.ts'
import { fixedPlans, type Limits, type Plan } from '../../../shared/api-keys/plans.ts'
import { ConflictError, UsageError } from '../../command-line/user-error.ts'
import { changeKeyOrFail, type KeyContext } from './change-key.ts'
import { findKey, requireReadable } from './find-key.ts'
import { explainUnusable } from './key.ts'

/** Terms to change. A term that is not given stays as it is. */
export interface KeySettings {
  readonly owner?: string | undefined
  /** An empty contact is none. */
  readonly contact?: string | undefined
  readonly scope?: Scope | undefined
  /** A plan without limits gives the key the present limits of the plan. */
  readonly plan?: Plan | undefined
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
  /** End of the key, in Unix seconds. */
  readonly expiresAt?: number | 'never' | undefined
  /** Time from now on for which a replaced key still works. */
  readonly overlapSeconds?: number | undefined
}

/**
 * Changes the terms of a key. Requests that the key has made in its current windows stay counted.
 *
 * @param idOrKey the id of the key, or the API key itself
 */
export const setKey = async (context: KeyContext, idOrKey: string, settings: KeySettings): Promise<StoredKey> => {
  const stored = await findKey(context.environment, idOrKey)
  const changes = decideKeyChange(requireReadable(stored), settings, readSeconds(context))
  return changeKeyOrFail(context, 'keys set', stored, changes)
}

/** Ends a ban. Resets the counts of refusals and bans, which would make the next ban longer. */
export const unbanKey = async (context: KeyContext, idOrKey: string): Promise<StoredKey> => {
  const stored = await findKey(context.environment, idOrKey)
  const key = requireReadable(stored)
  const nowSeconds = readSeconds(context)
  if (!isUsable(key, nowSeconds)) throw explainUnusable(key, nowSeconds)
  if (key.bannedUntil <= nowSeconds) return stored
  return changeKeyOrFail(context, 'keys unban', stored, { bannedUntil: 0, banCount: 0, refusalCount: 0 })
}

const readSeconds = ({ clock }: KeyContext): number => Math.floor(clock() / 1_000)

interface LimitOptions {
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
}

/**
 * Chooses the limits of a key: those of its plan, or for `enterprise` those of the options.
 *
 * @throws UsageError if the options do not fit the plan
 */
export const chooseLimits = (plan: Plan, { perMinute, perDay }: LimitOptions): Limits => {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return fixedPlans[plan]
    throw new UsageError(`The limits of ${plan} are fixed; only enterprise takes --per-minute and --per-day.`)
  }
  if (perMinute === undefined || perDay === undefined) {
    throw new UsageError('An enterprise key has its own limits: give both --per-minute N and --per-day N.')
  }
  if (perMinute > perDay) throw new UsageError('--per-minute is more than --per-day: no minute could use it.')
  return { perMinute, perDay }
}

/**
 * Decides the attributes that settings change. Values that the key has already are left out.
 *
 * The end of a key can be changed also after it: the key then works again. A key whose plan or end changes gets another
 * API Gateway key: that of an ended key may be deleted at any time (`functions/gateway-keys`).
 *
 * @throws ConflictError if the state of the key forbids the change; UsageError if the limits do not fit the plan
 */
const decideKeyChange = (key: ApiKeyRecord, settings: KeySettings, nowSeconds: number): KeyChange => {
  const changesEnd = settings.expiresAt !== undefined || settings.overlapSeconds !== undefined
  if (key.state === 'revoked' || !(changesEnd || isUsable(key, nowSeconds))) throw explainUnusable(key, nowSeconds)
  if (settings.overlapSeconds !== undefined && key.overlapEndsAt === undefined) {
    throw new ConflictError(`The API key ${key.keyId} has no successor, and so no overlap. "set" its --expires.`)
  }

  const changes: KeyChange = {
    ...listTerms(settings, nowSeconds),
    ...listLimits(key, settings),
  }
  const newValues = Object.entries(changes).filter(([name, value]) => key[name as keyof ApiKeyRecord] !== value)
  if (newValues.length === 0) return {}
  const needsGatewayKey = newValues.some(([name]) => ['plan', 'expiresAt', 'overlapEndsAt'].includes(name))
  return {
    ...Object.fromEntries(newValues),
    ...(needsGatewayKey && { gatewayKey: createGatewayKeyValue(), meteredFrom: undefined }),
  }
}

const listTerms = (
  { owner, contact, scope, expiresAt, overlapSeconds }: KeySettings,
  nowSeconds: number,
): KeyChange => ({
  ...(owner !== undefined && { owner }),
  ...(contact !== undefined && { contact: contact || undefined }),
  ...(scope !== undefined && { scope }),
  ...(expiresAt !== undefined && { expiresAt: expiresAt === 'never' ? undefined : expiresAt }),
  ...(overlapSeconds !== undefined && { overlapEndsAt: nowSeconds + overlapSeconds }),
})

const listLimits = (key: ApiKeyRecord, { plan, perMinute, perDay }: KeySettings): KeyChange => {
  if (plan === undefined && perMinute === undefined && perDay === undefined) return {}
  const newPlan = plan ?? key.plan
  // An enterprise key keeps the limit that is not given.
  const keepsLimits = newPlan === 'enterprise' && key.plan === 'enterprise'
  const own = keepsLimits ? { perMinute: key.minuteLimit, perDay: key.dayLimit } : {}
  const given = { ...(perMinute !== undefined && { perMinute }), ...(perDay !== undefined && { perDay }) }
  const limits = chooseLimits(newPlan, { ...own, ...given })
  return { plan: newPlan, minuteLimit: limits.perMinute, dayLimit: limits.perDay }
}
