import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from '../../../../shared/pets/cursor.ts'
import { type Pet, petStatuses } from '../../../../shared/pets/pet.ts'
import { drawPetId } from '../../../../shared/pets/pet-id.ts'
import { changeCount, PetStore } from '../../../../shared/pets/pet-store.ts'
import { noon } from '../../../fixtures/clock.ts'
import { chooseBySize } from '../../../fixtures/size.ts'

// What an engine makes of the queries: pet-store.test.ts.

const options = { numRuns: Number(process.env['PET_LISTS'] ?? chooseBySize(200, 2_000)), endOnFailure: true }

const status = fc.constantFrom(...petStatuses)
/** The index is late by this much at most. All times are milliseconds. */
const longestLag = 5_000
const lag = fc.integer({ min: 0, max: longestLag })
const lags = fc.record({ available: lag, pending: lag, sold: lag })

/** What happens beside those who read. An id is drawn before its write, by as much as a function may run. */
const step = fc.oneof(
  fc.record({ add: status, drawnBefore: fc.integer({ min: 0, max: 9_000 }) }),
  { weight: 2, arbitrary: fc.record({ change: status, which: fc.nat() }) },
  fc.record({ wait: fc.integer({ min: 0, max: 3_000 }) }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const steps = fc.array(step, { maxLength: 8 })

/** What a pet was like from a time on. */
interface Version {
  readonly pet: Pet
  readonly changes: number
  readonly at: number
}

/** A table whose status index follows it at different times in each partition, as a global secondary index does. */
const openTable = (given: Readonly<Record<Pet['status'], number>>) => {
  let now = noon
  /** Of each pet, the latest last. */
  const pets: Version[][] = []

  /** The items of a partition at this time. It drops a pet as late as it takes one. */
  const partition = (name: Pet['status']) =>
    pets.flatMap((versions) => {
      const known = versions.filter(({ at }, index) => {
        const concerns = [versions[index - 1], versions[index]].some((version) => version?.pet.status === name)
        return concerns && at + given[name] <= now
      })
      return known.slice(-1).filter(({ pet }) => pet.status === name)
    })
  const send = async ({ input: { ExpressionAttributeValues = {}, Limit } }: QueryCommand) => {
    const { ':status': name, ':before': before } = ExpressionAttributeValues
    const items = partition(name).map(({ pet, changes }) => ({ ...pet, [changeCount]: changes }))
    const newest = items.toSorted((one, other) => (one.id < other.id ? 1 : -1))
    return { Items: newest.filter(({ id }) => before === undefined || id < before).slice(0, Limit) }
  }

  const table = {
    now: () => now,
    // All that a page needs of a client.
    store: new PetStore({ send } as unknown as DynamoDBDocumentClient, 'pets'),
    /** Each pet as it is. */
    pets: () => pets.flatMap((versions) => versions.slice(-1)),
    take: (step: Step): void => {
      if ('wait' in step) now += step.wait
      else if ('add' in step) {
        // No two ids of a millisecond are equal.
        const id = drawPetId(now - step.drawnBefore, (ids) => pets.length % ids)
        pets.push([{ pet: { id, name: 'Bella', categoryId: 1n, status: step.add }, changes: 0, at: now }])
      } else {
        const versions = pets[step.which % pets.length]
        const last = versions?.at(-1)
        if (last === undefined) return
        versions?.push({ pet: { ...last.pet, status: step.change }, changes: last.changes + 1, at: now })
      }
    },
    addMany: (count: number): void => {
      for (let added = 0; added < count; added += 1) {
        table.take({ add: petStatuses[added % 3] ?? 'sold', drawnBefore: 0 })
        table.take({ wait: 10 })
      }
    },
    /** Reads pages from the first on until `isEnough`, or the last, as callers follow the links. */
    read: async (
      limit: number,
      between: (page: number) => void = () => {},
      isEnough: (pet: Pet) => boolean = () => false,
    ): Promise<Pet[]> => {
      const seen: Pet[] = []
      let before: bigint | undefined
      for (let number = 0; ; number += 1) {
        const page = await table.store.listPage({ limit, status: undefined, before })
        const last = page.pets.at(-1)
        seen.push(...page.pets)
        if (!page.hasMore || last === undefined || page.pets.some(isEnough)) return seen
        before = decodeCursor(encodeCursor(last.id))
        // The link leads to a page with a pet on it.
        expect((await table.store.listPage({ limit, status: undefined, before })).pets).not.toEqual([])
        between(number)
      }
    },
  }
  return table
}

it('a list repeats no pet, and skips none that has not changed since a few seconds before the first page, however late the index', async () => {
  const [limits, counts] = [fc.integer({ min: 1, max: 7 }), fc.integer({ min: 5, max: 20 })]
  const property = fc.asyncProperty(
    ...([lags, limits, counts, steps, lag, fc.array(steps)] as const),
    async (given, limit, count, earlier, waiting, between) => {
      const table = openTable(given)
      table.addMany(count)
      earlier.forEach(table.take)
      table.take({ wait: waiting })
      const firstPageAt = table.now()
      const seen = await table.read(limit, (page) => between[page % between.length]?.forEach(table.take))
      const ids = seen.map(({ id }) => id)
      expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => (one < other ? 1 : -1)))
      const settled = table.pets().filter(({ at }) => at <= firstPageAt - longestLag)
      expect(seen).toEqual(expect.arrayContaining(settled.map(({ pet }) => pet)))
    },
  )
  await fc.assert(property, options)
})

it('a list shows every pet that nobody changes to those who read again to one that they had known for a minute', async () => {
  const polls = fc.array(fc.record({ steps, pause: fc.integer({ min: 0, max: 200_000 }) }), { minLength: 3 })
  const property = fc.asyncProperty(lags, polls, async (given, taken) => {
    const table = openTable(given)
    table.addMany(3)
    const knownSince = new Map<bigint, number>()
    let lastRead = table.now()
    const poll = async (): Promise<void> => {
      const isOld = ({ id }: Pet) => (knownSince.get(id) ?? Number.POSITIVE_INFINITY) <= lastRead - 60_000
      for (const { id } of await table.read(3, undefined, isOld)) knownSince.set(id, knownSince.get(id) ?? table.now())
      lastRead = table.now()
    }
    for (const { steps: between, pause } of taken) {
      between.forEach(table.take)
      await poll()
      table.take({ wait: pause })
    }
    table.take({ wait: longestLag })
    await poll()
    // One whose status changes may be on its way to its new place each time.
    expect(table.pets().filter(({ pet, changes }) => changes === 0 && !knownSince.has(pet.id))).toEqual([])
  })
  await fc.assert(property, options)
})

it.each([
  ['available', 'sold'],
  ['sold', 'available'],
] as const)('a list has a pet once, as it is now, while the partitions %s and %s have it', async (before, after) => {
  const table = openTable({ available: 0, pending: 0, sold: 0, [before]: 4_000 })
  table.take({ add: before, drawnBefore: 0 })
  table.take({ wait: 5_000 })
  table.take({ change: after, which: 0 })
  const page = await table.store.listPage({ limit: 1, status: undefined, before: undefined })
  expect(page).toEqual({ pets: [table.pets()[0]?.pet], hasMore: false })
})
