import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import type { IdempotencyScope } from '../../../../shared/api-keys/api-key-record.ts'
import { addPetOnce } from '../../../../shared/idempotency/add-pet-once.ts'
import { createReservationId, ReservationStore } from '../../../../shared/idempotency/reservations.ts'
import { type AddedPet, addPet } from '../../../../shared/pets/add-pet.ts'
import type { NewPet, Pet } from '../../../../shared/pets/pet.ts'
import { readDrawTime } from '../../../../shared/pets/pet-id.ts'
import { PetStore } from '../../../../shared/pets/pet-store.ts'
import { createForgetfulClient, createInterceptingClient } from '../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'
import { createClientInTurns } from '../../../fixtures/turns.ts'

// Other bodies and the keys of other callers are tested in test/requests/create-pet.ts, requests at the same time in
// interleavings.test.ts, and the shipped clients in test/promises/faults/creation.test.ts.

// The cast brands the scope of a key that was never issued.
const scope = 'key_one' as IdempotencyScope
const reservationId = createReservationId(scope, '0b7e3c52')

const bella: NewPet = { name: 'Bella', categoryId: 9_223_372_036_854_775_807n, status: 'available' }
const milo: NewPet = { name: 'Milo', categoryId: 9_223_372_036_854_775_807n, status: 'available' }

const secondsOfDay = 24 * 60 * 60

const keyReused = expect.objectContaining({ code: 'idempotency_key_reused', headers: {} })
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

  /** Creates the stores of a request whose process is killed when it has reserved the key. */
  const createKilledStores = () => {
    const callsBeforeKill = 1
    const turns = { waitForTurn: async () => {} }
    const client = createClientInTurns(engine, turns, () => false, callsBeforeKill)
    return {
      pets: new PetStore(client, service.tables.pets),
      reservations: new ReservationStore(client, service.tables.idempotency),
    }
  }

  /** Creates the store of a request whose put is sent, and reaches DynamoDB when a test releases it. */
  const createSlowStore = () => {
    const sent = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const client = createInterceptingClient(engine, 'PutItem', async () => {
      sent.resolve()
      await released.promise
    })
    return {
      store: new PetStore(client, service.tables.pets),
      putSent: sent.promise,
      releasePut: released.resolve,
    }
  }

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

  it('an Idempotency-Key is remembered for 24 hours by instances whose clocks differ by a minute', async () => {
    await add(bella)

    service.time.advance(secondsOfDay + 59)

    expect(await add(bella)).toMatchObject({ replayed: true })
    expect(await listPets()).toHaveLength(1)
  })

  it('an Idempotency-Key can be used again after a day and a minute', async () => {
    await add(bella)

    service.time.advance(secondsOfDay + 60)

    expect(await add(milo)).toMatchObject({ replayed: false })
    expect(await listPets()).toHaveLength(2)
  })

  it('a retry adds the pet at once when the first request was killed', async () => {
    await expect(add(bella, createKilledStores())).rejects.toThrow('killed')

    expect(await add(bella)).toMatchObject({ replayed: false })
    expect(await listPets()).toHaveLength(1)
  })

  it('a retry adds the pet at once while the first request is still running', async () => {
    const slow = createSlowStore()
    const firstRequest = add(bella, { pets: slow.store })
    await slow.putSent

    const retry = await add(bella)
    slow.releasePut()

    expect(retry).toMatchObject({ replayed: false })
    expect(await firstRequest).toEqual(retry)
    expect(await listPets()).toEqual([retry.pet])
  })

  it('a request with another body is refused while the first request is still running', async () => {
    const slow = createSlowStore()
    const firstRequest = add(bella, { pets: slow.store })
    await slow.putSent

    await expect(add(milo)).rejects.toEqual(keyReused)

    slow.releasePut()
    const { pet } = await firstRequest
    expect(await listPets()).toEqual([pet])
  })

  it('a retry within ten seconds adds the pet under the id of the first request', async () => {
    await expect(add(bella, createKilledStores())).rejects.toThrow('killed')
    const firstRequestAt = service.time.clock()

    service.time.advance(10)
    const { pet } = await add(bella)

    expect(readDrawTime(pet.id)).toBe(firstRequestAt)
  })

  it('a retry after ten seconds adds the pet under a new id', async () => {
    await expect(add(bella, createKilledStores())).rejects.toThrow('killed')
    service.time.advance(10)
    const seenPet = await addPet(service.pets, milo, service.time.clock)

    service.time.advance(0.001)
    const { pet } = await add(bella)

    expect(await listPets()).toEqual([pet, seenPet])
  })

  it('two retries that draw a new id at the same time add one pet', async () => {
    await expect(add(bella, createKilledStores())).rejects.toThrow('killed')
    service.time.advance(15)

    let fasterRetry: AddedPet | undefined
    const slowClient = createInterceptingClient(engine, 'UpdateItem', async () => {
      fasterRetry = await add(bella)
    })
    const reservations = new ReservationStore(slowClient, service.tables.idempotency)
    const slowerRetry = await add(bella, { reservations })

    expect(slowerRetry).toEqual({ pet: fasterRetry?.pet, replayed: true })
    expect(await listPets()).toEqual([fasterRetry?.pet])
  })

  it('a first request that is frozen after its reservation adds the pet under a new id', async () => {
    let seenPet: Pet | undefined
    // The instance is frozen while the reservation is written. Meanwhile somebody adds another pet.
    const frozenClient = createInterceptingClient(engine, 'PutItem', async () => {
      service.time.advance(60)
      seenPet = await addPet(service.pets, milo, service.time.clock)
      service.time.advance(60)
    })
    const reservations = new ReservationStore(frozenClient, service.tables.idempotency)

    const { pet } = await add(bella, { reservations })

    expect(await listPets()).toEqual([pet, seenPet])
    expect(await add(bella)).toEqual({ pet, replayed: true })
  })

  it('a first request whose put is 24 hours late adds no pet', async () => {
    const slow = createSlowStore()
    const firstRequest = add(bella, { pets: slow.store })
    await slow.putSent

    service.time.advance(15)
    // A retry makes the id of the first request void. It fails before it has replaced the id.
    const failingClient = createInterceptingClient(engine, 'UpdateItem', () => Promise.reject(connectionLost))
    const failingReservations = new ReservationStore(failingClient, service.tables.idempotency)
    await expect(add(bella, { reservations: failingReservations })).rejects.toThrow(connectionLost)
    service.time.advance(secondsOfDay + 60)
    // The reservation has expired. Another request reserves the key for another pet, and is killed.
    await expect(add(milo, createKilledStores())).rejects.toThrow('killed')
    slow.releasePut()

    await expect(firstRequest).rejects.toThrow(/^The reservation \S+#\S+ expired while it was in use\.$/)
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

  it.each(['petId', 'attemptId', 'fingerprint', 'expiresAt'])(
    'a reservation without a valid %s is an error',
    async (attribute) => {
      await add(bella)
      const { idempotency } = service.tables
      const { Items = [] } = await service.client.send(new ScanCommand({ TableName: idempotency }))
      const [reservation] = Items
      // An `expiresAt` of another type does not meet the condition of a new reservation, so the item is read.
      const invalid = { ...reservation, [attribute]: true }
      await service.client.send(new PutCommand({ TableName: idempotency, Item: invalid }))

      await expect(add(bella)).rejects.toThrow(
        `The reservation ${reservation?.['id']} cannot be read: its item has no valid ${attribute}.`,
      )
    },
  )
})
