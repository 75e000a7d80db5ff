import { beforeEach, expect, it } from 'vitest'
import { addPet } from '../../../../shared/pets/add-pet.ts'
import type { Pet } from '../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../shared/pets/pet-store.ts'
import { createInterceptingClient } from '../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'

const bella: Pet = { id: 9_223_372_036_854_775_807n, name: 'Bella', categoryId: 1n, status: 'available' }

/** Twelve pets, the newest first. Two of them are sold. */
const twelvePets: readonly Pet[] = [
  { ...bella, id: 12n, status: 'available' },
  { ...bella, id: 11n, status: 'pending' },
  { ...bella, id: 10n, status: 'sold' },
  { ...bella, id: 9n, status: 'available' },
  { ...bella, id: 8n, status: 'pending' },
  { ...bella, id: 7n, status: 'available' },
  { ...bella, id: 6n, status: 'pending' },
  { ...bella, id: 5n, status: 'sold' },
  { ...bella, id: 4n, status: 'available' },
  { ...bella, id: 3n, status: 'pending' },
  { ...bella, id: 2n, status: 'available' },
  { ...bella, id: 1n, status: 'pending' },
]

describeOnEachEngine('the pets table', (engine) => {
  let service: Service
  let store: PetStore
  beforeEach(async () => {
    service = await openService(engine)
    store = service.pets
  })

  const putTwelvePets = () => Promise.all(twelvePets.map((pet) => store.put(pet, 'an attempt')))

  it('all pets are listed page by page, the newest first', async () => {
    await putTwelvePets()

    const first = await store.listPage({ limit: 5, status: undefined, before: undefined })
    const second = await store.listPage({ limit: 5, status: undefined, before: 8n })
    const third = await store.listPage({ limit: 5, status: undefined, before: 3n })

    expect(first).toEqual({ pets: twelvePets.slice(0, 5), hasMore: true })
    expect(second).toEqual({ pets: twelvePets.slice(5, 10), hasMore: true })
    expect(third).toEqual({ pets: twelvePets.slice(10), hasMore: false })
  })

  it.each([12, 100])('twelve pets are listed on one page with a limit of %i', async (limit) => {
    await putTwelvePets()

    const page = await store.listPage({ limit, status: undefined, before: undefined })

    expect(page).toEqual({ pets: twelvePets, hasMore: false })
  })

  it('a list of a status has only its pets', async () => {
    await putTwelvePets()

    const page = await store.listPage({ limit: 2, status: 'sold', before: undefined })

    expect(page).toEqual({
      pets: [
        { ...bella, id: 10n, status: 'sold' },
        { ...bella, id: 5n, status: 'sold' },
      ],
      hasMore: false,
    })
  })

  it('a pet is kept when another pet is put under its id', async () => {
    await store.put(bella, 'an attempt')

    expect(await store.put({ ...bella, name: 'Another' }, 'another attempt')).toBe('taken')
    expect(await store.find(bella.id)).toEqual(bella)
  })

  it('a pet that the same attempt puts again is already stored', async () => {
    await store.put(bella, 'an attempt')

    expect(await store.put(bella, 'an attempt')).toBe('already_stored')
    expect(await store.isStored(bella.id, 'an attempt')).toBe(true)
    expect(await store.isStored(bella.id, 'another attempt')).toBe(false)
  })

  it('the id of a pet does not become void', async () => {
    await store.put(bella, 'an attempt')

    expect(await store.voidId(bella.id, 'an attempt')).toBe(true)
    expect(await store.voidId(bella.id, 'another attempt')).toBe(false)
    expect(await store.find(bella.id)).toEqual(bella)
  })

  it('a void id has no pet', async () => {
    expect(await store.voidId(bella.id, 'an attempt')).toBe(false)

    expect(await store.find(bella.id)).toBeUndefined()
    expect(await store.listPage({ limit: 1, status: undefined, before: undefined })).toEqual({
      pets: [],
      hasMore: false,
    })
  })

  it('a void id is never given to a pet', async () => {
    await store.voidId(bella.id, 'an attempt')

    expect(await store.put(bella, 'an attempt')).toBe('taken')
    expect(await store.find(bella.id)).toBeUndefined()
  })

  /** Adds a pet while other requests take a number of the ids that are drawn for it. */
  const addWhileIdsAreTaken = (takenIds: number) => {
    let puts = 0
    const racingClient = createInterceptingClient(engine, 'PutItem', async ({ Item }) => {
      puts += 1
      if (puts <= takenIds) await store.voidId((Item as Pet).id, 'another attempt')
    })
    const racingStore = new PetStore(racingClient, service.tables.pets)
    // Each id is drawn in a millisecond of its own, so that no two are equal by chance.
    const clock = () => service.time.clock() + puts
    const { id: _, ...newPet } = bella
    const adding = addPet(racingStore, newPet, clock)
    return { adding, countPuts: () => puts }
  }

  it('a pet gets another id when its id has just been taken', async () => {
    const { adding, countPuts } = addWhileIdsAreTaken(1)

    const { id } = await adding

    expect(await store.find(id)).toEqual({ ...bella, id })
    expect(countPuts()).toBe(2)
  })

  it('adding a pet fails after 100 ids that have just been taken', async () => {
    const { adding, countPuts } = addWhileIdsAreTaken(100)

    await expect(adding).rejects.toMatchObject({
      code: 'service_unavailable',
      headers: { 'Retry-After': '1' },
    })
    expect(countPuts()).toBe(100)
  })
})
