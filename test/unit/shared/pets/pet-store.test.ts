import { beforeEach, expect, it } from 'vitest'
import { addPet } from '../../../../shared/pets/add-pet.ts'
import { type Pet, petStatuses } from '../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../shared/pets/pet-store.ts'
import { createInterceptingClient } from '../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'

const bella = { id: 2n ** 63n - 1n, name: 'Bella', categoryId: 1n, status: 'available' } as const

describeOnEachEngine('the pets', (engine) => {
  let service: Service
  let store: PetStore
  beforeEach(async () => {
    service = await openService(engine)
    store = service.pets
  })

  it.each([
    ['all', 5, undefined],
    ['all', 12, undefined],
    ['all', 100, undefined],
    ['the sold ones', 2, 'sold'],
  ] as const)(
    'are listed newest first, %s in pages of %i, of which only the last has no more',
    async (_, limit, status) => {
      const all = Array.from({ length: 12 }, (_, index): Pet => {
        return { ...bella, id: BigInt(12 - index), status: petStatuses[(index % 5) % 3] ?? 'sold' }
      })
      await Promise.all(all.map((pet) => store.put(pet, 'an attempt')))
      const listed = all.filter((pet) => status === undefined || pet.status === status)
      for (let start = 0; start < listed.length; start += limit) {
        const page = { pets: listed.slice(start, start + limit), hasMore: start + limit < listed.length }
        expect(await store.listPage({ limit, status, before: listed[start - 1]?.id })).toEqual(page)
      }
    },
  )

  it('keep their ids: another pet does not take it, nor is it made void', async () => {
    await store.put(bella, 'an attempt')
    expect(await store.put({ ...bella, name: 'Another' }, 'another attempt')).toBe('taken')
    expect(await store.put(bella, 'an attempt')).toBe('already_stored')
    for (const ask of [store.voidId.bind(store), store.isStored.bind(store)]) {
      expect([await ask(bella.id, 'an attempt'), await ask(bella.id, 'another attempt')]).toEqual([true, false])
    }
    expect(await store.find(bella.id)).toEqual(bella)
  })

  it('are none where an id is void: it is not found, not listed, and never given to a pet', async () => {
    expect(await store.voidId(bella.id, 'an attempt')).toBe(false)
    expect(await store.listPage({ limit: 1, status: undefined, before: undefined })).toEqual({
      pets: [],
      hasMore: false,
    })
    expect(await store.put(bella, 'an attempt')).toBe('taken')
    expect(await store.find(bella.id)).toBeUndefined()
  })

  it.each([
    [1, 'get the second'],
    [100, 'are given up as a fault'],
  ])('of which other requests have just taken %i ids %s', async (taken) => {
    let puts = 0
    const racing = createInterceptingClient(engine, 'PutItem', async ({ Item }) => {
      puts += 1
      if (puts <= taken) await store.voidId((Item as Pet).id, 'another attempt')
    })
    const { id: _, ...newPet } = bella
    // Each id is of a millisecond of its own, so that no two are equal by chance.
    const clock = () => service.time.clock() + puts
    const adding = addPet(new PetStore(racing, service.tables.pets), newPet, clock)
    if (taken === 100) {
      await expect(adding).rejects.toMatchObject({ code: 'service_unavailable', headers: { 'Retry-After': '1' } })
    } else {
      const { id } = await adding
      expect(await store.find(id)).toEqual({ ...bella, id })
    }
    expect(puts).toBe(Math.min(taken + 1, 100))
  })
})
