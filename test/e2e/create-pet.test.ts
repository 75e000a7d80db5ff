import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { parseExactJson, stringifyExactJson } from '../../shared/exact-json.ts'
import type { NewPet } from '../../shared/pets/pet.ts'
import { contractPets } from '../fixtures/contract-pets.ts'
import { sized } from '../fixtures/size.ts'
import { createPet } from '../requests/create-pet.ts'
import { call, itResponds, type Pet, together } from './api.ts'
import { administration, canIssueKeys, issueKey } from './issue-key.ts'

describe('POST /pets', () => {
  itResponds(createPet)

  it('accepts every pet that the contract allows, and it is read back as it was sent', async () => {
    const isKept = async (pet: NewPet) => {
      const created = await call('POST', '/pets', { body: stringifyExactJson(pet) })
      expect(created.status, created.text).toBe(201)
      const kept = parseExactJson(created.text)
      expect(kept).toEqual({ ...pet, id: expect.anything(), status: pet.status ?? 'available' })
      expect((await call('GET', `/pets/${created.json<Pet>().id}`)).text).toBe(created.text)
    }
    await fc.assert(fc.asyncProperty(contractPets(), isKept), { numRuns: sized(50, 500) })
  })
})

describe('POST /pets with an Idempotency-Key', () => {
  const body = { name: 'Once', categoryId: 7 }

  it('adds one pet when twenty requests come at once', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const own = { ...body, name: `Once ${headers['Idempotency-Key']}` }
    const responses = await together(20, () => call('POST', '/pets', { headers, body: own }))
    const pets = responses.filter((response) => response.status === 201).map((response) => response.json<Pet>().id)
    expect(responses.every((response) => response.status === 201 || response.status === 409)).toBe(true)
    expect(new Set(pets).size).toBe(1)
    const newest = (await call('GET', '/pets?limit=100')).json<Pet[]>()
    expect(newest.filter(({ name }) => name === own.name)).toHaveLength(1)
  })

  it.skipIf(!canIssueKeys)('adds the pet once when it is sent again with the successor of the API key', async () => {
    const { apiKey, keyId } = await issueKey('free', fixedPlans.free)
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const first = await call('POST', '/pets', { key: apiKey, headers, body })
    const successor = await administration().rotate(keyId, { overlapSeconds: 60 })
    const second = await call('POST', '/pets', { key: successor.apiKey, headers, body })
    expect(second.headers.get('Idempotency-Replayed')).toBe('true')
    expect(second.text).toBe(first.text)
  })
})
