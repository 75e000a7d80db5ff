import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import type { IdempotencyScope } from '../../../../shared/api-keys/api-key-record.ts'
import { addPetOnce } from '../../../../shared/idempotency/add-pet-once.ts'
import { createReservationId, ReservationStore } from '../../../../shared/idempotency/reservations.ts'
import { type AddedPet, addPet } from '../../../../shared/pets/add-pet.ts'
import type { NewPet, Pet } from '../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../shared/pets/pet-store.ts'
import { createForgetfulClient, createInterceptingClient } from '../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'
import { createClientInTurns, itHoldsInEachOrder, lostResponses } from '../../../fixtures/turns.ts'

// Other bodies and the keys of other callers are tested in test/requests/create-pet.ts, many requests at once in
// test/e2e/pets.test.ts.

// The cast brands the scope of a key that was never issued.
const scope = 'key_one' as IdempotencyScope
const reservationId = createReservationId(scope, '0b7e3c52')

const bella: NewPet = { name: 'Bella', categoryId: 9_223_372_036_854_775_807n, status: 'available' }
const milo: NewPet = { name: 'Milo', categoryId: 9_223_372_036_854_775_807n, status: 'available' }

const secondsOfDay = 24 * 60 * 60

const keyReused = expect.objectContaining({ code: 'idempotency_key_reused', headers: {} })
const keyInUse = expect.objectContaining({ code: 'idempotency_key_in_use', headers: { 'Retry-After': '1' } })
const connectionLost = new Error('The connection is lost.')

