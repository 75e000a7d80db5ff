import {
  type APIGatewayClient,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsagePlanKeys,
} from '@aws-sdk/client-api-gateway'
import type { ApiKeyRecord, KeyId } from '../../../../shared/api-keys/api-key-record.ts'
import { type Plan, planNames } from '../../../../shared/api-keys/plans.ts'
import type { DeployedEnvironment } from '../../target/deployed-environment.ts'
import type { EdgeRegistry, GatewayKey, PlacedGatewayKey } from '../edge-registry.ts'

/** The maximum of API Gateway. */
const pageSize = 500

/** The API keys and usage plans of API Gateway. The name of a key there is that of its environment and our key id. */
export class GatewayRegistry implements EdgeRegistry {
  readonly #client: APIGatewayClient
  readonly #environment: DeployedEnvironment

  constructor(client: APIGatewayClient, environment: DeployedEnvironment) {
    this.#client = client
    this.#environment = environment
  }

  async put(record: ApiKeyRecord): Promise<void> {
    const { keyId, gatewayKey: value, plan } = record
    const find = async () => (await this.find(keyId)).find((key) => key.value === value)?.id
    // A command that was interrupted has made it, or a call whose response was lost, or another command at the same time.
    const id = (await find()) ?? (await this.#create(record)) ?? (await find())
    if (id === undefined) throw new Error(`API Gateway has a key with the value of ${keyId} under another name.`)
    const { usagePlanIds } = this.#environment
    const membership = { usagePlanId: usagePlanIds[plan], keyId: id, keyType: 'API_KEY' }
    // No two plans are asked for with one value, so it is in this one.
    await ignoring(ConflictException, this.#client.send(new CreateUsagePlanKeyCommand(membership)))
  }

  /** @returns its id, unless there is a key of this value */
  async #create({ keyId, gatewayKey: value, owner }: ApiKeyRecord): Promise<string | undefined> {
    const tags = { environment: this.#environment.name, keyId, owner: owner.replaceAll(notInTags, '_') }
    const key = { name: this.#nameOf(keyId), value, tags, enabled: true }
    return (await ignoring(ConflictException, this.#client.send(new CreateApiKeyCommand(key))))?.id
  }

  async list(): Promise<PlacedGatewayKey[]> {
    const members = await Promise.all(planNames.map(async (plan) => ({ plan, ids: await this.#members(plan) })))
    const keys = await this.find('')
    return keys.map((key) => ({ ...key, plans: members.filter(({ ids }) => ids.has(key.id)).map(({ plan }) => plan) }))
  }

  /** API Gateway takes a deleted key out of its usage plan. */
  async remove({ id }: GatewayKey): Promise<void> {
    await ignoring(NotFoundException, this.#client.send(new DeleteApiKeyCommand({ apiKey: id })))
  }

  #nameOf(keyId: string): string {
    return `pet-adoption-${this.#environment.name}-${keyId}`
  }

  /** @param keyId all of this environment without it */
  async find(keyId: KeyId | ''): Promise<GatewayKey[]> {
    const nameQuery = this.#nameOf(keyId)
    const keys: GatewayKey[] = []
    // The query finds every name that begins with this one.
    const pages = paginateGetApiKeys({ client: this.#client, pageSize }, { nameQuery, includeValues: true })
    for await (const { items = [] } of pages) {
      for (const { id = '', name = '', value = '' } of items) {
        const named = name.startsWith(this.#nameOf('')) ? name.slice(this.#nameOf('').length) : ''
        if (isKeyId(named) && (keyId === '' || keyId === named)) keys.push({ id, keyId: named, value })
      }
    }
    return keys
  }

  async #members(plan: Plan): Promise<Set<string>> {
    const ids = new Set<string>()
    const usagePlanId = this.#environment.usagePlanIds[plan]
    for await (const { items = [] } of paginateGetUsagePlanKeys({ client: this.#client, pageSize }, { usagePlanId })) {
      for (const { id } of items) if (id !== undefined) ids.add(id)
    }
    return ids
  }
}

const isKeyId = (name: string): name is KeyId => /^key_[0-9a-z]+$/.test(name)

/** What API Gateway takes in no tag ("CreateApiKey" in the API reference). */
const notInTags = /[^0-9A-Za-z+\-=._:/]/g

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
