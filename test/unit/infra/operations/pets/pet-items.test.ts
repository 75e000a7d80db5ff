import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { findItems, type PetItem, writeItem } from '../../../../../infra/operations/pets/pet-items.ts'
import type { IdempotencyScope } from '../../../../../shared/api-keys/api-key-record.ts'
import { addPetOnce } from '../../../../../shared/idempotency/add-pet-once.ts'
import { reservationId } from '../../../../../shared/idempotency/reservations.ts'
import { addPet } from '../../../../../shared/pets/add-pet.ts'
import type { NewPet, Pet } from '../../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { interceptingClient } from '../../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'

const bella: NewPet = { name: 'Bella', categoryId: 2n ** 63n - 1n, status: 'available' }

describeOnEachEngine('a pet that operators change', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
  })

  const add = (): Promise<Pet> => addPet(service.pets, bella, service.time.clock)
  const find = (ids: readonly bigint[]) => findItems({ database: service.client, tables: service.tables }, ids)
  const itemOf = async (id: bigint) => (await find([id])).get(id)
  const writeTo = (id: bigint, found: PetItem | undefined, wanted: Pet | undefined) =>
    writeItem({ database: service.client, tables: service.tables }, id, found, wanted, 'restore')
  const write = async ({ id }: Pet, wanted: Pet | undefined) => writeTo(id, await itemOf(id), wanted)
  const listed = async () => (await service.pets.page({ limit: 100, status: undefined, before: undefined })).pets

  it('is left where somebody else has changed, removed or restored it since it was read', async () => {
    const pet = await add()
    const pending = { ...pet, status: 'pending' } as const
    const first = await itemOf(pet.id)
    await write(pet, pending)
    for (const wanted of [{ ...pet, name: 'Max' }, undefined]) {
      expect(await writeTo(pet.id, first, wanted)).toMatchObject({ now: { pet: pending } })
    }
    const second = await itemOf(pet.id)
    await write(pet, undefined)
    const third = await itemOf(pet.id)
    expect(await writeTo(pet.id, second, pet)).toMatchObject({ now: { pet: undefined } })
    expect(await writeTo(pet.id, undefined, pet)).toMatchObject({ now: { pet: undefined } })
    expect(await listed()).toEqual([])
    await write(pet, pet)
    expect(await writeTo(pet.id, third, pending)).toMatchObject({ now: { pet } })
    expect(await listed()).toEqual([pet])
  })

  it('keeps the attributes that callers do not see, and counts the changes for lists', async () => {
    const pet = await add()
    for (const wanted of [{ ...pet, name: 'Max' }, undefined, pet]) await write(pet, wanted)
    expect(await service.pets.put({ ...pet, name: 'Late' }, 'another attempt')).toBe('taken')
    const request = new GetCommand({ TableName: service.tables.pets, Key: { id: pet.id } })
    expect((await service.client.send(request)).Item).toMatchObject({ name: 'Bella', changeCount: 3 })
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
    await write(pet, undefined)
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
    await write(pet, sold)
    expect([await addOnce(), await listed()]).toEqual([{ pet, replayed: true }, [sold]])
    await write(pet, undefined)
    time.advance(60)
    expect([await addOnce(), await listed()]).toEqual([{ pet, replayed: true }, []])
  })

  it('is found among more than one call of DynamoDB gives', async () => {
    const pets = await Promise.all(Array.from({ length: 230 }, add))
    const [first = { id: 0n, ...bella }] = pets
    await write(first, undefined)
    const found = await find([...pets.map(({ id }) => id), 1n])
    const expected = pets.map((pet) => [pet.id, pet === first ? undefined : pet])
    expect(new Map([...found].map(([id, { pet }]) => [id, pet]))).toEqual(new Map(expected as [bigint, Pet][]))
  })
})
