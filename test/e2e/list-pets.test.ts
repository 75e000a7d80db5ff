import { beforeAll, describe, expect, it } from 'vitest'
import { call, createPet, type ErrorBody, nextPage, type Pet } from './api.ts'

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

  it.each(statuses)('lists only pets that are %s', async (status) => {
    const pets = (await call('GET', `/pets?status=${status}&limit=5`)).json<Pet[]>()
    expect(pets).toHaveLength(5)
    expect(new Set(pets.map((pet) => pet.status))).toEqual(new Set([status]))
  })

  it.each([1, 2, 99, 100])('lists at most the %i pets that limit asks for', async (limit) => {
    const pets = (await call('GET', `/pets?limit=${limit}`)).json<Pet[]>()
    expect(pets.length).toBeLessThanOrEqual(limit)
    expect(pets.length).toBeGreaterThan(0)
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

  it('keeps the filter and the limit in the address of the next page', async () => {
    const response = await call('GET', '/pets?status=sold&limit=2')
    const next = new URL(nextPage(response) ?? '')
    expect(next.searchParams.get('status')).toBe('sold')
    expect(next.searchParams.get('limit')).toBe('2')
    const following = (await call('GET', next.href)).json<Pet[]>()
    expect(following[0]?.id).toBeLessThan(response.json<Pet[]>()[1]?.id ?? 0)
  })

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=0x10', 'limit'],
    ['limit=%20', 'limit'],
    ['limit=', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=9007199254740993', 'limit'],
    ['limit=99999999999999999999', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['limit=5&limit=5', 'limit'],
    ['status=unknown', 'status'],
    ['status=Available', 'status'],
    ['status=', 'status'],
    ['status=available&status=sold', 'status'],
    ['colour=red', 'colour'],
    ['page=2', 'page'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['cursor=', 'cursor'],
    [`cursor=${'a'.repeat(101)}`, 'cursor'],
  ])('responds 400 to ?%s and names %s', async (query, name) => {
    const response = await call('GET', `/pets?${query}`)
    expect(response.status).toBe(400)
    expect(response.json<ErrorBody>()).toMatchObject({ code: 'invalid_parameter' })
    expect(response.json<ErrorBody>().message).toContain(name)
  })

  it.each(['x', 'YmVmb3JlOg', 'bm90aGluZw', 'YmVmb3JlOjQ4NzkxMjMzOTk5MDExMg%3D%3D', '%00', '%F0%9F%90%B6'])(
    'responds 400 to the malformed cursor %s',
    async (cursor) => {
      const response = await call('GET', `/pets?cursor=${cursor}`)
      expect(response.status).toBe(400)
      expect(response.json<ErrorBody>().code).toBe('invalid_cursor')
    },
  )
})
