import type { ApiKeyRecord, KeyId } from '../../../shared/api-keys/api-key-record.ts'
import type { Plan } from '../../../shared/api-keys/plans.ts'

/** The API Gateway keys of an environment, each with its usage plan. The local environment has its own registry. */
export interface EdgeRegistry {
  /** Makes API Gateway have the key that a record names, in the usage plan of its plan. It can be repeated. */
  put(record: ApiKeyRecord): Promise<void>
  /** The API Gateway keys of one key: one, unless a command is unfinished. */
  find(keyId: KeyId): Promise<GatewayKey[]>
  /** All API Gateway keys of this environment, also those without a record. */
  list(): Promise<PlacedGatewayKey[]>
  /** Deletes an API Gateway key, if it is still there. */
  remove(key: GatewayKey): Promise<void>
}

/** An API key of API Gateway. */
export interface GatewayKey {
  /** API Gateway's own id. */
  readonly id: string
  readonly keyId: KeyId
  readonly value: string
}

export interface PlacedGatewayKey extends GatewayKey {
  /** The plans of this environment whose usage plans it is in: one, unless something went wrong. */
  readonly plans: readonly Plan[]
}
