import { createHash } from 'node:crypto'
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb'
import { type ApiKeyPrefix, formatApiKey, hashApiKey, minimumRandomLength } from '../../shared/api-keys/api-key.ts'
import { fixedPlans, type Limits, planNames } from '../../shared/api-keys/plans.ts'
import { systemClock } from '../../shared/clock.ts'
import { createKey } from '../commands/keys/key.ts'

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

/**
 * Writes the demo keys anew, whatever has become of them. Their ids stay, and with them the scope of their idempotency
 * keys: a creation that is repeated after a restart adds no second pet.
 */
export const writeDemoKeys = async (
  database: DynamoDBDocumentClient,
  table: string,
  demoKeys: readonly DemoKey[],
): Promise<void> => {
  const writeDemoKey = ({ plan, limits, apiKey }: DemoKey) => {
    const { record } = createKey('pet_test_', systemClock(), { owner: 'demo', plan, limits })
    const keyId = `key_demo_${plan}`
    const item = { ...record, keyId, idempotencyScope: keyId, keyHash: hashApiKey(apiKey) }
    return database.send(new PutCommand({ TableName: table, Item: item }))
  }
  await Promise.all(demoKeys.map(writeDemoKey))
}
