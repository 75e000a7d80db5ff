import { setTimeout } from 'node:timers/promises'
import {
  type APIGatewayClient,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsagePlanKeys,
} from '@aws-sdk/client-api-gateway'
import type { ApiKeyRecord } from '../../shared/api-keys/api-key-record.ts'
import { type Plan, planNames } from '../../shared/api-keys/plans.ts'

/** An API key of API Gateway, by which usage plans count. Callers do not send it (`authorizer/metering.ts`). */
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

/** All gateway keys of an environment. */
interface GatewayKeys {
  /** The gateway keys that belong to callers' API keys: all but the unlimited one. */
  readonly gatewayKeys: readonly GatewayKey[]
  /**
   * Whether the unlimited gateway key is there and enabled, on which API Gateway meters requests that must not be
   * refused. CloudFormation creates it, and this function cannot repair it.
   */
  readonly isUnlimitedKeyUsable: boolean
}

/**
 * The pause before each call to API Gateway. API Gateway allows ten calls and five new keys a second in an account and
 * Region, shared by everything that runs there ("Amazon API Gateway quotas"). The calls of this function follow one
 * another, so it makes at most four calls a second, and with two calls for each new key two new keys a second.
 */
const pauseMilliseconds = 250

/** The number of keys in a page of a list; API Gateway's maximum. */
const pageSize = 500

/** The part of an environment that this client needs. */
interface GatewayEnvironment {
  /** Name of the environment, such as `staging`. */
  readonly name: string
  /** Value of the unlimited gateway key. */
  readonly unlimitedKey: string
  readonly usagePlanIds: Readonly<Record<Plan, string>>
}

/**
 * Creates a client for the API Gateway keys of one environment. The name and a tag of each key show its environment,
 * and the client ignores keys of other environments.
 *
 * @example
 * const gateway = createGatewayKeyClient(new APIGatewayClient(), { name: 'staging', unlimitedKey, usagePlanIds })
 * await gateway.create(record)
 */
export const createGatewayKeyClient = (
  client: APIGatewayClient,
  { name: environment, unlimitedKey, usagePlanIds }: GatewayEnvironment,
  pause: (milliseconds: number) => Promise<unknown> = setTimeout,
) => {
  // The middleware pauses before each call that `client` makes.
  client.middlewareStack.add((next) => async (request) => {
    await pause(pauseMilliseconds)
    return next(request)
  })
  const namePrefix = `pet-adoption-${environment}-`

  const listKeys = async () => {
    // nameQuery finds every key whose name begins with the prefix, the unlimited gateway key too.
    const pages = paginateGetApiKeys({ client, pageSize }, { nameQuery: namePrefix, includeValues: true })
    return (await Array.fromAsync(pages)).flatMap(({ items = [] }) => items)
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
    list: async (): Promise<GatewayKeys> => {
      const keys = await listKeys()
      const plans = await findPlansByKeyId()
      // The id of an API key begins with `key_`. The tag is checked too, because somebody may create a key by hand.
      const keysOfApiKeys = keys.filter(
        ({ name, tags }) => name?.startsWith(`${namePrefix}key_`) && tags?.['environment'] === environment,
      )
      return {
        // API Gateway returns an id and a value for each key, though the types of the SDK let both be missing.
        gatewayKeys: keysOfApiKeys.map(({ id = '', value = '' }) => ({ id, value, plan: plans.get(id) })),
        isUnlimitedKeyUsable: keys.some(({ value, enabled }) => value === unlimitedKey && enabled === true),
      }
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

    /**
     * Deletes a gateway key by its id. API Gateway also removes the gateway key from its usage plan. One that is gone
     * already was deleted by another run, because a schedule may start the function twice. So that is no failure.
     */
    remove: async (id: string): Promise<void> => {
      try {
        await client.send(new DeleteApiKeyCommand({ apiKey: id }))
      } catch (error) {
        if (!(error instanceof NotFoundException)) throw error
      }
    },
  }
}

export type GatewayKeyClient = ReturnType<typeof createGatewayKeyClient>
