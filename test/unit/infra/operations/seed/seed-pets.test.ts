import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { paginateScan } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { removeSeededPets, seedPets } from '../../../../../infra/operations/seed/seed-pets.ts'
import { seededPet } from '../../../../../infra/operations/seed/seeded-pet.ts'
import { type Pet, petStatuses } from '../../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { clientOf, createFreshTables } from '../../../../fixtures/engines.ts'

const [dynalite] = inject('engines')
const engine = { name: 'dynalite', endpoint: dynalite?.endpoint ?? '' }
const { client, plain } = clientOf(engine)
let table: string
let store: PetStore
beforeEach(async () => {
  table = (await createFreshTables(engine)).pets
  store = new PetStore(client, table)
})

const seededPets = (count: number): Pet[] => Array.from({ length: count }, (_, index) => seededPet(index))

const countItems = async (): Promise<number> => {
  const pages = paginateScan({ client }, { TableName: table, Select: 'COUNT' })
  return (await Array.fromAsync(pages)).reduce((sum, { Count = 0 }) => sum + Count, 0)
}

/** All pets of a list, page by page, as callers follow them. */
const listAll = async (status: Pet['status'] | undefined): Promise<Pet[]> => {
  const pets: Pet[] = []
  let before: bigint | undefined
  for (;;) {
    const page = await store.page({ limit: 100, status, before })
    pets.push(...page.pets)
    before = page.pets.at(-1)?.id
    if (!page.hasMore) return pets
  }
}

describe('seeding', () => {
  it('adds as many pets as it is told, none that are there, and the rest when more are asked for', async () => {
    const seed = (count: number) => seedPets({ client, table, count })
    expect(await seed(210)).toEqual({ found: 0, written: 210, total: 210, isComplete: true })
    expect(await countItems()).toBe(210)
    expect(await seed(210)).toEqual({ found: 210, written: 0, total: 210, isComplete: true })
    expect(await seed(300)).toEqual({ found: 210, written: 90, total: 300, isComplete: true })
    expect(await seed(100)).toEqual({ found: 300, written: 0, total: 300, isComplete: true })
    expect(await countItems()).toBe(300)
  })

  it('is removed, the last pets first, also after an interrupted removal', async () => {
    const pet = { id: 487_912_340_012_345n, name: 'Bella', categoryId: 1n, status: 'available' } as const
    await store.put(pet, 'an attempt')
    await seedPets({ client, table, count: 410 })
    const interruption = new AbortController()
    const progress = { begin: () => {}, advance: () => interruption.abort() }
    const first = await removeSeededPets({ client, table, progress, signal: interruption.signal })
    expect(first).toMatchObject({ isComplete: false })
    expect(await store.find(seededPet(409).id)).toBeUndefined()
    const left = 410 - first.removed
    expect(await removeSeededPets({ client, table })).toEqual({ removed: left, isComplete: true })
    expect(await removeSeededPets({ client, table })).toEqual({ removed: 0, isComplete: true })
    expect(await listAll(undefined)).toEqual([pet])
    expect(await countItems()).toBe(1)
  })

  it('leaves the pets that callers created as they are, above its own, which are listed by their status', async () => {
    const pet = { id: 487_912_340_012_345n, name: 'Bella', categoryId: 1n, status: 'available' } as const
    await store.put(pet, 'an attempt')
    await seedPets({ client, table, count: 200 })
    const expected = [pet, ...seededPets(200).toReversed()]
    expect(await listAll(undefined)).toEqual(expected)
    for (const status of petStatuses)
      expect(await listAll(status)).toEqual(expected.filter((one) => one.status === status))
  })

  it('stores a pet as the service stores one that is created', async () => {
    const read = async () =>
      (await plain.send(new GetItemCommand({ TableName: table, Key: { id: { N: String(seededPet(0).id) } } }))).Item
    await seedPets({ client, table, count: 1 })
    const seeded = await read()
    await removeSeededPets({ client, table })
    await store.put(seededPet(0), 'seed')
    expect(seeded).toEqual(await read())
  })

  it('keeps to the rate that it is given', async () => {
    const start = performance.now()
    await seedPets({ client, table, count: 200, rate: 500 })
    // Each batch waits for those before it: the last of eight begins after 175 pets.
    expect(performance.now() - start).toBeGreaterThan(349)
  })
})
