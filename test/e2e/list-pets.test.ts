import { beforeAll, describe, expect, it } from 'vitest'
import { listPets } from '../requests/list-pets.ts'
import { call, createPet, itResponds, nextPage, type Pet } from './api.ts'

const statuses = ['available', 'pending', 'sold']

describe('GET /pets', () => {
  const created: Pet[] = []

  beforeAll(async () => {
    for (let index = 0; index < 30; index += 1) {
      created.push(
        await createPet({ name: `Listed ${index}`, categoryId: index, status: statuses[index % 3] ?? 'sold' }),
      )
    }
  })

  it('lists 20 pets, the newest first, when nothing is asked for', async () => {
    const pets = (await call('GET', '/pets')).json<Pet[]>()
    expect(pets).toHaveLength(20)
    expect(pets.map((pet) => pet.id)).toEqual(pets.map((pet) => pet.id).toSorted((one, other) => other - one))
  })

  it('follows the pages without a gap or a duplicate while pets are added', async () => {
    const seen: number[] = []
    let page: string | undefined = '/pets?limit=4'
    while (page !== undefined && !seen.includes(created[0]?.id ?? 0)) {
      const response = await call('GET', page)
      seen.push(...response.json<Pet[]>().map((pet) => pet.id))
      await createPet({ name: 'Added meanwhile', categoryId: 1 })
      page = nextPage(response)
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => created.some((pet) => pet.id === id))).toEqual(created.map((pet) => pet.id).toReversed())
  })

  itResponds(listPets)
})
