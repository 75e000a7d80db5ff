import { createHash } from 'node:crypto'
import { type ApiKeyPrefix, formatApiKey, minimumRandomLength } from '../../shared/api-keys/api-key.ts'
import { type Allowance, fixedPlans, planNames } from '../../shared/api-keys/plans.ts'
import type { KeyAdministration } from '../operations/keys/administration.ts'

/** For the demo key of the enterprise plan, whose keys have individual allowances. */
const enterpriseAllowance: Allowance = { perMinute: 5_000, perDay: 1_000_000 }

/**
 * A key for each plan. They are derived, not drawn, so that documentation can show them and every machine has the same;
 * they exist in local environments only.
 */
export const deriveDemoKeys = (prefix: ApiKeyPrefix) =>
  planNames.map((plan) => ({
    plan,
    allowance: plan === 'enterprise' ? enterpriseAllowance : fixedPlans[plan],
    apiKey: formatApiKey(prefix, createHash('sha256').update(plan).digest('hex').slice(0, minimumRandomLength)),
  }))

/** Issues those that were never issued here, and gives the others the limits of today. One that was revoked or moved stays so. */
export const issueDemoKeys = async (
  administration: KeyAdministration,
  keys: ReturnType<typeof deriveDemoKeys>,
): Promise<void> => {
  await Promise.all(
    keys.map(async ({ apiKey, plan, allowance }) => {
      await administration.issueKnown(apiKey, { owner: 'demo', plan, allowance })
      const record = await administration.show(apiKey)
      const isCurrent = record.minuteLimit === allowance.perMinute && record.dayLimit === allowance.perDay
      if (isCurrent || record.plan !== plan || record.state !== 'active' || record.successor !== undefined) return
      await administration.move(apiKey, plan, allowance)
    }),
  )
}
