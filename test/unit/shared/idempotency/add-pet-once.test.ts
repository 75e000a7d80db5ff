import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import type { IdempotencyScope } from '../../../../shared/api-keys/api-key-record.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { addPetOnce } from '../../../../shared/idempotency/add-pet-once.ts'
import { ReservationStore, reservationId } from '../../../../shared/idempotency/reservations.ts'
import type { NewPet, Pet } from '../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../shared/pets/pet-store.ts'
import { forgetfulClient, interceptingClient } from '../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'

// Requests that wait, or are late, or meet in another order: interleavings.test.ts. Other bodies: test/requests/create-pet.ts.

// The ids of keys that were never issued.
const someKey = 'key_one' as IdempotencyScope
const otherKey = 'key_other' as IdempotencyScope

const bella: NewPet = { name: 'Bella', categoryId: 2n ** 63n - 1n, status: 'available' }
const milo: NewPet = { ...bella, name: 'Milo' }
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

  const petsBy = (before: Parameters<typeof interceptingClient>[2]) =>
    new PetStore(interceptingClient(engine, 'PutItem', before), service.tables.pets)
  const end = () => Promise.reject(new Error('The function was ended.'))
  /** Of a function that ends before it has stored the pet, and does nothing any more. */
  const crashing = () => ({
    pets: petsBy(end),
    reservations: new ReservationStore(interceptingClient(engine, 'UpdateItem', end), service.tables.idempotency),
  })
  const crash = async (newPet = bella) => {
    await expect(add(newPet, crashing())).rejects.toThrow('The function was ended.')
  }

  it('is added by one of 20 requests at once, and returned to each retry', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcomeOf(add())))
    expect(outcomes.filter((outcome) => outcome === 'added')).toHaveLength(1)
    expect(outcomes.filter((outcome) => !['added', 'replayed', 'idempotency_key_in_use'].includes(outcome))).toEqual([])
    const { pet, replayed } = await add()
    expect([replayed, await allPets(), pet]).toEqual([true, [pet], { ...bella, id: pet.id }])
    expect(await outcomeOf(add(milo))).toBe('idempotency_key_reused')
    expect(await allPets()).toEqual([pet])
  })

  it('is kept waiting for a request that may still be running', async () => {
    await crash()
    service.time.advance(14)
    await expect(add()).rejects.toMatchObject({ code: 'idempotency_key_in_use', headers: { 'Retry-After': '1' } })
    service.time.advance(1)
    expect(await outcomeOf(add())).toBe('added')
  })

  it('is kept waiting no longer for a request that has failed', async () => {
    await expect(add(bella, { pets: petsBy(end) })).rejects.toThrow('The function was ended.')
    expect(await outcomeOf(add())).toBe('added')
    expect(await allPets()).toHaveLength(1)
  })

  it('does not take the id of another pet when its put is 24 hours late', async () => {
    const sent = Promise.withResolvers<void>()
    const arrival = Promise.withResolvers<void>()
    const frozen = petsBy(async () => {
      sent.resolve()
      await arrival.promise
    })
    const late = add(bella, { pets: frozen })
    await sent.promise
    service.time.advance(15)
    // A retry that ends when it has made the id void.
    await expect(add(bella, { reservations: crashing().reservations })).rejects.toThrow('The function was ended.')
    service.time.advance(day)
    await crash(milo)
    arrival.resolve()
    await expect(late).rejects.toThrow('A reservation expired while it was in use.')
    expect(await allPets()).toEqual([])
  })

  it('is no replay for the first request when the SDK retries a call after a lost response', async () => {
    const pets = new PetStore(forgetfulClient(engine), service.tables.pets)
    expect(await outcomeOf(add(bella, { pets }))).toBe('added')
    const reservations = new ReservationStore(forgetfulClient(engine), service.tables.idempotency)
    expect(await outcomeOf(add(bella, { key: otherKey, reservations }))).toBe('added')
  })

  it('is remembered for 24 hours by its API key alone, even if its item is not deleted yet', async () => {
    const { pet } = await add()
    expect(await outcomeOf(add(milo, { key: otherKey }))).toBe('added')
    service.time.advance(day - 1)
    expect(await add()).toEqual({ pet, replayed: true })
    service.time.advance(1)
    expect(await outcomeOf(add(milo))).toBe('added')
    expect(await allPets()).toMatchObject([milo, {}, {}])
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
      await expect(add()).rejects.toThrow('An item of the idempotency table is not a reservation.')
    },
  )
})
