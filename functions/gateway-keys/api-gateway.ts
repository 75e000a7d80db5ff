import { setTimeout } from 'node:timers/promises'
import {
  type APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  paginateGetApiKeys,
  paginateGetUsagePlanKeys,
} from '@aws-sdk/client-api-gateway'
import type { ApiKeyRecord } from '../../shared/api-keys/api-key-record.ts'
import { type Plan, planNames } from '../../shared/api-keys/plans.ts'

/** An API key of API Gateway, by API Gateway's own id. As usage plans are of one stage, it is in one at most. */
export type GatewayKey = { readonly id: string; readonly value: string; readonly plan: Plan | undefined }

/**
 * API Gateway takes ten calls and five new keys a second of an account and Region, from all that use it there ("Amazon API
 * Gateway quotas"). These are four calls a second, as each waits for the one before it; each new key takes two.
 */
const millisecondsPerCall = 250

/** The API keys of API Gateway that are ours: the environment is in the name and in a tag of each. */
export const createGatewayKeyClient = (
  client: APIGatewayClient,
  environment: string,
  usagePlanIds: Readonly<Record<Plan, string>>,
  pause: (milliseconds: number) => Promise<unknown> = setTimeout,
) => {
  client.middlewareStack.add((next) => async (given) => {
    await pause(millisecondsPerCall)
    return next(given)
  })
  const pages = { client, pageSize: 500 }
  const namePrefix = `pet-adoption-${environment}-`
  return {
    list: async (): Promise<GatewayKey[]> => {
      // The query finds every name that begins with this one.
      const named = paginateGetApiKeys(pages, { nameQuery: namePrefix, includeValues: true })
      const keys = (await Array.fromAsync(named)).flatMap(({ items = [] }) => items)
      const plans = new Map<string | undefined, Plan>()
      for (const plan of planNames) {
        const members = paginateGetUsagePlanKeys(pages, { usagePlanId: usagePlanIds[plan] })
        for await (const { items = [] } of members) for (const { id } of items) plans.set(id, plan)
      }
      return keys
        .filter(({ name, tags }) => name?.startsWith(`${namePrefix}key_`) && tags?.['environment'] === environment)
        .map(({ id = '', value = '' }) => ({ id, value, plan: plans.get(id) }))
    },
    /** Creates the key that a record asks for, in the usage plan of its plan. */
    create: async ({ keyId, gatewayKey: value, plan }: ApiKeyRecord): Promise<void> => {
      const key = { name: namePrefix + keyId, value, tags: { environment, keyId }, enabled: true }
      const { id } = await client.send(new CreateApiKeyCommand(key))
      const place = { usagePlanId: usagePlanIds[plan], keyId: id, keyType: 'API_KEY' }
      await client.send(new CreateUsagePlanKeyCommand(place))
    },
    /** Deletes a key, with its place in a usage plan. */
    remove: (apiKey: string): Promise<unknown> => client.send(new DeleteApiKeyCommand({ apiKey })),
  }
}
