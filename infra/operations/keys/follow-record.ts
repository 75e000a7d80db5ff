import type { KeyHash } from '../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../shared/api-keys/api-key-record.ts'
import type { Plan } from '../../../shared/api-keys/plans.ts'
import type { EdgeRegistry } from './edge-registry.ts'
import type { KeyTable } from './key-table.ts'

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
