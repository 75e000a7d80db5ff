/** The keys that a run of the smoke test issues, and the pets that they have added. */
import type { Limits, Plan } from '../../../shared/api-keys/plans.ts'
import { scanPets } from '../changes/read-pets.ts'
import type { TableAccess } from '../environment/open-environment.ts'
import { listKeys } from '../keys/find-key.ts'
import type { KeyOrder } from '../keys/issue-key.ts'

/** Owner of the keys of all runs. */
const smokeOwner = 'smoke test'

/** Lifetime of a key of a run. */
const smokeKeySeconds = 3_600

/** Creates the order of a key of a run. The key ends by itself, and its contact is the id of the run. */
export const createSmokeKeyOrder = (runId: string, plan: Plan, limits: Limits): KeyOrder => ({
  owner: smokeOwner,
  contact: runId,
  plan,
  scope: 'read-write',
  limits,
  expiresAt: Math.floor(Date.now() / 1_000) + smokeKeySeconds,
})

/** Finds the pets that a run has added: a pet names the key that has added it. */
export const findPetsOfRun = async ({ database, tables }: TableAccess, runId: string): Promise<readonly bigint[]> => {
  const { keys } = await listKeys({ database, tables })
  const keysOfRun = keys.filter(({ owner, contact }) => owner === smokeOwner && contact === runId)
  const keyIds = new Set<unknown>(keysOfRun.map(({ keyId }) => keyId))

  const ids: bigint[] = []
  for await (const { id, item } of scanPets(database, tables.pets)) if (keyIds.has(item['addedBy'])) ids.push(id)
  return ids
}
