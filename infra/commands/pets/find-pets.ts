import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { UserError } from '../../command-line/user-error.ts'
import type { PetTable } from './pet-table.ts'

/**
 * Finds the items of ids.
 *
 * @param isFound tells whether an item is what the command looks for
 * @throws UserError that names the ids without such an item
 */
export const requireItems = async (
  table: PetTable,
  ids: readonly bigint[],
  isFound: (item: Attributes) => boolean,
): Promise<readonly Attributes[]> => {
  const items = await table.findItems(ids)
  const found: Attributes[] = []
  const missingIds: bigint[] = []
  for (const id of ids) {
    const item = items.get(id)
    if (item !== undefined && isFound(item)) found.push(item)
    else missingIds.push(id)
  }
  if (missingIds.length > 0) throw new UserError(`No pet has the id ${missingIds.join(', ')}. Nothing is done.`)
  return found
}
