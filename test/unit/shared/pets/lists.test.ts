import type { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseNumberAttribute } from '../../../../shared/int64.ts'
import { drawPetId } from '../../../../shared/pets/add-pet.ts'
import { decodeCursor, encodeCursor } from '../../../../shared/pets/cursor.ts'
import { type Pet, type PetStatus, petStatuses } from '../../../../shared/pets/pet.ts'
import { changeCountAttribute, PetTable } from '../../../../shared/pets/pet-table.ts'
import { type IndexedItem, LaggingIndex } from '../../../fixtures/database/lagging-index.ts'
import { chooseBySize } from '../../../fixtures/machine/size.ts'
import { testTime } from '../../../fixtures/service/clock.ts'

// Times are milliseconds.

const numRuns = chooseBySize(200, 2_000, 100_000)

/** Longest time by which the index is behind the table. */
const longestLag = 5_000

const statuses = fc.constantFrom(...petStatuses)
const lags = fc.integer({ min: 0, max: longestLag })
const lagsByStatus = fc.record({ available: lags, pending: lags, sold: lags })

/** Something that happens while others read lists. */
type TableEvent =
  /**
   * Adds a pet whose id was drawn some milliseconds before: up to ten seconds, the timeout of a request, and three more
   * for its last write.
   */
  | { readonly kind: 'add'; readonly status: PetStatus; readonly drawnBefore: number }
  /** Changes the status of one of the pets: of the one with this number, modulo the number of pets. */
  | { readonly kind: 'change'; readonly status: PetStatus; readonly petNumber: number }
  | { readonly kind: 'wait'; readonly milliseconds: number }

const tableEvent: fc.Arbitrary<TableEvent> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    status: statuses,
    drawnBefore: fc.integer({ min: 0, max: 13_000 }),
  }),
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('change' as const), status: statuses, petNumber: fc.nat() }),
  },
  fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.integer({ min: 0, max: 3_000 }) }),
)

const tableEvents = fc.array(tableEvent, { maxLength: 8 })

/** Latest state of a pet, the number of its changes, and when that state was written. */
interface Version {
  readonly pet: Pet
  readonly changes: number
  readonly at: number
}

/** A pets table. Each partition of its status index is late by a lag of its own. */
class LateTable {
  readonly petTable: PetTable
  readonly #index: LaggingIndex
  /** Latest version of each pet. */
  readonly #pets: Version[] = []
  #now = testTime

  constructor(lagOfPartitions: Readonly<Record<PetStatus, number>>) {
    this.#index = new LaggingIndex({ clock: () => this.#now, drawLag: (status) => lagOfPartitions[status] })
    const client = { send: async (command: QueryCommand) => this.#query(command) }
    // Listing a page needs nothing else of a client.
    this.petTable = new PetTable(client as unknown as DynamoDBDocumentClient, 'pets')
  }

  get now(): number {
    return this.#now
  }

  get latestVersions(): readonly Version[] {
    return this.#pets
  }

  apply(event: TableEvent): void {
    switch (event.kind) {
      case 'wait':
        this.#now += event.milliseconds
        return
      case 'add':
        this.#add(event.status, event.drawnBefore)
        return
      case 'change':
        this.#change(event.petNumber, event.status)
        return
    }
  }

  applyAll(events: readonly TableEvent[]): void {
    for (const event of events) this.apply(event)
  }

  /** Adds pets of each status in turn, ten milliseconds apart. */
  addMany(count: number): void {
    for (let index = 0; index < count; index += 1) {
      this.#add(petStatuses[index % 3] ?? 'sold', 0)
      this.#now += 10
    }
  }

  #add(status: PetStatus, drawnBefore: number): void {
    // The number of pets instead of a random number, so that no two ids of a millisecond are equal.
    const id = drawPetId(this.#now - drawnBefore, (below) => this.#pets.length % below)
    this.#write(this.#pets.length, { id, name: 'Bella', categoryId: 1n, status }, 0)
  }

  #change(petNumber: number, status: PetStatus): void {
    const index = petNumber % this.#pets.length
    const latest = this.#pets[index]
    if (latest !== undefined) this.#write(index, { ...latest.pet, status }, latest.changes + 1)
  }

  #write(index: number, pet: Pet, changes: number): void {
    this.#pets[index] = { pet, changes, at: this.#now }
    // A marshalled pet has the attributes that the index needs.
    this.#index.follow(marshall({ ...pet, [changeCountAttribute]: changes }) as unknown as IndexedItem)
  }

  #query({ input: { KeyConditionExpression, ExpressionAttributeValues = {}, ScanIndexForward, Limit } }: QueryCommand) {
    const values = marshall(ExpressionAttributeValues, { removeUndefinedValues: true })
    const { Items } = this.#index.query({
      KeyConditionExpression,
      ExpressionAttributeValues: values,
      ScanIndexForward,
      Limit,
    })
    return { Items: Items.map((item) => unmarshall({ ...item }, { wrapNumbers: parseNumberAttribute })) }
  }
}

interface ReadOptions {
  readonly limit: number
  /** Runs between two pages. */
  readonly betweenPages?: (pageNumber: number) => void
  /** Ends the list after the page that has such a pet. */
  readonly isLastWanted?: (pet: Pet) => boolean
}

