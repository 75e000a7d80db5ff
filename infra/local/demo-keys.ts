import { createHash } from 'node:crypto'
import { type ApiKeyPrefix, formatApiKey, minimumRandomLength } from '../../shared/api-keys/api-key.ts'
import { createKeyReader, isUsable } from '../../shared/api-keys/api-key-record.ts'
import { fixedPlans, type Limits, planNames } from '../../shared/api-keys/plans.ts'
import { systemClock } from '../../shared/clock.ts'
import type { KeyAdministration } from '../operations/keys/administration.ts'

/** Limits of the demo key of the enterprise plan. Keys of this plan have limits of their own. */
const enterpriseLimits: Limits = { perMinute: 5_000, perDay: 1_000_000 }

/**
 * Derives one demo key for each plan from the plan's name, so that the keys are the same on every machine and can
 * stand in documentation. Demo keys exist in local environments only.
 */
export const deriveDemoKeys = (prefix: ApiKeyPrefix) =>
  planNames.map((plan) => {
    const planHash = createHash('sha256').update(plan).digest('hex')
    return {
      plan,
      limits: plan === 'enterprise' ? enterpriseLimits : fixedPlans[plan],
      apiKey: formatApiKey(prefix, planHash.slice(0, minimumRandomLength)),
    }
  })

export type DemoKey = ReturnType<typeof deriveDemoKeys>[number]

const readDemoKey = createKeyReader(
  ['plan', 'state', 'minuteLimit', 'dayLimit'],
  ['successor', 'expiresAt', 'overlapEndsAt'],
)

/**
 * Issues the demo keys that the environment has never had, and gives the others their current limits. A key that cannot
 * be read stays as it is, and so does one that an operator has ended.
 *
 * @returns the keys that work, without those that an operator has ended
 */
export const issueDemoKeys = async (
  administration: KeyAdministration,
  keys: readonly DemoKey[],
): Promise<readonly DemoKey[]> => {
  const areUsable = await Promise.all(keys.map((key) => issueDemoKey(administration, key)))
  return keys.filter((_key, index) => areUsable[index])
}

/** @returns whether the key works, as far as it can be read */
const issueDemoKey = async (administration: KeyAdministration, key: DemoKey): Promise<boolean> => {
  const { apiKey, plan, limits } = key
  await administration.issueKnown(apiKey, { owner: 'demo', plan, limits })

  const reading = readDemoKey(await administration.find(apiKey))
  if (reading.kind === 'malformed') return true

  const { value: record } = reading
  if (!isUsable(record, systemClock() / 1_000)) return false
  const hasCurrentLimits = record.minuteLimit === limits.perMinute && record.dayLimit === limits.perDay
  // A key that was moved or rotated keeps its limits.
  const isAsIssued = record.plan === plan && record.successor === undefined
  if (!hasCurrentLimits && isAsIssued) await administration.move(apiKey, plan, limits)
  return true
}
