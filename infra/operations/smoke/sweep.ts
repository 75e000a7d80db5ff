import { DeleteCommand, paginateQuery } from '@aws-sdk/lib-dynamodb'
import type { ApiKeyRecord, KeyId } from '../../../shared/api-keys/api-key-record.ts'
import { petStatuses } from '../../../shared/pets/pet.ts'
import { newPetId } from '../../../shared/pets/pet-id.ts'
import { petsTableSchema } from '../../../shared/pets/pets-table-schema.ts'
import { administer } from '../keys/administer.ts'
import type { OpenEnvironment } from '../target/open-environment.ts'
import { smokeOwner } from '../target/smoke-owner.ts'

/**
 * Removes what runs have left, also those that were killed, on whatever machine: the pets that their keys have added, and
 * the keys. A pet names the key that added it.
 *
 * @returns each key, and how many pets it had added
 */
export const sweep = async (environment: OpenEnvironment) => {
  const keys = administer(environment)
  const records = (await keys.list()).filter(({ owner, state }) => owner === smokeOwner && state !== 'revoked')
  const swept: { readonly keyId: KeyId; readonly pets: number }[] = []
  for (const record of records) {
    // The key goes second, so that a sweep that is killed is repeated. A suite may have outlived its run until then.
    const before = await deletePets(environment, record)
    await keys.revoke(record.keyId)
    swept.push({ keyId: record.keyId, pets: before + (await deletePets(environment, record)) })
  }
  return swept
}

/** How far the clock of a function may be behind the one that dated the key. */
const clockSeconds = 600

/**
 * Deletes the items. Made void, as `PetTable.remove` makes them, they would stay for ever, some hundred of each run. A void
 * item fences off a retry of the put that made it; a put that is still to come it does not. Both last no longer than a
 * request, and the key that a request needs is revoked before the second deletion.
 */
const deletePets = async (
  { database: client, tables }: OpenEnvironment,
  { keyId, createdAt }: ApiKeyRecord,
): Promise<number> => {
  const TableName = tables.pets
  let count = 0
  for (const status of petStatuses) {
    const query = {
      TableName,
      IndexName: petsTableSchema.statusIndex.name,
      ExpressionAttributeNames: { '#status': 'status' },
      KeyConditionExpression: '#status = :status AND id >= :first',
      FilterExpression: 'addedBy = :keyId',
      ExpressionAttributeValues: {
        ':status': status,
        ':first': newPetId((createdAt - clockSeconds) * 1_000, () => 0),
        ':keyId': keyId,
      },
    }
    for await (const { Items = [] } of paginateQuery({ client }, query)) {
      for (const { id } of Items) await client.send(new DeleteCommand({ TableName, Key: { id } }))
      count += Items.length
    }
  }
  return count
}
