/** Changes of keys that exist: their terms, the end of a ban, and revocations. */
import {
  type ApiKeyRecord,
  createGatewayKeyValue,
  isUsable,
  type Scope,
  type StoredKey,
} from '../../../shared/api-keys/api-key-record.ts'
import type { KeyChange } from '../../../shared/api-keys/key-table.ts'
import { fixedPlans, type Limits, type Plan } from '../../../shared/api-keys/plans.ts'
import { startProgress } from '../../command-line/progress.ts'
import { formatNumber } from '../../command-line/report.ts'
import { ConflictError, UsageError } from '../../command-line/user-error.ts'
import { environments } from '../../environments.ts'
import type { NamedTableAccess } from '../environment/open-environment.ts'
import { changeKey, changeKeyOrFail, type KeyContext, readNowSeconds } from './change-key.ts'
import { explainUnusable, findKey, listStoredKeys, requireReadable } from './find-key.ts'

interface LimitSettings {
  readonly perMinute?: number | undefined
  readonly perDay?: number | undefined
}

/** New terms of a key. A term that is undefined stays as it is. */
export interface KeySettings extends LimitSettings {
  readonly owner?: string | undefined
  /** Empty text removes the contact. */
  readonly contact?: string | undefined
  readonly scope?: Scope | undefined
  /** Without limits in these settings, the key gets the present limits of the plan. */
  readonly plan?: Plan | undefined
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
  const changes = decideKeyChange(requireReadable(stored), settings, readNowSeconds(context))
  return changeKeyOrFail(context, 'keys set', stored, changes)
}

/** Ends a ban. The counts of refusals and bans begin anew, because they would make the next ban longer. */
export const unbanKey = async (context: KeyContext, idOrKey: string): Promise<StoredKey> => {
  const stored = await findKey(context.environment, idOrKey)
  const key = requireReadable(stored)
  const nowSeconds = readNowSeconds(context)
  if (!isUsable(key, nowSeconds)) throw explainUnusable(key, nowSeconds)
  if (key.bannedUntil <= nowSeconds) return stored
  return changeKeyOrFail(context, 'keys unban', stored, { bannedUntil: 0, banCount: 0, refusalCount: 0 })
}

/**
 * Revokes a key: its next request is refused. A key that cannot be read can be revoked too.
 *
 * @param idOrKey the id of the key, or the API key itself
 */
export const revokeKey = async (context: KeyContext, idOrKey: string): Promise<StoredKey> =>
  revokeStoredKey(context, 'keys revoke', await findKey(context.environment, idOrKey))

/** Revokes all keys, including those that are issued meanwhile. @returns the number of revoked keys */
export const revokeAllKeys = async (context: KeyContext): Promise<number> => {
  let revokedCount = 0
  let keysToRevoke = await listUnrevokedKeys(context)
  while (keysToRevoke.length > 0) {
    const progress = startProgress('keys', keysToRevoke.length)
    for (const stored of keysToRevoke) {
      await revokeStoredKey(context, 'keys revoke --all', stored)
      progress.count(1)
    }
    revokedCount += keysToRevoke.length
    keysToRevoke = await listUnrevokedKeys(context)
  }
  return revokedCount
}

/** Lists the keys that are not revoked, also those that have expired or cannot be read. */
const listUnrevokedKeys = async ({ environment }: KeyContext): Promise<readonly StoredKey[]> => {
  const storedKeys = await listStoredKeys(environment)
  return storedKeys.filter(({ state }) => state !== 'revoked')
}

/**
 * Revokes a key, and tries again if another command has changed the key meanwhile. A key that was revoked without the
 * commands has no `revokedAt`: it is revoked once more, so that the audit has the revocation.
 */
const revokeStoredKey = async (context: KeyContext, action: string, stored: StoredKey): Promise<StoredKey> => {
  if (stored['state'] === 'revoked' && stored['revokedAt'] !== undefined) return stored
  const changes = { state: 'revoked', revokedAt: readNowSeconds(context) } as const
  const { isChanged, key } = await changeKey(context, action, stored, changes)
  return isChanged ? key : revokeStoredKey(context, action, key)
}

