import { createHash } from 'node:crypto'
import { type ApiKeyPrefix, formatApiKey, minimumRandomLength } from '../../shared/api-keys/api-key.ts'
import { type Allowance, fixedPlans, planNames } from '../../shared/api-keys/plans.ts'
import type { KeyAdministration } from '../operations/keys/administration.ts'

/** Allowance of the demo key of the enterprise plan. Keys of this plan have individual allowances. */
const enterpriseAllowance: Allowance = { perMinute: 5_000, perDay: 1_000_000 }

/**
 * Derives one demo key for each plan from the plan's name, so that the keys are the same on every machine and can
 * stand in documentation. Demo keys exist in local environments only.
 */
export const deriveDemoKeys = (prefix: ApiKeyPrefix) =>
  planNames.map((plan) => {
    const planHash = createHash('sha256').update(plan).digest('hex')
    return {
      plan,
      allowance: plan === 'enterprise' ? enterpriseAllowance : fixedPlans[plan],
      apiKey: formatApiKey(prefix, planHash.slice(0, minimumRandomLength)),
    }
  })

type DemoKey = ReturnType<typeof deriveDemoKeys>[number]

/** Issues the demo keys that the environment has never had, and gives the others their current limits. */
export const issueDemoKeys = async (administration: KeyAdministration, keys: readonly DemoKey[]): Promise<void> => {
  await Promise.all(keys.map((key) => issueDemoKey(administration, key)))
}

const issueDemoKey = async (administration: KeyAdministration, key: DemoKey): Promise<void> => {
  const { apiKey, plan, allowance } = key
  await administration.issueKnown(apiKey, { owner: 'demo', plan, allowance })

  const record = await administration.show(apiKey)
  const hasCurrentLimits = record.minuteLimit === allowance.perMinute && record.dayLimit === allowance.perDay
  if (hasCurrentLimits) return

  // A key that was moved, revoked or rotated stays as it is.
  const isAsIssued = record.plan === plan && record.state === 'active' && record.successor === undefined
  if (isAsIssued) await administration.move(apiKey, plan, allowance)
}
