import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { administer } from '../../../../../infra/operations/keys/administration.ts'
import { keySeconds, smokeKey, sweep } from '../../../../../infra/operations/smoke/sweep.ts'
import { openEnvironment } from '../../../../../infra/operations/target/open-environment.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { newPetId } from '../../../../../shared/pets/pet-id.ts'
import { runningHere } from '../running-here.ts'

it('the pets that the meant runs have added are removed, and their keys revoked, and no others', async () => {
  const { data } = await runningHere()
  using environment = await openEnvironment({ environment: 'local', data })
  const { database, tables } = environment
  const keys = administer(environment)
  const issue = async (contact: string, owner?: string) => {
    const order = smokeKey(contact, 'pro', fixedPlans.pro)
    const { record } = await keys.issue({ ...order, owner: owner ?? order.owner })
    const id = Number(newPetId(Date.now()))
    const Item = { id, name: 'Bella', categoryId: 1, status: 'sold', addedBy: record.keyId }
    await database.send(new PutCommand({ TableName: tables.pets, Item }))
    return { ...record, petId: id }
  }
  const killed = [await issue('killed'), await issue('killed')]
  const others = [await issue('other'), await issue('killed', 'A shelter')]
  // A test has revoked it.
  await keys.revoke(killed[1]?.keyId ?? '')

  await sweep(environment, keys, ({ contact }) => contact === 'killed')

  const states = new Map((await keys.list()).map(({ keyId, state }) => [keyId, state]))
  expect(killed.map(({ keyId }) => states.get(keyId))).toEqual(['revoked', 'revoked'])
  expect(others.map(({ keyId }) => states.get(keyId))).toEqual(['active', 'active'])
  const pages = await Array.fromAsync(paginateScan({ client: database }, { TableName: tables.pets }))
  const ids = pages.flatMap(({ Items = [] }) => Items.map(({ id }) => Number(id)))
  expect(ids.toSorted()).toEqual(others.map(({ petId }) => petId).toSorted())
  for (const { createdAt, expiresAt } of killed) expect(expiresAt).toBe(createdAt + keySeconds)
})
