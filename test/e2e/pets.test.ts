import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { parseExactJson, stringifyExactJson } from '../../shared/exact-json.ts'
import { chooseBySize } from '../fixtures/machine/size.ts'
import { generateContractPets } from '../fixtures/service/contract-pets.ts'
import { findNextPage } from '../requests/scenario.ts'
import {
  type ApiResponse,
  canIssueKeys,
  issueKey,
  mayAddPets,
  type Pet,
  requireKeyOperator,
  send,
  sendConcurrently,
} from './api.ts'

/** Adds a pet, and expects that the API accepts it. */
const addPet = async (body: object | string): Promise<ApiResponse> => {
  const response = await send('POST', '/pets', { body })
  expect(response.status, response.text).toBe(201)
  return response
}

/** Adds pets one after the other. @returns their ids, the oldest first */
const addPets = async (count: number): Promise<readonly number[]> => {
  const ids: number[] = []
  for (let index = 0; index < count; index += 1) {
    const response = await addPet({ name: 'Listed', categoryId: 1 })
    ids.push(response.json<Pet>().id)
  }
  return ids
}

const readIds = (response: ApiResponse): readonly number[] => response.json<readonly Pet[]>().map(({ id }) => id)

/** Waits until pets that were just added are in the list, which is some seconds late. */
const waitUntilListed = async (ids: readonly number[]): Promise<void> => {
  const listNewest = async () => readIds(await send('GET', '/pets?limit=100'))
  await expect.poll(listNewest, { interval: 200 }).toEqual(expect.arrayContaining([...ids]))
}

describe.skipIf(!mayAddPets)('pets', () => {
  it('each pet that the contract allows is read back exactly', async () => {
    const property = fc.asyncProperty(generateContractPets(), async (pet) => {
      const added = await addPet(stringifyExactJson(pet))
      const found = await send('GET', `/pets/${added.json<Pet>().id}`)

      expect(parseExactJson(added.text), 'the pet is accepted as it was sent').toEqual({
        ...pet,
        id: expect.anything(),
        status: pet.status ?? 'available',
      })
      expect(found.text, 'the pet is read as it was accepted').toBe(added.text)
    })

    await fc.assert(property, { numRuns: chooseBySize(20, 100) })
  })

  it('twenty concurrent requests with one Idempotency-Key add one pet', async () => {
    const idempotencyKey = crypto.randomUUID()
    const name = `Once ${idempotencyKey}`
    const addOnce = () =>
      send('POST', '/pets', { headers: { 'Idempotency-Key': idempotencyKey }, body: { name, categoryId: 7 } })

    const responses = await sendConcurrently(20, addOnce)

    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    // Any other pet of these requests is in the list before a pet that is added after them.
    await waitUntilListed(await addPets(1))
    const newest = await send('GET', '/pets?limit=100')
    expect(newest.json<Pet[]>().filter((pet) => pet.name === name)).toHaveLength(1)
  })

  it.skipIf(!canIssueKeys)('a retry with the successor of the API key gets the pet of the first request', async () => {
    const { key, keyId } = await issueKey('free', fixedPlans.free)
    const request = {
      headers: { 'Idempotency-Key': crypto.randomUUID() },
      body: { name: 'Once', categoryId: 7 },
    }

    const first = await send('POST', '/pets', { key, ...request })
    const successor = await requireKeyOperator().rotate(keyId, 60)
    const second = await send('POST', '/pets', { key: successor.apiKey, ...request })

    expect(second.text).toBe(first.text)
    expect(second.headers.get('Idempotency-Replayed')).toBe('true')
  })

  it('a page of a list has 20 pets by default, the newest first', async () => {
    await waitUntilListed(await addPets(21))

    const ids = readIds(await send('GET', '/pets'))

    expect(ids).toHaveLength(20)
    expect(ids).toEqual(ids.toSorted((one, other) => other - one))
  })

  it('a list has no gap or duplicate while other pets are added', async () => {
    const addedIds = await addPets(21)
    await waitUntilListed(addedIds)
    const oldestId = addedIds[0] ?? 0

    const listedIds: number[] = []
    let nextPage: string | undefined = '/pets?limit=4'
    while (nextPage !== undefined && !listedIds.includes(oldestId)) {
      const page = await send('GET', nextPage)
      listedIds.push(...readIds(page))
      nextPage = findNextPage(page)
      await addPet({ name: 'Added meanwhile', categoryId: 1 })
    }

    expect(new Set(listedIds).size, 'no duplicate').toBe(listedIds.length)
    expect(
      listedIds.filter((id) => addedIds.includes(id)),
      'no gap',
    ).toEqual(addedIds.toReversed())
  })
})
