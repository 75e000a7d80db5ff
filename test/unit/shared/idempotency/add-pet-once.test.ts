import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import type { IdempotencyScope } from '../../../../shared/api-keys/api-key-record.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { addPetOnce } from '../../../../shared/idempotency/add-pet-once.ts'
import { ReservationStore, reservationId } from '../../../../shared/idempotency/reservations.ts'
import { addPet } from '../../../../shared/pets/add-pet.ts'
import type { NewPet, Pet } from '../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../shared/pets/pet-store.ts'
import { forgetfulClient, interceptingClient } from '../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'

// The ids of keys that were never issued.
const someKey = 'key_one' as IdempotencyScope
const otherKey = 'key_other' as IdempotencyScope

const bella: NewPet = { name: 'Bella', categoryId: 2n ** 63n - 1n, status: 'available' }
const day = 24 * 60 * 60

describeOnEachEngine('a pet with an Idempotency-Key', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
  })

  const add = (
    newPet: NewPet = bella,
    { key = someKey, pets = service.pets, reservations = service.reservations } = {},
  ) => addPetOnce({ pets, reservations }, reservationId(key, '0b7e3c52'), newPet, service.time.clock)

  /** The outcome as a word: `added`, `replayed`, or the code of the refusal. */
  const outcomeOf = async (adding: ReturnType<typeof add>): Promise<string> => {
    try {
      return (await adding).replayed ? 'replayed' : 'added'
    } catch (error) {
      if (error instanceof ServiceError) return error.code
      throw error
    }
  }

  const allPets = async (): Promise<readonly Pet[]> =>
    (await service.pets.page({ limit: 100, status: undefined, before: undefined })).pets

  const fail = async (): Promise<never> => {
    throw new Error('The function was ended.')
  }
  /** A store that does not take the pet. */
  const failing = () => new PetStore(interceptingClient(engine, 'PutItem', fail), service.tables.pets)
  /** Stores whose function ends before it has stored the pet, and does nothing any more. */
  const crashing = () => ({
    pets: failing(),
    reservations: new ReservationStore(interceptingClient(engine, 'UpdateItem', fail), service.tables.idempotency),
  })

  it('is added by the first request, and returned to each retry', async () => {
    const first = await add()
    expect(first).toEqual({ pet: { ...bella, id: first.pet.id }, replayed: false })
    expect(await add()).toEqual({ pet: first.pet, replayed: true })
    expect(await allPets()).toEqual([first.pet])
  })

  it.each([
    { ...bella, name: 'Milo' },
    { ...bella, categoryId: 2n ** 63n - 2n },
    { ...bella, status: 'sold' } as const,
  ])('is refused with another body', async (other) => {
    await add()
    expect(await outcomeOf(add(other))).toBe('idempotency_key_reused')
    expect(await allPets()).toHaveLength(1)
  })

  it('is added once by 20 requests at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(add())))
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(1)
    expect(outcomes.filter((outcome) => !['added', 'replayed', 'idempotency_key_in_use'].includes(outcome))).toEqual([])
    expect(await allPets()).toHaveLength(1)
  })

  /** A store whose put does not reach DynamoDB before `arrive`, such as that of a function that was frozen. */
  const delaying = () => {
    const sent = Promise.withResolvers<void>()
    const arrival = Promise.withResolvers<void>()
    const client = interceptingClient(engine, 'PutItem', async () => {
      sent.resolve()
      await arrival.promise
    })
    return { pets: new PetStore(client, service.tables.pets), sent: sent.promise, arrive: arrival.resolve }
  }

  it('is kept waiting for a request that may still be running, and then added once', async () => {
    await expect(add(bella, crashing())).rejects.toThrow('The function was ended.')
    service.time.advance(14)
    await expect(add()).rejects.toMatchObject({ code: 'idempotency_key_in_use', headers: { 'Retry-After': '1' } })
    service.time.advance(1)
    const retried = await Promise.all([add(), add(), add()])
    expect(retried.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(new Set(retried.map(({ pet }) => pet.id)).size).toBe(1)
    expect(await allPets()).toEqual([retried[0]?.pet])
  })

  it('gets a new id when it is added later than it was reserved, so that it is on the newest page', async () => {
    await expect(add(bella, crashing())).rejects.toThrow('The function was ended.')
    service.time.advance(15)
    const milo = await addPet(service.pets, { ...bella, name: 'Milo' }, service.time.clock)
    service.time.advance(1)
    const { pet } = await add()
    expect(await allPets()).toEqual([pet, milo])
  })

  it('is added once when the put of an earlier request is after that of a later one', async () => {
    const { pets, sent, arrive } = delaying()
    const late = add(bella, { pets })
    await sent
    service.time.advance(15)
    const { pet } = await add()
    arrive()
    expect((await late).pet).toEqual(pet)
    expect(await allPets()).toEqual([pet])
  })

  it('is the pet of the earlier request when its put is first', async () => {
    const { pets, sent, arrive } = delaying()
    const late = add(bella, { pets })
    await sent
    service.time.advance(15)
    // The pet is stored after it was looked for, and before its id becomes void.
    const raced = interceptingClient(engine, 'PutItem', async () => {
      arrive()
      await late
    })
    const replay = await add(bella, { pets: new PetStore(raced, service.tables.pets) })
    expect(replay).toEqual({ pet: (await late).pet, replayed: true })
    expect(await allPets()).toEqual([replay.pet])
  })

  it('is no replay for the first request when the SDK retries a call after a lost response', async () => {
    const pets = new PetStore(forgetfulClient(engine), service.tables.pets)
    expect(await outcomeOf(add(bella, { pets }))).toBe('added')
    const reservations = new ReservationStore(forgetfulClient(engine), service.tables.idempotency)
    expect(await outcomeOf(add(bella, { key: otherKey, reservations }))).toBe('added')
  })

  it.each(['petId', 'attemptId', 'fingerprint', 'lockedUntil', 'expiresAt'])(
    'is an error where its reservation has no valid %s',
    async (attribute) => {
      await add()
      const { Items: [reservation] = [] } = await service.client.send(
        new ScanCommand({ TableName: service.tables.idempotency }),
      )
      // An end of another type meets no condition on it, so the item is read.
      const Item = { ...reservation, [attribute]: true }
      await service.client.send(new PutCommand({ TableName: service.tables.idempotency, Item }))
      await expect(add()).rejects.toThrow('An item of the idempotency table is not a reservation.')
    },
  )

  it('does not take the id of another pet when its put is 24 hours late', async () => {
    const { pets, sent, arrive } = delaying()
    const late = add(bella, { pets })
    await sent
    service.time.advance(15)
    // A retry that ends when it has made the id void.
    const { reservations } = crashing()
    await expect(add(bella, { reservations })).rejects.toThrow('The function was ended.')
    service.time.advance(day)
    const milo = { ...bella, name: 'Milo' }
    await expect(add(milo, crashing())).rejects.toThrow('The function was ended.')
    arrive()
    await expect(late).rejects.toThrow('A reservation expired while it was in use.')
    expect(await allPets()).toEqual([])
  })

  it('is kept waiting no longer for a request that has failed', async () => {
    await expect(add(bella, { pets: failing() })).rejects.toThrow('The function was ended.')
    expect(await outcomeOf(add())).toBe('added')
    expect(await allPets()).toHaveLength(1)
  })

  it('is remembered for 24 hours, even if its item is not deleted yet', async () => {
    const { pet } = await add()
    service.time.advance(day - 1)
    expect(await outcomeOf(add())).toBe('replayed')
    service.time.advance(1)
    expect(await outcomeOf(add({ ...bella, name: 'Milo' }))).toBe('added')
    expect((await allPets()).map(({ name }) => name)).toEqual(['Milo', pet.name])
  })

  it('belongs to its API key alone', async () => {
    await add()
    expect(await outcomeOf(add({ ...bella, name: 'Milo' }, { key: otherKey }))).toBe('added')
    expect(await allPets()).toHaveLength(2)
  })

  it('gets another id where another pet has just taken its own, and keeps it', async () => {
    let isTaken = false
    const raced = interceptingClient(engine, 'PutItem', async ({ Item }) => {
      if (isTaken) return
      isTaken = true
      const { id } = Item as { id: bigint }
      await service.pets.put({ id, name: 'Foreign', categoryId: 1n, status: 'sold' }, 'another attempt')
    })
    const { pet } = await add(bella, { pets: new PetStore(raced, service.tables.pets) })
    expect(await service.pets.find(pet.id)).toEqual(pet)
    expect(await add()).toEqual({ pet, replayed: true })
    expect((await allPets()).map(({ name }) => name).sort()).toEqual(['Bella', 'Foreign'])
  })
})