describeOnEachEngine('a pet with an Idempotency-Key', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
  })

  /** Stores and clock of one request. By default they are those of the service. */
  interface RequestOptions {
    readonly pets?: PetStore
    readonly reservations?: ReservationStore
    readonly clock?: () => number
  }

  /** Adds a pet with the Idempotency-Key of `reservationId`. */
  const add = (newPet: NewPet, options: RequestOptions = {}): Promise<AddedPet> => {
    const { pets = service.pets, reservations = service.reservations, clock = service.time.clock } = options
    return addPetOnce({ pets, reservations }, reservationId, newPet, clock)
  }

  const listPets = async (): Promise<readonly Pet[]> => {
    const page = await service.pets.listPage({ limit: 100, status: undefined, before: undefined })
    return page.pets
  }

  const fail = () => Promise.reject(connectionLost)

  /** Stores of a function that cannot store the pet, but can end the lock of its reservation. */
  const createFailingStores = () => ({
    pets: new PetStore(createInterceptingClient(engine, 'PutItem', fail), service.tables.pets),
  })

  /** Store of a function that cannot change its reservation. */
  const createFailingReservations = () =>
    new ReservationStore(createInterceptingClient(engine, 'UpdateItem', fail), service.tables.idempotency)

  /** Stores of a function that ends before it has stored the pet or ended the lock of its reservation. */
  const createCrashingStores = () => ({
    ...createFailingStores(),
    reservations: createFailingReservations(),
  })

  /** Stores whose every call is sent twice, because its first response is lost. */
  const createForgetfulStores = () => ({
    pets: new PetStore(createForgetfulClient(engine), service.tables.pets),
    reservations: new ReservationStore(createForgetfulClient(engine), service.tables.idempotency),
  })

  it('a retry returns the pet that the first request added', async () => {
    const first = await add(bella)
    const retry = await add(bella)

    expect(first).toEqual({ pet: { id: expect.any(BigInt), ...bella }, replayed: false })
    expect(retry).toEqual({ pet: first.pet, replayed: true })
    expect(await listPets()).toEqual([first.pet])
  })

  it('a request with another body is refused', async () => {
    const first = await add(bella)

    await expect(add(milo)).rejects.toEqual(keyReused)
    expect(await listPets()).toEqual([first.pet])
  })

  it('a request is no replay when the SDK repeats its calls', async () => {
    const first = await add(bella, createForgetfulStores())
    const retry = await add(bella)

    expect(first.replayed).toBe(false)
    expect(retry).toEqual({ pet: first.pet, replayed: true })
    expect(await listPets()).toEqual([first.pet])
  })

  it('an Idempotency-Key is remembered for 24 hours', async () => {
    await add(bella)

    service.time.advance(secondsOfDay - 1)
    expect(await add(bella)).toMatchObject({ replayed: true })

    service.time.advance(1)
    expect(await add(milo)).toMatchObject({ replayed: false })
    expect(await listPets()).toHaveLength(2)
  })

  it('a retry is refused while the first request may still be running', async () => {
    await expect(add(bella, createCrashingStores())).rejects.toThrow(connectionLost)

    service.time.advance(14)
    await expect(add(bella)).rejects.toEqual(keyInUse)

    service.time.advance(1)
    expect(await add(bella)).toMatchObject({ replayed: false })
    expect(await listPets()).toHaveLength(1)
  })

  it('a retry adds the pet at once when the first request has failed', async () => {
    await expect(add(bella, createFailingStores())).rejects.toThrow(connectionLost)

    expect(await add(bella)).toMatchObject({ replayed: false })
    expect(await listPets()).toHaveLength(1)
  })

  it('a first request whose put is 24 hours late adds no pet', async () => {
    const putSent = Promise.withResolvers<void>()
    const putReleased = Promise.withResolvers<void>()
    const latePutClient = createInterceptingClient(engine, 'PutItem', async () => {
      putSent.resolve()
      await putReleased.promise
    })
    const lateRequest = add(bella, { pets: new PetStore(latePutClient, service.tables.pets) })
    await putSent.promise

    service.time.advance(15)
    // A retry makes the id of the late request void. It fails before it has replaced the id.
    const retry = add(bella, { reservations: createFailingReservations() })
    await expect(retry).rejects.toThrow(connectionLost)
    service.time.advance(secondsOfDay)
    // The reservation has expired. Another request reserves the key for another pet, and crashes.
    await expect(add(milo, createCrashingStores())).rejects.toThrow(connectionLost)
    putReleased.resolve()

    await expect(lateRequest).rejects.toThrow(new Error('A reservation expired while it was in use.'))
    expect(await listPets()).toEqual([])
  })

  it('a pet gets another id when another pet has just taken its id', async () => {
    let isTaken = false
    const racingClient = createInterceptingClient(engine, 'PutItem', async ({ Item }) => {
      if (isTaken) return
      isTaken = true
      await service.pets.put({ ...milo, id: (Item as Pet).id, status: 'sold' }, 'another attempt')
    })

    const first = await add(bella, { pets: new PetStore(racingClient, service.tables.pets) })
    const retry = await add(bella)

    expect(retry).toEqual({ pet: first.pet, replayed: true })
    const pets = await listPets()
    expect(pets).toHaveLength(2)
    expect(pets).toContainEqual(first.pet)
    expect(pets).toContainEqual(expect.objectContaining({ name: 'Milo' }))
  })

  it.each(['petId', 'attemptId', 'fingerprint', 'lockedUntil', 'expiresAt'])(
    'a reservation without a valid %s is an error',
    async (attribute) => {
      await add(bella)
      const { idempotency } = service.tables
      const { Items = [] } = await service.client.send(new ScanCommand({ TableName: idempotency }))
      const [reservation] = Items
      // An `expiresAt` of another type does not meet the condition of a new reservation, so the item is read.
      const invalid = { ...reservation, [attribute]: true }
      await service.client.send(new PutCommand({ TableName: idempotency, Item: invalid }))

      await expect(add(bella)).rejects.toThrow(new Error('An item of the idempotency table is not a reservation.'))
    },
  )

  const retryCounts = fc.integer({ min: 1, max: 3 })
  /** Decides which responses of DynamoDB are lost; `undefined` for none. */
  const losses = fc.option(lostResponses, { nil: undefined })
  /** Number of calls after which the first request is killed; `undefined` if it is not killed. */
  const kills = fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined })

  itHoldsInEachOrder(
    'a pet is added once and returned to all, in each order of the calls of a first request and its late retries',
    [retryCounts, losses, kills],
    async (turns, retryCount, isLost, callsBeforeKill) => {
      service = await openService(engine)
      const start = service.time.clock()
      const afterLock = start + 15_000
      // A pet that somebody adds before the retries, and that callers who poll the newest page have seen.
      const seenPet = await addPet(service.pets, milo, () => afterLock - 1_000)

      // The first request reserves the key at the start, without waiting for its turn. Its other calls are late.
      let isReserved = false
      const waitForTurn = async (call: string): Promise<void> => {
        if (isReserved) await turns.waitForTurn(call)
        isReserved = true
      }
      const createStores = (client: typeof service.client) => ({
        pets: new PetStore(client, service.tables.pets),
        reservations: new ReservationStore(client, service.tables.idempotency),
      })
      const sendFirst = async () => {
        const stores = createStores(createClientInTurns(engine, { waitForTurn }, isLost, callsBeforeKill))
        const clock = () => (isReserved ? afterLock : start)
        try {
          return { isRetry: false, ...(await add(bella, { ...stores, clock })) }
        } catch (error) {
          if (callsBeforeKill === undefined) throw error
          return undefined
        }
      }
      const sendRetry = async (clock: () => number) => {
        const stores = createStores(createClientInTurns(engine, turns, isLost))
        return { isRetry: true, ...(await add(bella, { ...stores, clock })) }
      }

      const retries = Array.from({ length: retryCount }, (_, index) => () => sendRetry(() => afterLock + index))
      const ended = await turns.run([sendFirst, ...retries])

      const responses = ended.filter((response) => response !== undefined)
      const pets = await listPets()
      const addedPets = pets.filter(({ name }) => name === 'Bella')
      const isAddedByRetry = responses.some(({ isRetry, replayed }) => isRetry && !replayed)
      expect(addedPets, 'the pet is added once').toHaveLength(1)
      expect(pets, 'no other pet is added or lost').toHaveLength(2)
      expect(pets, 'no other pet is added or lost').toContainEqual(seenPet)
      for (const { pet } of responses) expect(pet, 'every request returns the added pet').toEqual(addedPets[0])
      if (isAddedByRetry) expect(pets[0]?.name, 'a pet that a retry adds is the newest').toBe('Bella')
    },
  )
})
