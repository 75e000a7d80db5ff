import type { KeyHash } from '../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../shared/api-keys/api-key-record.ts'
import type { Plan } from '../../../shared/api-keys/plans.ts'

/**
 * Where API Gateway knows its API keys from, and which usage plan each belongs to. A key's value there is
 * its hash, its name is the key id. The local environment has a registry of its own; every call can be
 * repeated.
 */
export interface EdgeRegistry {
  /** Adds the key to the usage plan of its plan, or moves it there from another. Creates the key where it is missing. */
  assign(keyHash: KeyHash, keyId: KeyId, plan: Plan): Promise<void>
  /**
   * Moves a key to the usage plan of its plan. It never creates a key, so no order of calls leaves a key behind that
   * another command removes meanwhile.
   *
   * @returns whether there is such a key
   */
  move(keyHash: KeyHash, keyId: KeyId, plan: Plan): Promise<boolean>
  remove(keyHash: KeyHash, keyId: KeyId): Promise<void>
  /**
   * All API keys of this environment, also those without a record.
   *
   * @param hasRecord tells of a key's value whether the environment has a record of it
   */
  list(hasRecord: (keyHash: KeyHash) => boolean): Promise<GatewayKey[]>
}

/** An API key of API Gateway. */
export interface GatewayKey {
  readonly keyHash: KeyHash
  readonly keyId: KeyId
  /** The plans of this environment whose usage plans it is in: one, unless something went wrong. */
  readonly plans: readonly Plan[]
  /** Unix seconds. */
  readonly createdAt: number
}
