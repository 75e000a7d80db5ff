import type { KeyHash } from '../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../shared/api-keys/api-key-record.ts'
import type { Plan } from '../../shared/api-keys/plans.ts'

/**
 * Where API Gateway knows its API keys from, and which usage plan each belongs to. A key's value there is
 * its hash, its name is the key id. The local environment has a registry of its own; every call can be
 * repeated.
 */
export interface EdgeRegistry {
  /** Adds the key to the usage plan of its plan, or moves it there from another. */
  assign(keyHash: KeyHash, keyId: KeyId, plan: Plan): Promise<void>
  remove(keyHash: KeyHash, keyId: KeyId): Promise<void>
}
