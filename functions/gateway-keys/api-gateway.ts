import { setTimeout } from 'node:timers/promises'
import {
  type APIGatewayClient,
  type ApiKey,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsagePlanKeys,
} from '@aws-sdk/client-api-gateway'
import type { ApiKeyRecord } from '../../shared/api-keys/api-key-record.ts'
import { type Plan, planNames } from '../../shared/api-keys/plans.ts'
import type { GatewayKey } from './steps.ts'

/** The maximum of API Gateway. */
const pageSize = 500

/**
 * API Gateway takes ten calls and five new keys a second of an account and Region, from all that use it there ("Amazon API
 * Gateway quotas"). These are four calls a second; each new key takes two.
 */
const millisecondsPerCall = 250

export type ApiGateway = ReturnType<typeof apiGateway>

/** The API keys and usage plans of API Gateway. The environment is in the name and in a tag of each key that is ours. */
export const apiGateway = (
  client: APIGatewayClient,
  environment: string,
  usagePlanIds: Readonly<Record<Plan, string>>,
) => {
  let turn: Promise<unknown> = Promise.resolve()
  client.middlewareStack.add(
    (next) => async (given) => {
      const mine = turn
      turn = mine.then(() => setTimeout(millisecondsPerCall))
      await mine
      return next(given)
    },
    { step: 'initialize', name: 'takeTurns' },
  )

  const namePrefix = `pet-adoption-${environment}-`
  const isOurs = ({ name = '', tags }: ApiKey): boolean =>
    name.startsWith(`${namePrefix}key_`) && tags?.['environment'] === environment

  return {
    /** All keys of this environment. */
    list: async (): Promise<GatewayKey[]> => {
      // The query finds every name that begins with this one.
      const named = paginateGetApiKeys({ client, pageSize }, { nameQuery: namePrefix, includeValues: true })
      const keys = (await Array.fromAsync(named)).flatMap(({ items = [] }) => items)
      const plans = new Map<string | undefined, Plan>()
      for (const plan of planNames) {
        const members = paginateGetUsagePlanKeys({ client, pageSize }, { usagePlanId: usagePlanIds[plan] })
        for await (const { items = [] } of members) for (const { id } of items) plans.set(id, plan)
      }
      return keys.filter(isOurs).map(({ id = '', value = '' }) => ({ id, value, plan: plans.get(id) }))
    },
    /** @returns API Gateway's own id of the key */
    create: async ({ keyId, gatewayKey: value }: Pick<ApiKeyRecord, 'keyId' | 'gatewayKey'>): Promise<string> => {
      const key = { name: namePrefix + keyId, value, tags: { environment, keyId }, enabled: true }
      const { id } = await client.send(new CreateApiKeyCommand(key))
      if (id === undefined) throw new Error('API Gateway has created a key and named no id.')
      return id
    },
    place: async (keyId: string, plan: Plan): Promise<void> => {
      const membership = { usagePlanId: usagePlanIds[plan], keyId, keyType: 'API_KEY' }
      await client.send(new CreateUsagePlanKeyCommand(membership))
    },
    /** Deletes a key, with its place in a usage plan. It may be gone: a response was lost, or another run has deleted it. */
    remove: async (apiKey: string): Promise<void> => {
      await client.send(new DeleteApiKeyCommand({ apiKey })).catch((error: unknown) => {
        if (!(error instanceof NotFoundException)) throw error
      })
    },
  }
}
