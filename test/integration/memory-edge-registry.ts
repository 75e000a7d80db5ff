import type { EdgeRegistry, GatewayKey } from '../../infra/keys/edge-registry.ts'
import type { KeyHash } from '../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../shared/api-keys/api-key-record.ts'
import type { Plan } from '../../shared/api-keys/plans.ts'

/** What API Gateway would know of the keys. It can be told to fail. */
export class MemoryEdgeRegistry implements EdgeRegistry {
  readonly plans = new Map<KeyHash, Plan>()
  readonly #names = new Map<KeyHash, KeyId>()
  isFailing = false

  /** Every key that it was ever told, also where it was removed since. */
  get told(): KeyHash[] {
    return [...this.#names.keys()]
  }

  async assign(keyHash: KeyHash, keyId: KeyId, plan: Plan): Promise<void> {
    this.#failIfTold()
    this.#names.set(keyHash, keyId)
    this.plans.set(keyHash, plan)
  }

  async move(keyHash: KeyHash, _keyId: KeyId, plan: Plan): Promise<boolean> {
    this.#failIfTold()
    if (!this.plans.has(keyHash)) return false
    this.plans.set(keyHash, plan)
    return true
  }

  async remove(keyHash: KeyHash): Promise<void> {
    this.#failIfTold()
    this.plans.delete(keyHash)
  }

  async list(): Promise<GatewayKey[]> {
    return [...this.plans].flatMap(([keyHash, plan]) => {
      const keyId = this.#names.get(keyHash)
      return keyId === undefined ? [] : [{ keyHash, keyId, plans: [plan], createdAt: 0 }]
    })
  }

  #failIfTold(): void {
    if (this.isFailing) throw new Error('API Gateway is away.')
  }
}