/** Reads a list page by page from its first page on, as callers follow the links. */
const readList = async (table: LateTable, options: ReadOptions): Promise<readonly Pet[]> => {
  const { limit, betweenPages = () => {}, isLastWanted = () => false } = options
  const pets: Pet[] = []
  let before: bigint | undefined
  for (let pageNumber = 0; ; pageNumber += 1) {
    const page = await table.petTable.listPage({ limit, status: undefined, before })
    pets.push(...page.pets)

    if (page.nextBefore === undefined || page.pets.some(isLastWanted)) return pets

    before = decodeCursor(encodeCursor(page.nextBefore))
    const nextPage = await table.petTable.listPage({ limit, status: undefined, before })
    expect(nextPage.pets, 'a link leads to a page with a pet').not.toEqual([])
    betweenPages(pageNumber)
  }
}

/** Finds the pets that had not changed for the longest lag of the index when a first page was read. */
const findSettledPets = (table: LateTable, firstPageAt: number): readonly Pet[] => {
  const settled = table.latestVersions.filter(({ at }) => at <= firstPageAt - longestLag)
  return settled.map(({ pet }) => pet)
}

const lists = fc.record({
  lagOfPartitions: lagsByStatus,
  limit: fc.integer({ min: 1, max: 7 }),
  petCount: fc.integer({ min: 5, max: 20 }),
  eventsBefore: tableEvents,
  waitBefore: lags,
  eventsBetweenPages: fc.array(tableEvents),
})

it('a list skips and repeats no pet that has not changed for some seconds, however late the index', async () => {
  const property = fc.asyncProperty(lists, async (list) => {
    const { limit, eventsBetweenPages } = list
    const table = new LateTable(list.lagOfPartitions)
    table.addMany(list.petCount)
    table.applyAll(list.eventsBefore)
    table.apply({ kind: 'wait', milliseconds: list.waitBefore })
    const firstPageAt = table.now

    const pets = await readList(table, {
      limit,
      betweenPages: (page) => table.applyAll(eventsBetweenPages[page % eventsBetweenPages.length] ?? []),
    })

    const ids = pets.map(({ id }) => id)
    expect(new Set(ids).size, 'no pet is repeated').toBe(ids.length)
    expect(ids, 'the newest pets come first').toEqual(ids.toSorted((one, other) => (one < other ? 1 : -1)))
    const settledPets = findSettledPets(table, firstPageAt)
    expect(pets, 'no settled pet is skipped').toEqual(expect.arrayContaining([...settledPets]))
  })

  await fc.assert(property, { numRuns, endOnFailure: true })
})

const anyPoll = fc.record({
  eventsBefore: tableEvents,
  pauseAfter: fc.integer({ min: 0, max: 200_000 }),
})

it('a caller who reads each poll back to a pet known for a minute sees every unchanged pet', async () => {
  const anyPolls = fc.array(anyPoll, { minLength: 3 })
  const property = fc.asyncProperty(lagsByStatus, anyPolls, async (lagOfPartitions, polls) => {
    const table = new LateTable(lagOfPartitions)
    table.addMany(3)
    const knownSince = new Map<bigint, number>()
    let previousPollAt = table.now

    const poll = async (): Promise<void> => {
      // The caller had known the pet for a minute at the previous poll.
      const isOld = ({ id }: Pet) => (knownSince.get(id) ?? Number.POSITIVE_INFINITY) <= previousPollAt - 60_000
      for (const { id } of await readList(table, { limit: 3, isLastWanted: isOld })) {
        knownSince.set(id, knownSince.get(id) ?? table.now)
      }
      previousPollAt = table.now
    }
    for (const { eventsBefore, pauseAfter } of polls) {
      table.applyAll(eventsBefore)
      await poll()
      table.apply({ kind: 'wait', milliseconds: pauseAfter })
    }
    table.apply({ kind: 'wait', milliseconds: longestLag })
    await poll()

    // A pet whose status changes may be between two partitions during each poll.
    const unseen = table.latestVersions.filter(({ pet, changes }) => changes === 0 && !knownSince.has(pet.id))
    expect(unseen, 'no unchanged pet is unseen').toEqual([])
  })

  await fc.assert(property, { numRuns, endOnFailure: true })
})

it.each([
  { before: 'available', after: 'sold' },
  { before: 'sold', after: 'available' },
] as const)('a list has a pet once while the index moves it from $before to $after', async ({ before, after }) => {
  // The partition that the pet leaves is four seconds late. So long the pet is in both partitions.
  const table = new LateTable({ available: 0, pending: 0, sold: 0, [before]: 4_000 })
  table.apply({ kind: 'add', status: before, drawnBefore: 0 })
  table.apply({ kind: 'wait', milliseconds: 5_000 })
  table.apply({ kind: 'change', status: after, petNumber: 0 })

  const page = await table.petTable.listPage({ limit: 1, status: undefined, before: undefined })

  expect(page).toEqual({ pets: [table.latestVersions[0]?.pet], malformedItems: [], nextBefore: undefined })
})
