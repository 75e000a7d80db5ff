import { expect, inject } from 'vitest'
import { reservedGatewayKey } from '../../infra/constructs/api/usage-plans.ts'
import type { EnvironmentName } from '../../infra/environments.ts'
import { type DeployedKeys, openDeployedKeys } from '../../infra/operations/keys/deployed/deployed-keys.ts'
import { GatewayRegistry } from '../../infra/operations/keys/deployed/gateway-registry.ts'
import type { PlacedGatewayKey } from '../../infra/operations/keys/edge-registry.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import { openFront } from './emulator/front.ts'
import { type Run, runNode } from './emulator/run.ts'

const provided = inject('emulator')

/** Whether there is anything to test. */
export const isDeployed = provided !== null

/** The emulator, and a folder that may be written. */
export const emulator = () => {
  if (provided === null) throw new Error('There is no emulator.')
  return provided
}

/** An environment and the address at which its API responds here. */
export interface Reached extends DeployedKeys, AsyncDisposable {
  readonly baseUrl: string
  /** Sends a request with an API key; with a body it is a POST. */
  request(apiKey: unknown, path: string, body?: string): Promise<Response>
  /** The status of a list with an API key. */
  statusOf(apiKey: unknown): Promise<number>
  /** Adds a pet with a key, and gives its path. */
  addPet(apiKey: unknown): Promise<string>
  /** What API Gateway has for a key. */
  gatewayKeysOf(keyId: unknown): Promise<readonly PlacedGatewayKey[]>
}

export const reach = async (name: EnvironmentName): Promise<Reached> => {
  const keys = await openDeployedKeys(name)
  const { endpoint } = emulator()
  const id = restApiId(keys.environment.baseUrl)
  const front = await openFront(endpoint, id, async (apiKey) => {
    // An environment that was destroyed has no table.
    const record = await keys.table.read(hashApiKey(apiKey)).catch(() => undefined)
    const { gatewayKey, meteredFrom = Number.POSITIVE_INFINITY } = record ?? {}
    const isOwn = gatewayKey !== undefined && meteredFrom * 1_000 <= Date.now()
    return isOwn ? gatewayKey : reservedGatewayKey(`pet-adoption-${name}-api`)
  })
  const baseUrl = `${front.endpoint}/v1`
  const request: Reached['request'] = (apiKey, path, body) =>
    fetch(baseUrl + path, {
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { method: 'POST', body }),
    })
  return {
    ...keys,
    baseUrl,
    request,
    statusOf: async (apiKey) => (await request(apiKey, '/pets?limit=1')).status,
    addPet: async (apiKey) => {
      const response = await request(apiKey, '/pets', '{"name":"Bella","categoryId":1}')
      const [, petId] = /^\{"id":(\d+),/.exec(await response.text()) ?? []
      expect([response.status, petId]).toEqual([201, expect.any(String)])
      return `/pets/${petId}`
    },
    gatewayKeysOf: async (keyId) =>
      (await new GatewayRegistry(keys.gateway, keys.environment).list()).filter((key) => key.keyId === keyId),
    [Symbol.asyncDispose]: front[Symbol.asyncDispose],
  }
}

/** A REST API's own address begins with its id. */
const restApiId = (baseUrl: string): string => new URL(baseUrl).hostname.split('.')[0] ?? ''

/** `npm run keys`, in a process of its own. */
export const runKeys = (
  words: readonly string[],
  variables?: Readonly<Record<string, string | undefined>>,
): Promise<Run> => runNode(['infra/operations/keys/keys.ts', ...words], variables)

/** The one JSON object that the command prints. */
export const keysJson = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
  const { exitCode, output, errors } = await runKeys([...words, '--json'])
  if (exitCode !== 0) throw new Error(`keys ${words.join(' ')} failed: ${errors}`)
  return JSON.parse(output)
}
