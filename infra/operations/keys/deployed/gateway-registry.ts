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
import type { KeyHash } from '../../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../../shared/api-keys/api-key-record.ts'
import { type Plan, planNames } from '../../../../shared/api-keys/plans.ts'
import type { DeployedEnvironment } from '../../target/deployed-environment.ts'
import type { EdgeRegistry, GatewayKey } from '../edge-registry.ts'
import { findGatewayKeys, listGatewayKeys, listPlanKeys } from './gateway-keys.ts'

/** What the registry needs of an environment. */
export type RegisteredEnvironment = Pick<DeployedEnvironment, 'name' | 'usagePlanIds'>

/**
 * The API keys and usage plans of API Gateway. Its own id of a key is stored nowhere: the key's name is
 * our key id and its value our key's hash, so it is found by these. What a failure half-way leaves is found,
 * and finished, by the next call.
 */
export class GatewayRegistry implements EdgeRegistry {
  readonly #client: APIGatewayClient
  readonly #usagePlanIds: Readonly<Record<Plan, string>>
  /** Identifies keys of this environment that are in no usage plan. */
  readonly #description: string

  constructor(client: APIGatewayClient, { name, usagePlanIds }: RegisteredEnvironment) {
    this.#client = client
    this.#usagePlanIds = usagePlanIds
    this.#description = `pet-adoption-${name}`
  }

  async assign(keyHash: KeyHash, keyId: KeyId, plan: Plan): Promise<void> {
    const gatewayKeyId = (await this.#find(keyHash, keyId)) ?? (await this.#create(keyHash, keyId))
    await this.#place(gatewayKeyId, plan)
  }

  async move(keyHash: KeyHash, keyId: KeyId, plan: Plan): Promise<boolean> {
    const gatewayKeyId = await this.#find(keyHash, keyId)
    if (gatewayKeyId === undefined) return false
    try {
      await this.#place(gatewayKeyId, plan)
      return true
    } catch (error) {
      // Another command has deleted it meanwhile.
      if (error instanceof NotFoundException) return false
      throw error
    }
  }

  async remove(keyHash: KeyHash, keyId: KeyId): Promise<void> {
    for (const gatewayKeyId of await findGatewayKeys(this.#client, keyId, keyHash)) {
      // AWS takes a deleted key out of its plans; the plan is left first so as not to rely on it.
      for (const plan of await this.#plansOf(gatewayKeyId)) await this.#leave(gatewayKeyId, plan)
      await ignoring(NotFoundException, this.#client.send(new DeleteApiKeyCommand({ apiKey: gatewayKeyId })))
    }
  }

  /**
   * The account's other APIs and the other environment have keys too. Those of this one have the form of its key ids
   * and values, and are in a usage plan of it, or have its description, or it has a record of them.
   */
  async list(hasRecord: (keyHash: KeyHash) => boolean): Promise<GatewayKey[]> {
    const members = await Promise.all(
      planNames.map(async (plan) => ({ plan, ids: await listPlanKeys(this.#client, this.#usagePlanIds[plan]) })),
    )
    const keys: GatewayKey[] = []
    for await (const { id = '', name = '', value = '', description, createdDate } of listGatewayKeys(this.#client)) {
      if (!isKeyId(name) || !isKeyHash(value)) continue
      const plans = members.filter(({ ids }) => ids.has(id)).map(({ plan }) => plan)
      if (plans.length === 0 && description !== this.#description && !hasRecord(value)) continue
      keys.push({ keyHash: value, keyId: name, plans, createdAt: (createdDate?.getTime() ?? 0) / 1_000 })
    }
    return keys
  }

  async #find(keyHash: KeyHash, keyId: KeyId): Promise<string | undefined> {
    return (await findGatewayKeys(this.#client, keyId, keyHash))[0]
  }

  async #create(keyHash: KeyHash, keyId: KeyId): Promise<string> {
    const key = { name: keyId, value: keyHash, description: this.#description, enabled: true }
    try {
      const { id } = await this.#client.send(new CreateApiKeyCommand(key))
      if (id === undefined) throw new Error('API Gateway created a key and did not return its id.')
      return id
    } catch (error) {
      // The SDK retries a call whose response was lost, and then finds the key that the first one made.
      const made = error instanceof ConflictException ? await this.#find(keyHash, keyId) : undefined
      if (made === undefined) throw error
      return made
    }
  }

  async #place(gatewayKeyId: string, plan: Plan, attempts = 5): Promise<void> {
    const before = await this.#plansOf(gatewayKeyId)
    const others = before.filter((name) => name !== plan)
    // API Gateway takes a key into one plan of a stage, so it must leave the other first. Between the two
    // calls it is in none, and its requests get 401 api_key_not_ready.
    for (const other of others) await this.#leave(gatewayKeyId, other)
    if (before.includes(plan)) return
    try {
      await this.#join(gatewayKeyId, plan)
    } catch (error) {
      // Another command has just put it into another plan.
      if (error instanceof ConflictException && attempts > 1) return this.#place(gatewayKeyId, plan, attempts - 1)
      // Back to where it was. If that fails too, running the command again fixes it.
      for (const other of others) await this.#join(gatewayKeyId, other).catch(() => undefined)
      throw error
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

// The forms that this service gives them.
const isKeyId = (name: string): name is KeyId => /^key_[0-9a-z]+$/.test(name)
const isKeyHash = (value: string): value is KeyHash => /^[0-9a-f]{64}$/.test(value)

/** `undefined` where the call fails with just this error. */
const ignoring = async <Result>(
  expected: abstract new (...given: never[]) => Error,
  call: Promise<Result>,
): Promise<Result | undefined> => {
  try {
    return await call
  } catch (error) {
    if (error instanceof expected) return undefined
    throw error
  }
}
