import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { addPet } from '../../../../shared/pets/add-pet.ts'
import type { Pet, PetStatus } from '../../../../shared/pets/pet.ts'
import { type PageRequest, PetStore } from '../../../../shared/pets/pet-store.ts'
import { forgetfulClient, interceptingClient } from '../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'

const statuses: readonly PetStatus[] = ['available', 'pending', 'sold']

describeOnEachEngine('the pets', (engine) => {
  let service: Service
  let store: PetStore
  beforeEach(async () => {
    service = await openService(engine)
    store = service.pets
  })

  const add = async (id: bigint, change: Partial<Pet> = {}): Promise<Pet> => {
    const status = statuses[Number(id % 5n) % 3] ?? 'available'
    const pet = { id, name: `Pet ${id}`, categoryId: 1n, status, ...change }
    expect(await store.put(pet, `attempt ${id}`)).toBe('stored')
    return pet
  }

  const addMany = (count: number): Promise<Pet[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => add(BigInt(index + 1))))

  const newestFirst = (pets: readonly Pet[]): Pet[] => pets.toSorted((one, other) => (one.id < other.id ? 1 : -1))

  /** All pages from the first to the last, with something done between them. */
  const traverse = async (request: Omit<PageRequest, 'before'>, between = async () => {}): Promise<Pet[][]> => {
    const pages: Pet[][] = []
    let before: bigint | undefined
    for (;;) {
      const { pets, hasMore } = await store.page({ ...request, before })
      pages.push([...pets])
      before = pets.at(-1)?.id
      if (!hasMore) return pages
      await between()
    }
  }

  it('are listed newest first over all statuses, for every limit from 1 to 100', async () => {
    const all = newestFirst(await addMany(40))
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const limit = index + 1
        const page = await store.page({ limit, status: undefined, before: undefined })
        expect(page).toEqual({ pets: all.slice(0, limit), hasMore: limit < 40 })
      }),
    )
  })

  it.each([1, 7, 20, 40])('are each on one of the pages of %i, of which only the last has no more', async (limit) => {
    const all = newestFirst(await addMany(40))
    const pages = await traverse({ limit, status: undefined })
    expect(pages.flat()).toEqual(all)
    expect(pages).toHaveLength(Math.ceil(40 / limit))
  })

  it('are listed of one status alone', async () => {
    const sold = newestFirst((await addMany(40)).filter(({ status }) => status === 'sold'))
    expect(sold.length).toBeGreaterThan(5)
    expect((await traverse({ limit: 3, status: 'sold' })).flat()).toEqual(sold)
  })

  it('are each listed once though others are added meanwhile', async () => {
    const all = newestFirst(await addMany(40))
    let next = 41n
    const pages = await traverse({ limit: 6, status: undefined }, async () => {
      await Promise.all([add(next), add(next + 1n)])
      next += 2n
    })
    expect(pages.flat()).toEqual(all)
  })

  it('are an empty page where there are none', async () => {
    expect(await traverse({ limit: 20, status: undefined })).toEqual([[]])
  })

  it.each([2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n, 0n])('keep the category %s exactly', async (categoryId) => {
    const pet = await add(5n, { categoryId, status: 'available' })
    expect(await store.find(5n)).toEqual(pet)
    expect((await store.page({ limit: 1, status: 'available', before: undefined })).pets).toEqual([pet])
  })

  it('are found by their id: any other int64 finds none', async () => {
    const pet = await add(2n ** 53n - 1n)
    expect(await store.find(2n ** 53n - 1n)).toEqual(pet)
    expect(await Promise.all([2n ** 63n - 1n, -(2n ** 63n), 0n].map((id) => store.find(id)))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('are never overwritten: an id that is taken stays with the pet that has it', async () => {
    const pet = await add(7n)
    expect(await store.put({ ...pet, name: 'Another' }, 'another attempt')).toBe('taken')
    expect(await store.find(7n)).toEqual(pet)
  })

  it('differ from another one with the same id when a put is retried', async () => {
    const pet = await add(7n)
    expect(await store.put(pet, 'attempt 7')).toBe('already_stored')
  })

  it('are stored once when the response to the put is lost and the SDK retries it', async () => {
    const forgetful = new PetStore(forgetfulClient(engine), service.tables.pets)
    const pet = { id: 9n, name: 'Bella', categoryId: 1n, status: 'available' } as const
    expect(await forgetful.put(pet, 'attempt 9')).toBe('already_stored')
    expect(await store.find(9n)).toEqual(pet)
  })

  it('are none where an id is void: it is not found, not listed and never given to a pet', async () => {
    expect(await store.voidId(7n, 'attempt 7')).toBe(false)
    expect(await store.put({ id: 7n, name: 'Late', categoryId: 1n, status: 'sold' }, 'attempt 7')).toBe('taken')
    expect(await store.find(7n)).toBeUndefined()
    expect(await store.page({ limit: 1, status: undefined, before: undefined })).toEqual({ pets: [], hasMore: false })
  })

  it('stay when their id is to become void, and are known as stored only for the attempt that stored them', async () => {
    const pet = await add(7n)
    for (const ask of [store.voidId.bind(store), store.isStored.bind(store)]) {
      expect([await ask(7n, 'attempt 7'), await ask(7n, 'another attempt')]).toEqual([true, false])
    }
    expect(await store.find(7n)).toEqual(pet)
  })

  it.each([{ name: 1 }, { categoryId: 'one' }, { status: 'lost' }])(
    'are an error where an item is not a pet: %o',
    async (change) => {
      const item = { id: 5n, name: 'Bella', categoryId: 1n, status: 'sold', ...change }
      await service.client.send(new PutCommand({ TableName: service.tables.pets, Item: item }))
      await expect(store.find(5n)).rejects.toThrow('An item of the pets table is not a pet.')
    },
  )

  it('get another id where another request has just taken theirs', async () => {
    const taken: bigint[] = []
    const raced = interceptingClient(engine, 'PutItem', async ({ Item }) => {
      if (taken.length > 0) return
      const { id } = Item as { id: bigint }
      taken.push(id)
      await add(id, { name: 'The first' })
    })
    const newPet = { name: 'The second', categoryId: 2n, status: 'sold' } as const
    const pet = await addPet(new PetStore(raced, service.tables.pets), newPet, service.time.clock)
    const [first = 0n] = taken
    expect(pet.id).not.toBe(first)
    expect(await store.find(pet.id)).toEqual(pet)
    expect((await store.find(first))?.name).toBe('The first')
  })

  it('are given up as a fault after a hundred ids that were taken', async () => {
    let puts = 0
    const everTaken = interceptingClient(engine, 'PutItem', async ({ Item }) => {
      puts += 1
      const { id } = Item as { id: bigint }
      await store.voidId(id, 'another attempt')
    })
    const newPet = { name: 'Late', categoryId: 2n, status: 'sold' } as const
    const adding = addPet(new PetStore(everTaken, service.tables.pets), newPet, service.time.clock)
    await expect(adding).rejects.toMatchObject({ code: 'service_unavailable', headers: { 'Retry-After': '1' } })
    expect(puts).toBe(100)
  })
})
