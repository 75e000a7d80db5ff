import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import type { IdempotencyScope, KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { addPetOnce } from '../../../../../shared/idempotency/add-pet-once.ts'
import { reservationId } from '../../../../../shared/idempotency/reservations.ts'
import { addPet } from '../../../../../shared/pets/add-pet.ts'
import type { NewPet, Pet } from '../../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { interceptingClient } from '../../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { colleagueAt } from './colleague.ts'

const bella: NewPet = { name: 'Bella', categoryId: 2n ** 63n - 1n, status: 'available' }

describeOnEachEngine('a pet that operators change', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
  })

  const change = ({ id }: Pet, wanted: Pet | undefined) =>
    colleagueAt({ database: service.client, tables: service.tables }).change(id, wanted)
  const listed = async () => (await service.pets.page({ limit: 100, status: undefined, before: undefined })).pets

  it('keeps the attributes that callers do not see, and counts the changes for lists', async () => {
    const pet = await addPet(service.pets.addingFor('key_one' as KeyId), bella, service.time.clock)
    for (const wanted of [{ ...pet, name: 'Max' }, undefined, pet]) await change(pet, wanted)
    expect(await service.pets.put({ ...pet, name: 'Late' }, 'another attempt')).toBe('taken')
    const request = new GetCommand({ TableName: service.tables.pets, Key: { id: pet.id } })
    const { Item } = await service.client.send(request)
    expect(Item).toMatchObject({ name: 'Bella', addedBy: 'key_one', attemptId: expect.any(String), changeCount: 3 })
    expect(await listed()).toEqual([pet])
  })

  it('does not come back by a late put of the request that has created it', async () => {
    const arrival = Promise.withResolvers<void>()
    let puts = 0
    const late = new PetStore(
      interceptingClient(engine, 'PutItem', async () => {
        puts += 1
        if (puts === 2) await arrival.promise
      }),
      service.tables.pets,
    )
    const pet = { id: 5n, ...bella }
    await late.put(pet, 'attempt')
    const retry = late.put(pet, 'attempt')
    await change(pet, undefined)
    arrival.resolve()
    expect(await retry).toBe('already_stored')
    expect(await listed()).toEqual([])
  })

  it('is replayed as it was created for its Idempotency-Key, and neither changed back nor added again', async () => {
    const id = reservationId('key_one' as IdempotencyScope, 'once')
    const { pets, reservations, time } = service
    const addOnce = () => addPetOnce({ pets, reservations }, id, bella, time.clock)
    const { pet } = await addOnce()
    const sold = { ...pet, status: 'sold' } as const
    await change(pet, sold)
    expect([await addOnce(), await listed()]).toEqual([{ pet, replayed: true }, [sold]])
    await change(pet, undefined)
    time.advance(60)
    expect([await addOnce(), await listed()]).toEqual([{ pet, replayed: true }, []])
  })
})
