import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import type { IdempotencyScope } from '../../../../shared/api-keys/api-key-record.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { addPetOnce } from '../../../../shared/idempotency/add-pet-once.ts'
import { createReservationId, ReservationStore } from '../../../../shared/idempotency/reservations.ts'
import { type AddedPet, addPet } from '../../../../shared/pets/add-pet.ts'
import type { NewPet, Pet } from '../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../shared/pets/pet-store.ts'
import { createForgetfulClient, createInterceptingClient } from '../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'
import { createClientInTurns, itHoldsInEachOrder, lostResponses } from '../../../fixtures/turns.ts'

// Other bodies, and keys of others: test/requests/create-pet.ts. Many requests at once: test/e2e/pets.test.ts.

// Of a key that was never issued.
const scope = 'key_one' as IdempotencyScope

const bella: NewPet = { name: 'Bella', categoryId: 2n ** 63n - 1n, status: 'available' }
const milo: NewPet = { ...bella, name: 'Milo' }
const day = 24 * 60 * 60

const sometimes = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined })

describeOnEachEngine('a pet with an Idempotency-Key', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
  })

  interface By {
    readonly pets?: PetStore
    readonly reservations?: ReservationStore
    readonly clock?: () => number
  }
  const add = (newPet: NewPet = bella, by: By = {}) => {
    const { pets = service.pets, reservations = service.reservations, clock = service.time.clock } = by
    return addPetOnce({ pets, reservations }, createReservationId(scope, '0b7e3c52'), newPet, clock)
  }
  const allPets = async (): Promise<readonly Pet[]> =>
    (await service.pets.listPage({ limit: 100, status: undefined, before: undefined })).pets

  const petsBy = (before: Parameters<typeof createInterceptingClient>[2]) =>
    new PetStore(createInterceptingClient(engine, 'PutItem', before), service.tables.pets)
  const end = () => Promise.reject(new Error('ended'))
  /** Of a function that ends before it has stored the pet, having said so. */
  const failing = () => ({ pets: petsBy(end) })
  /** The same, where it does nothing any more. */
  const crashing = () => ({
    ...failing(),
    reservations: new ReservationStore(createInterceptingClient(engine, 'UpdateItem', end), service.tables.idempotency),
  })

  /** Each call is sent again, as its first response is lost. */
  const forgetful = () => ({
    pets: new PetStore(createForgetfulClient(engine), service.tables.pets),
    reservations: new ReservationStore(createForgetfulClient(engine), service.tables.idempotency),
  })

  /** The outcome in words: `added`, `replayed`, or the refusal. */
  const outcomeOf = (adding: Promise<AddedPet>): Promise<string> =>
    adding.then(
      ({ replayed }) => (replayed ? 'replayed' : 'added'),
      (error) =>
        error instanceof ServiceError ? [error.code, ...Object.values(error.headers)].join(' ') : error.message,
    )

  type Step = readonly [wait: number, newPet: NewPet, outcome: string, by?: () => By]
  it.each<[what: string, count: number, ...steps: Step[]]>([
    ['added once, for one body', 1, [0, bella, 'added'], [0, bella, 'replayed'], [0, milo, 'idempotency_key_reused']],
    ['no replay where the SDK repeats its calls', 1, [0, bella, 'added', forgetful], [0, bella, 'replayed']],
    ['remembered for 24 hours', 2, [0, bella, 'added'], [day - 1, bella, 'replayed'], [1, milo, 'added']],
    [
      'kept waiting for a request that may still be running',
      ...([1, [0, bella, 'ended', crashing], [14, bella, 'idempotency_key_in_use 1'], [1, bella, 'added']] as const),
    ],
    ['kept waiting no longer for one that has failed', 1, [0, bella, 'ended', failing], [0, bella, 'added']],
  ])('is %s', async (_what, count, ...steps) => {
    for (const [wait, newPet, outcome, by = () => ({})] of steps) {
      service.time.advance(wait)
      expect(await outcomeOf(add(newPet, by()))).toBe(outcome)
    }
    expect(await allPets()).toHaveLength(count)
  })

  it('does not take the id of another pet when its put is 24 hours late', async () => {
    const sent = Promise.withResolvers<void>()
    const arrival = Promise.withResolvers<void>()
    const frozen = petsBy(async () => {
      sent.resolve()
      await arrival.promise
    })
    const late = outcomeOf(add(bella, { pets: frozen }))
    await sent.promise
    service.time.advance(15)
    // A retry that ends when it has made the id void.
    expect(await outcomeOf(add(bella, { reservations: crashing().reservations }))).toBe('ended')
    service.time.advance(day)
    expect(await outcomeOf(add(milo, crashing()))).toBe('ended')
    arrival.resolve()
    expect(await late).toBe('A reservation expired while it was in use.')
    expect(await allPets()).toEqual([])
  })

  it('gets another id where another pet has just taken its own, and keeps it', async () => {
    let isTaken = false
    const pets = petsBy(async ({ Item }) => {
      if (isTaken) return
      isTaken = true
      await service.pets.put({ ...milo, id: (Item as Pet).id, status: 'sold' }, 'another attempt')
    })
    const { pet } = await add(bella, { pets })
    expect(await add()).toEqual({ pet, replayed: true })
    expect((await allPets()).map(({ name }) => name).toSorted()).toEqual(['Bella', 'Milo'])
  })

  it.each(['petId', 'attemptId', 'fingerprint', 'lockedUntil', 'expiresAt'])(
    'is an error where its reservation has no valid %s',
    async (attribute) => {
      await add()
      const TableName = service.tables.idempotency
      const { Items: [reservation] = [] } = await service.client.send(new ScanCommand({ TableName }))
      // An end of another type meets no condition on it, so the item is read.
      await service.client.send(new PutCommand({ TableName, Item: { ...reservation, [attribute]: true } }))
      expect(await outcomeOf(add())).toBe('An item of the idempotency table is not a reservation.')
    },
  )

  itHoldsInEachOrder(
    'is added once and returned to all, in each order of the calls of a first request and its late retries, whichever responses get lost and wherever the first is killed; one that a retry adds is the newest',
    [fc.integer({ min: 1, max: 3 }), sometimes(lostResponses), sometimes(fc.integer({ min: 1, max: 4 }))],
    async (turns, retries, isLost, killedAfter) => {
      service = await openService(engine)
      const start = service.time.clock()
      const afterLock = start + 15_000
      // Somebody polls between the first request, which reserves without waiting for its turn, and the retries.
      const seen = await addPet(service.pets, milo, () => afterLock - 1_000)
      let isReserved = false
      const waitForTurn = async (call: string): Promise<void> => {
        if (isReserved) await turns.waitForTurn(call)
        isReserved = true
      }
      const request = async (isRetry: boolean, client: typeof service.client, clock: () => number) => {
        const pets = new PetStore(client, service.tables.pets)
        const reservations = new ReservationStore(client, service.tables.idempotency)
        try {
          return { isRetry, ...(await add(bella, { pets, reservations, clock })) }
        } catch (error) {
          if (isRetry || killedAfter === undefined) throw error
          return undefined
        }
      }
      const firstClient = createClientInTurns(engine, { waitForTurn }, isLost, killedAfter)
      const ended = await turns.run([
        () => request(false, firstClient, () => (isReserved ? afterLock : start)),
        ...Array.from({ length: retries }, (_, retry) => () => {
          return request(true, createClientInTurns(engine, turns, isLost), () => afterLock + retry)
        }),
      ])
      const responses = ended.filter((one) => one !== undefined)
      const pets = await allPets()
      const pet = pets.find(({ name }) => name === bella.name)
      expect(responses.map((one) => one.pet)).toEqual(responses.map(() => pet))
      // Else the first request itself has stored it, under the id that it had drawn.
      const isAddedByRetry = responses.some(({ isRetry, replayed }) => isRetry && !replayed)
      expect(pets).toHaveLength(2)
      expect(pets).toEqual(isAddedByRetry ? [pet, seen] : expect.arrayContaining([pet, seen]))
    },
  )
})
