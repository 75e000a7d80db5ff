/** Removal of the pets and keys that runs of the smoke test have left. */
import { DeleteCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import type { Limits, Plan } from '../../../shared/api-keys/plans.ts'
import type { Attributes } from '../../../shared/dynamodb/conditional-write.ts'
import { petFields } from '../../../shared/pets/pet.ts'
import type { Audit } from '../environment/audit.ts'
import type { Environment } from '../environment/open-environment.ts'
import type { KeyAdministration } from '../keys/administration.ts'
import { type KeyOrder, smokeOwner } from '../keys/key.ts'

/** Lifetime of a key of the smoke test. It ends even if no later run sweeps it. */
export const smokeKeySeconds = 3_600

/**
 * Creates the order of a key for a run of the smoke test. The contact of the key is the id of the run.
 *
 * @param run id of the run
 */
export const createSmokeKeyOrder = (run: string, plan: Plan, limits: Limits): KeyOrder => ({
  owner: smokeOwner,
  contact: run,
  plan,
  limits,
  expiresAt: Math.floor(Date.now() / 1_000) + smokeKeySeconds,
})

/**
 * Removes the pets that runs of the smoke test have added, and then revokes the keys of these runs. A pet names the
 * key that has added it. If a sweep is killed, a later one repeats it, because the keys are revoked last.
 *
 * @param isSwept selects the runs by their active keys
 */
export const sweepSmokeRuns = async (
  { database, tables }: Pick<Environment, 'database' | 'tables'>,
  { audit, keys }: { readonly audit: Audit; readonly keys: KeyAdministration },
  isSwept: (key: ApiKeyRecord) => boolean,
): Promise<void> => {
  const { keys: allKeys } = await keys.list()
  const smokeKeys = allKeys.filter(({ owner }) => owner === smokeOwner)
  const keysToRevoke = smokeKeys.filter((key) => key.state === 'active' && isSwept(key))
  if (keysToRevoke.length === 0) return

  // A test may have revoked keys of its run. Their pets are removed too.
  const runs = new Set(keysToRevoke.map(({ contact }) => contact))
  const keysOfRuns = smokeKeys.filter(({ contact }) => runs.has(contact))
  const keyIds = new Set<unknown>(keysOfRuns.map(({ keyId }) => keyId))

  const scan = { TableName: tables.pets, ConsistentRead: true }
  for await (const { Items: items = [] } of paginateScan({ client: database }, scan)) {
    for (const item of items.filter(({ addedBy }) => keyIds.has(addedBy))) {
      const { id } = item
      await audit.recordThenMake({ action: 'smoke', ids: [`${id}`], old: pickPet(item), new: null }, () =>
        database.send(new DeleteCommand({ TableName: tables.pets, Key: { id } })),
      )
    }
  }

  for (const { keyId } of keysToRevoke) await keys.revoke(keyId)
}

/** Picks the fields of a pet from its item, for the audit. */
const pickPet = (item: Attributes): Attributes => Object.fromEntries(petFields.map((field) => [field, item[field]]))
