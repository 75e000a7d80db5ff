import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import type { IdempotencyScope, KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { addPetOnce } from '../../../../../shared/idempotency/add-pet-once.ts'
import { createReservationId } from '../../../../../shared/idempotency/reservations.ts'
import type { NewPet } from '../../../../../shared/pets/pet.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { colleagueAt } from './colleague.ts'

const bella: NewPet = { name: 'Bella', categoryId: 2n ** 63n - 1n, status: 'available' }

describeOnEachEngine('a pet that operators change', (engine) => {
  let service: Service
  let change: ReturnType<typeof colleagueAt>['change']
  beforeEach(async () => {
    service = await openService(engine)
    change = colleagueAt({ database: service.client, tables: service.tables }).change
  })

  const listed = async () => (await service.pets.listPage({ limit: 100, status: undefined, before: undefined })).pets

  it('keeps what callers do not see, so that no late request to create it brings it back, and counts its changes', async () => {
    const pet = { id: 5n, ...bella }
    const late = () => service.pets.forApiKey('key_one' as KeyId).put(pet, 'its attempt')
    expect(await late()).toBe('stored')
    await change(5n, { ...pet, name: 'Max' })
    await change(5n, undefined)
    expect([await late(), await service.pets.put(pet, 'another')]).toEqual(['already_stored', 'taken'])
    expect(await listed()).toEqual([])
    await change(5n, pet)
    expect([await late(), await listed()]).toEqual(['already_stored', [pet]])
    const { Item } = await service.client.send(new GetCommand({ TableName: service.tables.pets, Key: { id: 5n } }))
    expect(Item).toEqual({ ...pet, id: 5, addedBy: 'key_one', attemptId: 'its attempt', changeCount: 3 })
  })

  it('is replayed as it was created for its Idempotency-Key, and neither changed back nor added again', async () => {
    const id = createReservationId('key_one' as IdempotencyScope, 'once')
    const { pets, reservations, time } = service
    const addOnce = () => addPetOnce({ pets, reservations }, id, bella, time.clock)
    const { pet } = await addOnce()
    const sold = { ...pet, status: 'sold' } as const
    await change(pet.id, sold)
    expect([await addOnce(), await listed()]).toEqual([{ pet, replayed: true }, [sold]])
    await change(pet.id, undefined)
    time.advance(60)
    expect([await addOnce(), await listed()]).toEqual([{ pet, replayed: true }, []])
  })
})
