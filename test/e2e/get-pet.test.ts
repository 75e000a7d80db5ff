import { describe, expect, it } from 'vitest'
import { call, createPet, type ErrorBody } from './api.ts'

describe('GET /pets/{petId}', () => {
  it('responds with the pet', async () => {
    const pet = await createPet({ name: 'Milo', categoryId: 2, status: 'sold' })
    const response = await call('GET', `/pets/${pet.id}`)
    expect(response.status).toBe(200)
    expect(response.json()).toEqual(pet)
  })

  it('announces on every response that it is deprecated, until when it works and what to use instead', async () => {
    const pet = await createPet({ name: 'Milo', categoryId: 2 })
    for (const id of [pet.id, 1, 'milo', '%3E%2Fa']) {
      const { headers } = await call('GET', `/pets/${id}`)
      expect(headers.get('Deprecation')).toBe('@1764892800')
      expect(headers.get('Sunset')).toBe('Thu, 05 Dec 2030 00:00:00 GMT')
      expect(headers.get('Link')).toMatch(/^<[^>]*\/v1\/pets>; rel="successor-version"$/)
    }
  })

  it.each([
    '1',
    '0',
    '-1',
    '9223372036854775807',
    '-9223372036854775808',
    '9223372036854775808',
    '99999999999999999999999',
    '1.5',
    '1e3',
    '0x10',
    '007',
    '+1',
    'milo',
    '%20',
    '%00',
    '%F0%9F%90%B6',
    '..%2F5',
    '%2B1',
    "1'--",
    'undefined',
    '__proto__',
  ])('responds 404 to the id %s', async (id) => {
    const response = await call('GET', `/pets/${id}`)
    expect(response.status).toBe(404)
    expect(response.json<ErrorBody>().code).toBe('pet_not_found')
  })

  it('decodes a percent-encoded id', async () => {
    const pet = await createPet({ name: 'Milo', categoryId: 2 })
    const encoded = String(pet.id).replaceAll(/\d/g, '%3$&')
    const response = await call('GET', `/pets/${encoded}`)
    expect([response.status, response.json()]).toEqual([200, pet])
    expect(response.headers.get('Link')).toMatch(/^<[^>]*\/v1\/pets>; rel="successor-version"$/)
  })

  it('responds 404 to an id of up to 1,000 digits', async () => {
    for (const length of [100, 450, 700, 1_000]) {
      expect((await call('GET', `/pets/${'9'.repeat(length)}`)).status).toBe(404)
    }
  })

  it('responds 400 to a query parameter, which the operation does not take', async () => {
    expect((await call('GET', '/pets/1?status=sold')).status).toBe(400)
  })
})
