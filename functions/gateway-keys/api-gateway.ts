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
import type { ApiKeyRecord, GatewayKeyValue } from '../../shared/api-keys/api-key-record.ts'
import { type Plan, planNames } from '../../shared/api-keys/plans.ts'
import type { GatewayKey } from './steps.ts'

/** What this function asks of API Gateway. */
export interface ApiGateway {
  /** All keys of this environment. */
  list(): Promise<GatewayKey[]>
  /** @returns API Gateway's own id of the key */
  create(record: Pick<ApiKeyRecord, 'keyId'>, value: GatewayKeyValue): Promise<string>
  place(id: string, plan: Plan): Promise<void>
  /** Deletes a key, with its place in a usage plan, if it is still there. */
  remove(id: string): Promise<void>
}

/** The maximum of API Gateway. */
const pageSize = 500

/**
 * API Gateway takes ten calls and five new keys a second of an account and Region, from all that use it there ("Amazon API
 * Gateway quotas"). Each new key takes two calls.
 */
const callsPerSecond = 4

/** The API keys and usage plans of API Gateway. The environment is in the name and in a tag of each key that is ours. */
export const apiGateway = (
  client: APIGatewayClient,
  environment: string,
  usagePlanIds: Readonly<Record<Plan, string>>,
): ApiGateway => {
  takeTime(client)
  const namePrefix = `pet-adoption-${environment}-`
  const isOurs = ({ name = '', tags }: ApiKey): boolean =>
    name.startsWith(`${namePrefix}key_`) && tags?.['environment'] === environment

  const members = async (plan: Plan) => {
    const pages = paginateGetUsagePlanKeys({ client, pageSize }, { usagePlanId: usagePlanIds[plan] })
    return { plan, ids: new Set((await Array.fromAsync(pages)).flatMap(({ items = [] }) => items.map(({ id }) => id))) }
  }

  return {
    list: async () => {
      // The query finds every name that begins with this one.
      const pages = paginateGetApiKeys({ client, pageSize }, { nameQuery: namePrefix, includeValues: true })
      const keys = (await Array.fromAsync(pages)).flatMap(({ items = [] }) => items)
      const plans = await Promise.all(planNames.map(members))
      return keys.filter(isOurs).map(({ id = '', value = '' }) => ({
        id,
        value,
        plans: plans.filter(({ ids }) => ids.has(id)).map(({ plan }) => plan),
      }))
    },
    create: async ({ keyId }, value) => {
      const key = { name: namePrefix + keyId, value, tags: { environment, keyId }, enabled: true }
      const { id } = await client.send(new CreateApiKeyCommand(key))
      if (id === undefined) throw new Error('API Gateway has created a key and named no id.')
      return id
    },
    place: async (keyId, plan) => {
      const membership = { usagePlanId: usagePlanIds[plan], keyId, keyType: 'API_KEY' }
      await client.send(new CreateUsagePlanKeyCommand(membership))
    },
    remove: async (apiKey) => {
      try {
        await client.send(new DeleteApiKeyCommand({ apiKey }))
      } catch (error) {
        if (!(error instanceof NotFoundException)) throw error
      }
    },
  }
}

/** Lets each call of a client wait until its time has come. */
const takeTime = (client: APIGatewayClient): void => {
  let free = 0
  client.middlewareStack.add(
    (next) => async (given) => {
      const time = Math.max(performance.now(), free)
      free = time + 1_000 / callsPerSecond
      await setTimeout(Math.max(0, time - performance.now()))
      return next(given)
    },
    { step: 'initialize', name: 'takeTime' },
  )
}
