import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { parseExactJson, stringifyExactJson } from '../../shared/exact-json.ts'
import { generateContractPets } from '../fixtures/contract-pets.ts'
import { chooseBySize } from '../fixtures/size.ts'
import { findNextPage } from '../requests/scenario.ts'
import { administration, call, canIssueKeys, issueKey, mayAddPets, type Pet, together } from './api.ts'

const create = async (body: object | string): Promise<Pet & { readonly text: string }> => {
  const { status, text, json } = await call('POST', '/pets', { body })
  expect(status, text).toBe(201)
  return { ...json<Pet>(), text }
}

describe.skipIf(!mayAddPets)('pets', () => {
  it('are accepted whatever the contract allows, and read back as they were sent', async () => {
    const isKept = fc.asyncProperty(generateContractPets(), async (pet) => {
      const { id, text } = await create(stringifyExactJson(pet))
      expect(parseExactJson(text)).toEqual({ ...pet, id: expect.anything(), status: pet.status ?? 'available' })
      expect((await call('GET', `/pets/${id}`)).text).toBe(text)
    })
    await fc.assert(isKept, { numRuns: chooseBySize(50, 500) })
  })

  it('are added once when twenty requests with one Idempotency-Key come at once', async () => {
    const unique = crypto.randomUUID()
    const body = { name: `Once ${unique}`, categoryId: 7 }
    const responses = await together(20, () => call('POST', '/pets', { headers: { 'Idempotency-Key': unique }, body }))
    expect(responses.every(({ status }) => status === 201 || status === 409)).toBe(true)
    const added = responses.filter(({ status }) => status === 201).map((response) => response.json<Pet>().id)
    expect(new Set(added).size).toBe(1)
    const newest = (await call('GET', '/pets?limit=100')).json<Pet[]>()
    expect(newest.filter(({ name }) => name === body.name)).toHaveLength(1)
  })

  it.skipIf(!canIssueKeys)('are added once when they are sent again with the successor of the API key', async () => {
    const { key, keyId } = await issueKey('free', fixedPlans.free)
    const request = { headers: { 'Idempotency-Key': crypto.randomUUID() }, body: { name: 'Once', categoryId: 7 } }
    const first = await call('POST', '/pets', { key, ...request })
    const successor = await administration().rotate(keyId, { overlapSeconds: 60 })
    const second = await call('POST', '/pets', { key: successor.apiKey, ...request })
    expect([second.text, second.headers.get('Idempotency-Replayed')]).toEqual([first.text, 'true'])
  })

  it('are listed page by page without a gap or a duplicate while others are added, 20 unless more are asked for', async () => {
    const created: number[] = []
    for (let index = 0; index < 21; index += 1) created.push((await create({ name: 'Listed', categoryId: 1 })).id)
    const ids = (await call('GET', '/pets')).json<Pet[]>().map(({ id }) => id)
    expect(ids).toHaveLength(20)
    expect(ids).toEqual(ids.toSorted((one, other) => other - one))
    const seen: number[] = []
    let page: string | undefined = '/pets?limit=4'
    while (page !== undefined && !seen.includes(created[0] ?? 0)) {
      const response = await call('GET', page)
      seen.push(...response.json<Pet[]>().map(({ id }) => id))
      await create({ name: 'Added meanwhile', categoryId: 1 })
      page = findNextPage(response)
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => created.includes(id))).toEqual(created.toReversed())
  })
})
