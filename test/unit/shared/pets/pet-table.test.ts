import { setTimeout } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { isUnavailable } from '../../../../shared/dynamodb/unavailable.ts'
import { addPet } from '../../../../shared/pets/add-pet.ts'
import { type Pet, type PetStatus, petStatuses } from '../../../../shared/pets/pet.ts'
import { type Page, PetTable } from '../../../../shared/pets/pet-table.ts'
import { createInterceptingClient, createRecordingClient } from '../../../fixtures/database/clients.ts'
import { editItem } from '../../../fixtures/database/edit-item.ts'
import { describeOnEachEngine } from '../../../fixtures/database/engines.ts'
import { openService, type Service } from '../../../fixtures/service/service.ts'

const bella: Pet = { id: 9_223_372_036_854_775_807n, name: 'Bella', categoryId: 1n, status: 'available' }

/** The id of an attempt to add a pet (`add-pet.ts`). Most tests have only this one. */
const attemptId = 'an attempt'

/** Twelve pets, the newest first. Five are available, five pending and two sold. */
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
  let petTable: PetTable
  beforeEach(async () => {
    service = await openService(engine)
    petTable = service.pets
  })

  const putTwelvePets = () => Promise.all(twelvePets.map((pet) => petTable.put(pet, attemptId)))

  describe('pets that cannot be read', () => {
    /** Ids of those of the twelve pets that cannot be read: alone, in a row, and at both ends. */
    const damagedIds = [12n, 9n, 6n, 5n, 4n, 1n]
    const readablePets = twelvePets.filter(({ id }) => !damagedIds.includes(id))

    beforeEach(async () => {
      await putTwelvePets()
      for (const id of damagedIds) {
        await editItem(service.client, service.tables.pets, { id }, { categoryId: 'cats' })
      }
    })

    /** Reads all pages of a list. Without a status the list has the pets of all statuses. */
    const readPages = async (limit: number, status: PetStatus | undefined): Promise<Page[]> => {
      const pages: Page[] = []
      let before: bigint | undefined
      for (;;) {
        const page = await petTable.listPage({ limit, status, before })
        pages.push(page)
        before = page.nextBefore
        if (before === undefined) return pages
      }
    }

    it.each([undefined, ...petStatuses])(
      'the list of the status %s has all pets but those that cannot be read, with any limit',
      async (status) => {
        const expected = readablePets.filter((pet) => status === undefined || pet.status === status)

        // From pages of one pet to a page with room for one more than all pets.
        for (let limit = 1; limit <= twelvePets.length + 1; limit += 1) {
          const pages = await readPages(limit, status)

          expect(
            pages.flatMap(({ pets }) => pets),
            `limit ${limit}`,
          ).toEqual(expected)
        }
      },
    )
  })

  it.each([1.5, 10n ** 30n])('an item with the id %s, which is no int64, is left out of lists', async (id) => {
    await petTable.put({ ...bella, id: 2n }, attemptId)
    await petTable.put({ ...bella, id: 1n }, attemptId)
    await editItem(service.client, service.tables.pets, { id }, { name: 'Max', categoryId: 1, status: 'available' })

    const page = await petTable.listPage({ limit: 3, status: undefined, before: undefined })

    expect(page).toMatchObject({ pets: [{ id: 2n }, { id: 1n }], malformedItems: [{ attribute: 'id' }] })
  })

  it('a list goes on after an item whose id is larger than any int64', async () => {
    await petTable.put({ ...bella, id: 2n }, attemptId)
    const id = 10n ** 30n
    await editItem(service.client, service.tables.pets, { id }, { name: 'Max', categoryId: 1, status: 'available' })

    const first = await petTable.listPage({ limit: 1, status: undefined, before: undefined })
    const second = await petTable.listPage({ limit: 1, status: undefined, before: first.nextBefore })

    // A cursor holds only an int64, so the list goes on below the largest one.
    expect(first).toMatchObject({ pets: [], nextBefore: 2n ** 63n - 1n })
    expect(second).toMatchObject({ pets: [{ id: 2n }], nextBefore: undefined })
  })

  // A response of DynamoDB ends at 1 MB: here after two or three items, and five pets are available.
  it('a list goes on after items so large that a response has less than a page', async () => {
    await putTwelvePets()
    const notes = 'x'.repeat(350_000)
    for (const { id, ...fields } of twelvePets) {
      await editItem(service.client, service.tables.pets, { id }, { ...fields, notes })
    }

    const available = await petTable.listPage({ limit: 4, status: 'available', before: undefined })
    const all = await petTable.listPage({ limit: 12, status: undefined, before: undefined })

    const availablePets = twelvePets.filter(({ status }) => status === 'available')
    expect(available).toMatchObject({ pets: availablePets.slice(0, 4), nextBefore: 4n })
    expect(all).toMatchObject({ pets: twelvePets, nextBefore: undefined })
  })

  it('a list that fails ends after all of its queries', async () => {
    let queries = 0
    let ended = 0
    const client = createInterceptingClient(engine, 'Query', async () => {
      queries += 1
      if (queries === 1) throw new Error('no network')
      await setTimeout(50)
      ended += 1
    })

    const list = new PetTable(client, service.tables.pets).listPage({ limit: 1, status: undefined, before: undefined })

    await expect(list).rejects.toThrow('no network')
    // The list of all statuses makes three queries. The first one fails, and the list waits for the other two.
    expect(ended).toBe(2)
  })

  it('a pet that the same attempt puts again is stored', async () => {
    await petTable.put(bella, attemptId)

    expect(await petTable.put(bella, attemptId)).toBe(true)
  })

  // The databases of the tests are always consistent, so only the request shows that the read is.
  it('a pet is found by a strongly consistent read', async () => {
    const { client, calls } = createRecordingClient(engine)

    await new PetTable(client, service.tables.pets).find(1n)

    expect(calls).toMatchObject([{ input: { ConsistentRead: true } }])
  })

  /** Stores what stays of a pet that an operator has removed. */
  const storeRemovedPet = (id: bigint) =>
    editItem(service.client, service.tables.pets, { id }, { removed: 'by hand', attemptId })

  it('a removed pet is not found and not listed', async () => {
    await storeRemovedPet(bella.id)

    expect(await petTable.find(bella.id)).toBeUndefined()
    expect(await petTable.listPage({ limit: 1, status: undefined, before: undefined })).toEqual({
      pets: [],
      malformedItems: [],
      nextBefore: undefined,
    })
  })

  it('the id of a removed pet is never given to another', async () => {
    await storeRemovedPet(bella.id)

    expect(await petTable.put(bella, 'another attempt')).toBe(false)
    expect(await petTable.find(bella.id)).toBeUndefined()
  })

  it('a pet gets an id also when a hundred ids that are drawn for it have just been taken', async () => {
    let puts = 0
    const racingClient = createInterceptingClient(engine, 'PutItem', async ({ Item }) => {
      puts += 1
      if (puts <= 100) await petTable.put({ ...bella, id: (Item as Pet).id }, 'another attempt')
    })
    const racingTable = new PetTable(racingClient, service.tables.pets)
    const { id: _, ...newPet } = bella

    // Each id is drawn in a millisecond of its own, so that no two are equal by chance.
    const { id } = await addPet(racingTable, newPet, () => service.time.clock() + puts)

    expect(await petTable.find(id)).toEqual({ ...bella, id })
    expect(puts).toBe(101)
  })

  it.each([
    { call: 'find', make: (signal: AbortSignal) => petTable.find(1n, signal) },
    {
      call: 'listPage',
      make: (signal: AbortSignal) => petTable.listPage({ limit: 1, status: undefined, before: undefined }, signal),
    },
    { call: 'put', make: (signal: AbortSignal) => petTable.put(bella, attemptId, { signal }) },
  ])('a signal ends the call of $call as if DynamoDB were unavailable, and nothing is stored', async ({ make }) => {
    const error = await make(AbortSignal.abort()).catch((cause: unknown) => cause)

    expect(error).toMatchObject({ name: 'AbortError' })
    expect(isUnavailable(error)).toBe(true)
    expect(await petTable.find(bella.id)).toBeUndefined()
  })
})
