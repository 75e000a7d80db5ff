import { DeleteCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import type { Environment } from '../environment/open-environment.ts'
import type { KeyAdministration } from '../keys/administration.ts'
import { smokeOwner } from '../keys/key.ts'

/** After it a key of a smoke test ends, also where nobody sweeps. */
export const smokeKeySeconds = 3_600

/** What a run issues its keys with. */
export const createSmokeKeyOrder = (run: string, plan: Plan, allowance: Allowance) => ({
  ...{ owner: smokeOwner, contact: run, plan, allowance },
  expiresAt: Math.floor(Date.now() / 1_000) + smokeKeySeconds,
})

/**
 * Removes the pets that runs of the smoke test have added, and then revokes their keys: a pet names the key that added it.
 * A sweep that was killed is not lost, because a run with an active key is one to sweep.
 */
export const sweepSmokeRuns = async (
  { database, tables: { pets: TableName } }: Pick<Environment, 'database' | 'tables'>,
  keys: KeyAdministration,
  isMeant: (key: ApiKeyRecord) => boolean,
): Promise<void> => {
  const own = (await keys.list()).filter(({ owner }) => owner === smokeOwner)
  const active = own.filter((key) => key.state === 'active' && isMeant(key))
  if (active.length === 0) return
  const runs = new Set(active.map(({ contact }) => contact))
  const ids = new Set<unknown>(own.filter(({ contact }) => runs.has(contact)).map(({ keyId }) => keyId))
  const scan = { TableName, ConsistentRead: true, ProjectionExpression: 'id, addedBy' }
  for await (const { Items = [] } of paginateScan({ client: database }, scan)) {
    for (const { id } of Items.filter(({ addedBy }) => ids.has(addedBy))) {
      await database.send(new DeleteCommand({ TableName, Key: { id } }))
    }
  }
  for (const { keyId } of active) await keys.revoke(keyId)
}
