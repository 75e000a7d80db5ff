import { GetItemCommand } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../../../infra/local/database/database.ts'
import { startDynalite } from '../../../../../infra/local/database/dynalite.ts'
import { removeSeededPets, seedPets } from '../../../../../infra/operations/seed/seed-pets.ts'
import { seededPet } from '../../../../../infra/operations/seed/seeded-pet.ts'
import { type Pet, petStatuses } from '../../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { clientOf, createFreshTables, type RunningEngine } from '../../../../fixtures/engines.ts'

let database: Database
let engine: RunningEngine
let client: DynamoDBDocumentClient
let table: string
let store: PetStore
beforeAll(async () => {
  database = await startDynalite(undefined)
  engine = { name: 'dynalite', endpoint: database.endpoint }
  client = clientOf(engine).client
})
afterAll(() => database.close())
beforeEach(async () => {
  table = (await createFreshTables(engine)).pets
  store = new PetStore(client, table)
})

const seededPets = (count: number): Pet[] => Array.from({ length: count }, (_, index) => seededPet(index))

const countItems = async (): Promise<number> => {
  let count = 0
  let start: Record<string, unknown> | undefined
  do {
    const page = await client.send(new ScanCommand({ TableName: table, Select: 'COUNT', ExclusiveStartKey: start }))
    count += page.Count ?? 0
    start = page.LastEvaluatedKey
  } while (start !== undefined)
  return count
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
  it('adds exactly as many pets as it is told', async () => {
    expect(await seedPets({ client, table, count: 510 })).toMatchObject({ found: 0, written: 510, isComplete: true })
    expect(await countItems()).toBe(510)
  })

  it('adds none when they are there, and the rest when more are asked for', async () => {
    await seedPets({ client, table, count: 500 })
    expect(await seedPets({ client, table, count: 500 })).toEqual({
      found: 500,
      written: 0,
      total: 500,
      isComplete: true,
    })
    expect(await seedPets({ client, table, count: 1_000 })).toEqual({
      found: 500,
      written: 500,
      total: 1_000,
      isComplete: true,
    })
    expect(await seedPets({ client, table, count: 100 })).toEqual({
      found: 1_000,
      written: 0,
      total: 1_000,
      isComplete: true,
    })
    expect(await seedPets({ client, table, count: 100, all: true })).toMatchObject({ written: 100, total: 1_000 })
    expect(await countItems()).toBe(1_000)
  })

  it('goes on after an interruption and comes to the same pets', async () => {
    const interruption = new AbortController()
    let written = 0
    const advance = (pets: number): void => {
      written += pets
      if (written >= 500) interruption.abort()
    }
    const progress = { begin: () => {}, advance }
    const first = await seedPets({ client, table, count: 1_000, progress, signal: interruption.signal })
    expect(first.isComplete).toBe(false)
    expect(await countItems()).toBe(first.written)
    const second = await seedPets({ client, table, count: 1_000 })
    expect(second).toMatchObject({ found: first.written, written: 1_000 - first.written, isComplete: true })
    expect(await listAll(undefined)).toEqual(seededPets(1_000).toReversed())
  })

  it('is taken back, the last pets first, and again where that was interrupted', async () => {
    const pet = { id: 487_912_340_012_345n, name: 'Bella', categoryId: 1n, status: 'available' } as const
    await store.put(pet, 'an attempt')
    await seedPets({ client, table, count: 1_010 })
    const interruption = new AbortController()
    const progress = { begin: () => {}, advance: () => interruption.abort() }
    const first = await removeSeededPets({ client, table, progress, signal: interruption.signal })
    expect(first).toMatchObject({ isComplete: false })
    expect(await store.find(seededPet(1_009).id)).toBeUndefined()
    const left = 1_010 - first.removed
    expect(await removeSeededPets({ client, table })).toEqual({ removed: left, isComplete: true })
    expect(await removeSeededPets({ client, table })).toEqual({ removed: 0, isComplete: true })
    expect(await listAll(undefined)).toEqual([pet])
    expect(await countItems()).toBe(1)
  })

  it('leaves the pets that callers created as they are, above its own', async () => {
    const pet = { id: 487_912_340_012_345n, name: 'Bella', categoryId: 1n, status: 'available' } as const
    await store.put(pet, 'an attempt')
    await seedPets({ client, table, count: 50 })
    expect(await listAll(undefined)).toEqual([pet, ...seededPets(50).toReversed()])
  })

  it.each(petStatuses)('makes pets that are listed by their status: %s', async (status) => {
    await seedPets({ client, table, count: 300 })
    const expected = seededPets(300).filter((pet) => pet.status === status)
    expect(expected.length).toBeGreaterThan(20)
    expect(await listAll(status)).toEqual(expected.toReversed())
  })

  it('stores a pet as the service stores one that is created', async () => {
    const { plain } = clientOf(engine)
    const read = async () =>
      (await plain.send(new GetItemCommand({ TableName: table, Key: { id: { N: String(seededPet(0).id) } } }))).Item
    await store.put(seededPet(0), 'seed')
    const created = await read()
    await seedPets({ client, table, count: 1, all: true })
    expect(await read()).toEqual(created)
  })

  it('mends, when told to write all, what was changed by other means', async () => {
    await store.put({ ...seededPet(7), name: 'Somebody else' }, 'seed')
    expect(await seedPets({ client, table, count: 30, all: true })).toMatchObject({ found: 0, written: 30 })
    expect(await listAll(undefined)).toEqual(seededPets(30).toReversed())
  })

  it('keeps to the rate that it is given', async () => {
    const start = performance.now()
    await seedPets({ client, table, count: 200, rate: 500 })
    // Each batch waits for those before it: the last of eight begins after 175 pets.
    expect(performance.now() - start).toBeGreaterThan(349)
  })
})
