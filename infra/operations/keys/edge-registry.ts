import type { KeyHash } from '../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../shared/api-keys/api-key-record.ts'
import type { Plan } from '../../../shared/api-keys/plans.ts'
import type { KeyTable } from './key-table.ts'

/**
 * The API keys of API Gateway, and the usage plan of each. A key's value there is its hash, its name is the key id.
 * The local environment has its own registry. Every call can be repeated.
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
   * @param hasRecord whether the environment has a record of a key with this value
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

/**
 * Makes API Gateway have a key as the key's record says, and looks at the record again afterwards, because another
 * command may have changed it meanwhile: whichever command is the last to look, API Gateway ends as the record does.
 *
 * @param place puts the key into the usage plan of a plan
 */
export const followRecord = async (
  table: KeyTable,
  edge: EdgeRegistry,
  { keyHash, keyId }: { readonly keyHash: KeyHash; readonly keyId: KeyId },
  place: (plan: Plan) => Promise<void>,
): Promise<void> => {
  const planOfRecord = async (): Promise<Plan | undefined> => {
    const record = await table.read(keyHash)
    return record?.state === 'active' ? record.plan : undefined
  }
  let placed: Plan | undefined
  let plan = await planOfRecord()
  do {
    placed = plan
    if (placed === undefined) await edge.remove(keyHash, keyId)
    else await place(placed)
    plan = await planOfRecord()
  } while (plan !== placed)
}
