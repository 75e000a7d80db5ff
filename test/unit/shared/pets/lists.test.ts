import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { readCursor, writeCursor } from '../../../../shared/pets/cursor.ts'
import { type Pet, petStatuses } from '../../../../shared/pets/pet.ts'
import { newPetId } from '../../../../shared/pets/pet-id.ts'
import { changeCount, PetStore } from '../../../../shared/pets/pet-store.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'
import { sized } from '../../../fixtures/size.ts'
import { type LaggingIndex, openLaggingIndex } from './lagging-index.ts'

const numRuns = Number(process.env['PET_LISTS'] ?? sized(20, 100))
const timeout = 300_000 + 10_000 * numRuns
const itHolds = <Given extends [unknown, ...unknown[]]>(
  title: string,
  property: () => fc.IAsyncProperty<Given>,
): void => it(title, { timeout }, () => fc.assert(property(), { numRuns, endOnFailure: true }))

const status = fc.constantFrom(...petStatuses)
/** The index is late by this much at most. */
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

describeOnEachEngine('a list, while the index follows the table late', (engine) => {
  let service: Service
  let index: LaggingIndex
  let store: PetStore
  /** The pets of a run, with the time of their last change. */
  let pets: { pet: Pet; changes: number; at: number }[]
  /** No two ids of a millisecond are equal. */
  let drawn = 0
  /** The ids of earlier runs are below it. */
  let beginning: bigint
  beforeEach(async () => {
    service = await openService(engine)
    index = await openLaggingIndex(engine, service.time.clock)
    store = new PetStore(index.client, service.tables.pets)
  })

  const now = () => service.time.clock()

  const begin = (given: LaggingIndex['lags']): void => {
    service.time.advance(3_600)
    pets = []
    beginning = newPetId(now() - 60_000)
    index.lags = given
  }

  const take = (step: Step): void => {
    if ('wait' in step) service.time.advance(step.wait / 1_000)
    else if ('add' in step) {
      drawn += 1
      const id = newPetId(now() - step.drawnBefore, (ids) => drawn % ids)
      const pet = { id, name: 'Bella', categoryId: 1n, status: step.add }
      pets.push({ pet, changes: 0, at: now() })
      index.follow(undefined, pet)
    } else {
      const changed = pets[step.which % pets.length]
      if (changed === undefined) return
      const { pet: before, changes } = changed
      Object.assign(changed, { pet: { ...before, status: step.change }, changes: changes + 1, at: now() })
      index.follow(before, { ...changed.pet, [changeCount]: changed.changes })
    }
  }

  const addMany = (count: number): void => {
    for (let added = 0; added < count; added += 1) {
      take({ add: petStatuses[added % 3] ?? 'sold', drawnBefore: 0 })
      service.time.advance(0.01)
    }
  }

  /** Reads pages from the first on until `isEnough`, or the last of this run, as callers follow the links. */
  const traverse = async (
    limit: number,
    between: (page: number) => void,
    isEnough: (pet: Pet) => boolean = () => false,
  ): Promise<Pet[]> => {
    const seen: Pet[] = []
    let before: bigint | undefined
    for (let number = 0; ; number += 1) {
      const page = await store.page({ limit, status: undefined, before })
      const last = page.pets.at(-1)
      seen.push(...page.pets.filter(({ id }) => id >= beginning))
      if (!page.hasMore || last === undefined || last.id < beginning || page.pets.some(isEnough)) return seen
      before = readCursor(writeCursor(last.id))
      between(number)
    }
  }

  itHolds('repeats no pet, and skips none that has not changed since a few seconds before the first page', () =>
    fc.asyncProperty(
      ...([
        lags,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 5, max: 20 }),
        steps,
        lag,
        fc.array(steps),
      ] as const),
      async (given, limit, count, earlier, waiting, between) => {
        begin(given)
        addMany(count)
        for (const step of earlier) take(step)
        service.time.advance(waiting / 1_000)
        const firstPageAt = now()
        const seen = await traverse(limit, (page) => {
          for (const step of between[page % Math.max(1, between.length)] ?? []) take(step)
        })
        const ids = seen.map(({ id }) => id)
        expect(ids).toEqual([...new Set(ids)].toSorted((one, other) => (one < other ? 1 : -1)))
        const settled = pets.filter(({ at }) => at <= firstPageAt - longestLag).map(({ pet }) => pet)
        expect(seen).toEqual(expect.arrayContaining(settled))
      },
    ),
  )

  itHolds('shows every pet that nobody changes to those who ask again from one that they knew for a minute', () =>
    fc.asyncProperty(
      lags,
      fc.array(fc.record({ steps, pause: fc.integer({ min: 0, max: 200_000 }) }), { minLength: 3 }),
      async (given, polls) => {
        begin(given)
        addMany(3)
        const knownSince = new Map<bigint, number>()
        let lastRead = now()
        const poll = async (): Promise<void> => {
          const isOld = ({ id }: Pet) => (knownSince.get(id) ?? Number.POSITIVE_INFINITY) <= lastRead - 60_000
          for (const { id } of await traverse(3, () => {}, isOld)) {
            if (!knownSince.has(id)) knownSince.set(id, now())
          }
          lastRead = now()
        }
        for (const { steps: taken, pause } of polls) {
          for (const step of taken) take(step)
          await poll()
          service.time.advance(pause / 1_000)
        }
        service.time.advance(longestLag / 1_000)
        await poll()
        // One whose status changes may be on its way to its new place each time.
        expect(pets.filter(({ pet, changes }) => changes === 0 && !knownSince.has(pet.id))).toEqual([])
      },
    ),
  )

  it('has a pet once, as it was after its latest change, while two partitions have it', async () => {
    begin({ available: 4_000, pending: 1_000, sold: 0 })
    addMany(1)
    service.time.advance(5)
    take({ change: 'sold', which: 0 })
    const page = await store.page({ limit: 1, status: undefined, before: undefined })
    expect(page).toEqual({ pets: [pets[0]?.pet], hasMore: false })
    take({ change: 'pending', which: 0 })
    service.time.advance(1)
    expect((await store.page({ limit: 2, status: undefined, before: undefined })).pets).toEqual([pets[0]?.pet])
  })
})
