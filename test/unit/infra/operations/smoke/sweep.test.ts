import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { administer } from '../../../../../infra/operations/keys/administer.ts'
import { keySeconds, smokeKey, sweep } from '../../../../../infra/operations/smoke/sweep.ts'
import { openEnvironment } from '../../../../../infra/operations/target/open-environment.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { newPetId } from '../../../../../shared/pets/pet-id.ts'
import { limits } from '../../../../requests/limits.ts'
import { listStoreOrders } from '../../../../requests/list-store-orders.ts'
import { restsOn } from '../../../../requests/rests-on.ts'
import { unknownRoutes } from '../../../../requests/unknown-routes.ts'
import { runningHere } from '../running-here.ts'

it('the keys that are meant are revoked, and the pets that they have added are removed, and no others', async () => {
  const { data } = await runningHere()
  using environment = await openEnvironment({ environment: 'local', data })
  const { database, tables } = environment
  const keys = administer(environment)
  const addPet = async (addedBy: KeyId, status: string): Promise<number> => {
    const id = Number(newPetId(Date.now()))
    const Item = { id, name: 'Bella', categoryId: 1, status, addedBy }
    await database.send(new PutCommand({ TableName: tables.pets, Item }))
    return id
  }
  const issue = async (owner: string | undefined, contact: string) => {
    const order = smokeKey(contact, 'pro', fixedPlans.pro)
    return (await keys.issue({ ...order, owner: owner ?? order.owner })).record
  }
  const [killed, other, customer] = [
    await issue(undefined, 'killed'),
    await issue(undefined, 'other'),
    await issue('A shelter', 'killed'),
  ]
  for (const status of ['available', 'pending', 'sold']) await addPet(killed.keyId, status)
  const left = [await addPet(other.keyId, 'sold'), await addPet(customer.keyId, 'available')]

  await sweep(environment, keys, ({ contact }) => contact === 'killed')

  const states = new Map((await keys.list()).map(({ keyId, state }) => [keyId, state]))
  expect([killed, other, customer].map(({ keyId }) => states.get(keyId))).toEqual(['revoked', 'active', 'active'])
  const pages = await Array.fromAsync(paginateScan({ client: database }, { TableName: tables.pets }))
  const ids = pages.flatMap(({ Items = [] }) => Items.map(({ id }) => Number(id)))
  expect(ids.toSorted()).toEqual(left.toSorted())
  expect(killed.expiresAt).toBe(killed.createdAt + keySeconds)
})

it('what runs read-only adds no pet', () => {
  const steps = [limits, listStoreOrders, restsOn, unknownRoutes].flat().flatMap((scenario) => scenario.steps)
  expect(steps.length).toBeGreaterThan(30)
  expect(steps.filter(({ status }) => status === 201)).toEqual([])
})