/**
 * Chooses the limits of a key: those of its plan, or for `enterprise` those of the settings.
 *
 * @throws UsageError if the settings do not fit the plan
 */
export const chooseLimits = (plan: Plan, { perMinute, perDay }: LimitSettings): Limits => {
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
 * Checks that the throttle of API Gateway admits as many requests as the limit of a key. All callers of one method
 * share this throttle. Beyond it a caller would get 429 although the key has requests remaining. A local environment
 * has no throttle.
 *
 * @param perMinute the limit that an operator gives; undefined for the plans with fixed limits, which every throttle
 * admits
 * @throws UsageError that says what to raise
 */
export const requireThrottle = (name: NamedTableAccess['name'], perMinute = 0): void => {
  if (name === 'local') return
  const { requestsPerSecond } = environments[name].methodThrottle
  const admitted = requestsPerSecond * 60
  if (perMinute <= admitted) return
  throw new UsageError(
    `${name} admits ${formatNumber(admitted)} requests a minute to one method, from all callers together: give at most ` +
      `--per-minute ${admitted}, or first raise ${name}.methodThrottle in infra/environments.ts and deploy it.`,
  )
}

/**
 * Decides the attributes that settings change. Values that the key has already are left out.
 *
 * The end of a key can be changed even after it has passed: the key then works again.
 *
 * A key whose plan or end changes gets another gateway key, the key in API Gateway by which a usage plan counts. After
 * a change of the plan, the present gateway key would count on the old usage plan. After a change of the end, the
 * function `gateway-keys` may be about to delete the present one. `meteredFrom`, the time from which API Gateway has
 * the gateway key, is removed with it.
 *
 * @throws ConflictError if the state of the key forbids the change; UsageError if the limits do not fit the plan
 */
const decideKeyChange = (key: ApiKeyRecord, settings: KeySettings, nowSeconds: number): KeyChange => {
  const { overlapSeconds } = settings
  const changesEnd = settings.expiresAt !== undefined || overlapSeconds !== undefined
  const renewsKey = key.state !== 'revoked' && changesEnd
  if (!renewsKey && !isUsable(key, nowSeconds)) throw explainUnusable(key, nowSeconds)
  if (overlapSeconds !== undefined && key.overlapEndsAt === undefined) {
    throw new ConflictError(`The API key ${key.keyId} has no successor, and so no overlap. "set" its --valid-until.`)
  }

  const { owner = key.owner, contact = key.contact, scope = key.scope, expiresAt = key.expiresAt } = settings
  const terms: KeyChange = {
    owner,
    // Empty text removes the contact.
    contact: contact || undefined,
    scope,
    expiresAt: expiresAt === 'never' ? undefined : expiresAt,
    overlapEndsAt: overlapSeconds === undefined ? key.overlapEndsAt : nowSeconds + overlapSeconds,
    ...choosePlan(key, settings),
  }
  const differing = Object.entries(terms).filter(([name, value]) => key[name as keyof ApiKeyRecord] !== value)
  const changes: KeyChange = Object.fromEntries(differing)
  const needsGatewayKey = differing.some(([name]) => ['plan', 'expiresAt', 'overlapEndsAt'].includes(name))
  return needsGatewayKey ? { ...changes, gatewayKey: createGatewayKeyValue(), meteredFrom: undefined } : changes
}

/** Chooses the new plan and limits of a key. Settings that have neither a plan nor a limit change none of them. */
const choosePlan = (key: ApiKeyRecord, settings: KeySettings): KeyChange => {
  if (settings.plan === undefined && settings.perMinute === undefined && settings.perDay === undefined) return {}
  const { plan = key.plan } = settings
  let { perMinute, perDay } = settings
  if (plan === 'enterprise' && key.plan === 'enterprise') {
    // A key that stays in enterprise keeps a limit that the settings lack.
    perMinute ??= key.minuteLimit
    perDay ??= key.dayLimit
  }
  const limits = chooseLimits(plan, { perMinute, perDay })
  return { plan, minuteLimit: limits.perMinute, dayLimit: limits.perDay }
}
