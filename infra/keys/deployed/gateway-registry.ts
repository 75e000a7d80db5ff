import {
  type APIGatewayClient,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetUsagePlanKeyCommand,
  NotFoundException,
} from '@aws-sdk/client-api-gateway'
import type { KeyHash } from '../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../shared/api-keys/api-key-record.ts'
import { type Plan, planNames } from '../../../shared/api-keys/plans.ts'
import type { EdgeRegistry } from '../edge-registry.ts'
import { findGatewayKeys } from './gateway-keys.ts'

/**
 * The API keys and usage plans of API Gateway. Its own id of a key is stored nowhere: the key's name is
 * our key id, which no two keys share, so it is found by that. What a failure half-way leaves is found,
 * and finished, by the next call.
 */
export class GatewayRegistry implements EdgeRegistry {
  readonly #client: APIGatewayClient
  readonly #usagePlanIds: Readonly<Record<Plan, string>>

  constructor(client: APIGatewayClient, usagePlanIds: Readonly<Record<Plan, string>>) {
    this.#client = client
    this.#usagePlanIds = usagePlanIds
  }

  async assign(keyHash: KeyHash, keyId: KeyId, plan: Plan): Promise<void> {
    const gatewayKeyId = (await this.#find(keyId)) ?? (await this.#create(keyHash, keyId))
    const before = await this.#plansOf(gatewayKeyId)
    const others = before.filter((name) => name !== plan)
    // API Gateway takes a key into one plan of a stage, so it must leave the other first. Between the two
    // calls it is in none, and its requests are answered 401 api_key_not_ready.
    for (const other of others) await this.#leave(gatewayKeyId, other)
    if (before.includes(plan)) return
    try {
      await this.#join(gatewayKeyId, plan)
    } catch (error) {
      // Back to where it was. If that fails too, repeating the whole mends it.
      for (const other of others) await this.#join(gatewayKeyId, other).catch(() => undefined)
      throw error
    }
  }

  async remove(_keyHash: KeyHash, keyId: KeyId): Promise<void> {
    // One name can have several keys only if somebody made one by hand.
    for (const gatewayKeyId of await findGatewayKeys(this.#client, keyId)) {
      // AWS takes a deleted key out of its plans; the plan is left first so as not to rely on it.
      for (const plan of await this.#plansOf(gatewayKeyId)) await this.#leave(gatewayKeyId, plan)
      await ignoring(NotFoundException, this.#client.send(new DeleteApiKeyCommand({ apiKey: gatewayKeyId })))
    }
  }

  async #find(keyId: KeyId): Promise<string | undefined> {
    return (await findGatewayKeys(this.#client, keyId))[0]
  }

  async #create(keyHash: KeyHash, keyId: KeyId): Promise<string> {
    try {
      const { id } = await this.#client.send(new CreateApiKeyCommand({ name: keyId, value: keyHash, enabled: true }))
      if (id === undefined) throw new Error('API Gateway created a key and did not tell its id.')
      return id
    } catch (error) {
      // The SDK repeats a call whose answer was lost, and then finds the key that the first one made.
      const made = error instanceof ConflictException ? await this.#find(keyId) : undefined
      if (made === undefined) throw error
      return made
    }
  }

  /** The plans that the key is in, of this environment. */
  async #plansOf(gatewayKeyId: string): Promise<Plan[]> {
    const found = await Promise.all(
      planNames.map((plan) =>
        ignoring(
          NotFoundException,
          this.#client.send(new GetUsagePlanKeyCommand({ usagePlanId: this.#usagePlanIds[plan], keyId: gatewayKeyId })),
        ),
      ),
    )
    return planNames.filter((_plan, index) => found[index] !== undefined)
  }

  async #join(gatewayKeyId: string, plan: Plan): Promise<void> {
    const usagePlanId = this.#usagePlanIds[plan]
    try {
      await this.#client.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId: gatewayKeyId, keyType: 'API_KEY' }))
    } catch (error) {
      const isThere = error instanceof ConflictException && (await this.#plansOf(gatewayKeyId)).includes(plan)
      if (!isThere) throw error
    }
  }

  async #leave(gatewayKeyId: string, plan: Plan): Promise<void> {
    const usagePlanId = this.#usagePlanIds[plan]
    await ignoring(
      NotFoundException,
      this.#client.send(new DeleteUsagePlanKeyCommand({ usagePlanId, keyId: gatewayKeyId })),
    )
  }
}

/** `undefined` where the call fails with just this error. */
const ignoring = async <Answer>(
  expected: abstract new (...given: never[]) => Error,
  call: Promise<Answer>,
): Promise<Answer | undefined> => {
  try {
    return await call
  } catch (error) {
    if (error instanceof expected) return undefined
    throw error
  }
}
