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

/** An API key of API Gateway. */
export interface GatewayKey {
  /** The id that API Gateway gave the key. */
  readonly id: string
  /** The value that the authorizer names for a request, so that API Gateway meters the request on this key. */
  readonly value: string
  /**
   * The plan whose usage plan contains the key. There is at most one: all usage plans are of the same stage, and API
   * Gateway allows a key in one usage plan of a stage.
   */
  readonly plan: Plan | undefined
}

/**
 * The pause before each call to API Gateway. API Gateway allows ten calls and five new keys a second in an account and
 * Region, shared by everything that runs there ("Amazon API Gateway quotas"). Each call here waits for the previous
 * one, so this function makes at most four calls and, at two calls a key, two new keys a second.
 */
const pauseMilliseconds = 250

/** The number of keys in a page of a list; API Gateway's maximum. */
const pageSize = 500

/**
 * Creates a client for the API Gateway keys of one environment. The name and a tag of each key show its environment,
 * and the client ignores keys of other environments.
 *
 * @example
 * const gateway = createGatewayKeyClient(new APIGatewayClient(), 'staging', usagePlanIds)
 * await gateway.create(record)
 */
export const createGatewayKeyClient = (
  client: APIGatewayClient,
  environment: string,
  usagePlanIds: Readonly<Record<Plan, string>>,
  pause: (milliseconds: number) => Promise<unknown> = setTimeout,
) => {
  client.middlewareStack.add((next) => async (request) => {
    await pause(pauseMilliseconds)
    return next(request)
  })
  const namePrefix = `pet-adoption-${environment}-`

  const listKeys = async () => {
    // nameQuery finds every key whose name begins with the prefix.
    const pages = paginateGetApiKeys({ client, pageSize }, { nameQuery: namePrefix, includeValues: true })
    const keys = (await Array.fromAsync(pages)).flatMap(({ items = [] }) => items)
    // The name of the unlimited gateway key has the prefix too, but no key id follows.
    return keys.filter(
      ({ name, tags }) => name?.startsWith(`${namePrefix}key_`) && tags?.['environment'] === environment,
    )
  }

  /** Finds the plan of each gateway key, by the id of the gateway key: lists the keys of all usage plans. */
  const findPlansByKeyId = async () => {
    const plans = new Map<string | undefined, Plan>()
    for (const plan of planNames) {
      const pages = paginateGetUsagePlanKeys({ client, pageSize }, { usagePlanId: usagePlanIds[plan] })
      for await (const { items = [] } of pages) {
        for (const { id } of items) plans.set(id, plan)
      }
    }
    return plans
  }

  return {
    /** Lists all keys of the environment. */
    list: async (): Promise<GatewayKey[]> => {
      const keys = await listKeys()
      const plans = await findPlansByKeyId()
      return keys.map(({ id = '', value = '' }) => ({ id, value, plan: plans.get(id) }))
    },

    /** Creates the gateway key that a record names, and adds it to the usage plan of the record's plan. */
    create: async ({ keyId, gatewayKey, plan }: Pick<ApiKeyRecord, 'keyId' | 'gatewayKey' | 'plan'>): Promise<void> => {
      const { id } = await client.send(
        new CreateApiKeyCommand({
          name: namePrefix + keyId,
          value: gatewayKey,
          tags: { environment, keyId },
          enabled: true,
        }),
      )
      await client.send(
        new CreateUsagePlanKeyCommand({ usagePlanId: usagePlanIds[plan], keyId: id, keyType: 'API_KEY' }),
      )
    },

    /** Deletes a key, by API Gateway's id. API Gateway also removes it from its usage plan. */
    remove: async (id: string): Promise<void> => {
      await client.send(new DeleteApiKeyCommand({ apiKey: id }))
    },
  }
}

export type GatewayKeyClient = ReturnType<typeof createGatewayKeyClient>
