import { inject } from 'vitest'
import { reservedGatewayKey } from '../../infra/constructs/api/usage-plans.ts'
import type { EnvironmentName } from '../../infra/environments.ts'
import { type DeployedKeys, openDeployedKeys } from '../../infra/operations/keys/deployed/deployed-keys.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import type { Target } from './cdk.ts'
import { type Front, openFront } from './front.ts'
import { type Run, runNode } from './run.ts'

const emulator = inject('emulator')

/** Whether there is anything to test. */
export const isDeployed = emulator !== null

export const target = (): Target => emulated()

const emulated = () => {
  if (emulator === null) throw new Error('There is no emulator.')
  return emulator
}

/** An environment and the address at which its API answers here. */
export interface Reached extends DeployedKeys, AsyncDisposable {
  readonly baseUrl: string
  /** The emulator's own address of the API. */
  readonly emulatorUrl: string
}

export const reach = async (name: EnvironmentName): Promise<Reached> => {
  const keys = await openDeployedKeys(name)
  const { endpoint } = emulated()
  const id = restApiId(keys.environment.baseUrl)
  const front: Front = await openFront(endpoint, id, async (apiKey) => {
    // An environment that was destroyed has no table.
    const record = await keys.table.read(hashApiKey(apiKey)).catch(() => undefined)
    const { gatewayKey, meteredFrom = Number.POSITIVE_INFINITY } = record ?? {}
    const isOwn = gatewayKey !== undefined && meteredFrom * 1_000 <= Date.now()
    return isOwn ? gatewayKey : reservedGatewayKey(`pet-adoption-${name}-api`)
  })
  return {
    ...keys,
    baseUrl: front.baseUrl,
    emulatorUrl: `${endpoint}/restapis/${id}/v1/_user_request_`,
    [Symbol.asyncDispose]: front.close,
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
