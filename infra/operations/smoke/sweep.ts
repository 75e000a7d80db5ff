import { DeleteCommand, paginateQuery } from '@aws-sdk/lib-dynamodb'
import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import type { Allowance, Plan } from '../../../shared/api-keys/plans.ts'
import { petStatuses } from '../../../shared/pets/pet.ts'
import { newPetId } from '../../../shared/pets/pet-id.ts'
import { petsTableSchema } from '../../../shared/pets/pets-table-schema.ts'
import type { KeyAdministration } from '../keys/administration.ts'
import type { OpenEnvironment } from '../target/open-environment.ts'
import { smokeOwner } from '../target/smoke-owner.ts'

/** After it a key of a smoke test ends, also where nobody sweeps. */
export const keySeconds = 3_600

/** What a run issues its keys with. */
export const smokeKey = (run: string, plan: Plan, allowance: Allowance) => ({
  ...{ owner: smokeOwner, contact: run, plan, allowance },
  expiresAt: Math.floor(Date.now() / 1_000) + keySeconds,
})

/** How long ago a run may have been killed whose pets are looked for, and how far clocks may differ. */
const sweptSeconds = 30 * 86_400
const clockSeconds = 600

/** Revokes keys of smoke tests, and removes the pets that they have added: a pet names the key that added it. */
export const sweep = async (
  { database, tables }: OpenEnvironment,
  keys: KeyAdministration,
  isMeant: (key: ApiKeyRecord) => boolean,
): Promise<void> => {
  const earliest = Date.now() / 1_000 - sweptSeconds
  const meant = (await keys.list()).filter(
    (key) => key.owner === smokeOwner && key.createdAt > earliest && isMeant(key),
  )
  if (meant.length === 0) return
  const names = new Set<unknown>(meant.map(({ keyId }) => keyId))
  const [{ createdAt }] = meant.toSorted((one, other) => one.createdAt - other.createdAt) as [ApiKeyRecord]
  for (const { keyId, state } of meant) if (state === 'active') await keys.revoke(keyId)
  for (const status of petStatuses) {
    const query = {
      TableName: tables.pets,
      IndexName: petsTableSchema.statusIndex.name,
      ExpressionAttributeNames: { '#status': 'status' },
      KeyConditionExpression: '#status = :status AND id >= :first',
      ExpressionAttributeValues: {
        ':status': status,
        ':first': newPetId((createdAt - clockSeconds) * 1_000, () => 0),
      },
    }
    for await (const { Items = [] } of paginateQuery({ client: database }, query)) {
      for (const { id } of Items.filter(({ addedBy }) => names.has(addedBy))) {
        await database.send(new DeleteCommand({ TableName: tables.pets, Key: { id } }))
      }
    }
  }
}
