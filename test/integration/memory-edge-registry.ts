import type { EdgeRegistry } from '../../infra/keys/edge-registry.ts'
import type { KeyHash } from '../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../shared/api-keys/api-key-record.ts'
import type { Plan } from '../../shared/api-keys/plans.ts'

/** What API Gateway would know of the keys. It can be told to fail. */
export class MemoryEdgeRegistry implements EdgeRegistry {
  readonly plans = new Map<KeyHash, Plan>()
  /** Every key that it was ever told, also where it was removed since. */
  readonly told: KeyHash[] = []
  isFailing = false

  async assign(keyHash: KeyHash, _keyId: KeyId, plan: Plan): Promise<void> {
    this.#failIfTold()
    this.told.push(keyHash)
    this.plans.set(keyHash, plan)
  }

  async remove(keyHash: KeyHash): Promise<void> {
    this.#failIfTold()
    this.plans.delete(keyHash)
  }

  #failIfTold(): void {
    if (this.isFailing) throw new Error('API Gateway is away.')
  }
}
