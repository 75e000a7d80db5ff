import { describe, expect, it } from 'vitest'
import { getPet } from '../requests/get-pet.ts'
import { call, createPet, itResponds } from './api.ts'

describe('GET /pets/{petId}', () => {
  itResponds(getPet)

  it('decodes a percent-encoded id', async () => {
    const pet = await createPet({ name: 'Milo', categoryId: 2 })
    const encoded = String(pet.id).replaceAll(/\d/g, '%3$&')
    const response = await call('GET', `/pets/${encoded}`)
    expect([response.status, response.json()]).toEqual([200, pet])
    expect(response.headers.get('Link')).toMatch(/^<[^>]*\/v1\/pets>; rel="successor-version"$/)
  })
})
