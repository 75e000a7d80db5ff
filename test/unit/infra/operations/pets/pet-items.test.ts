import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { PetItems } from '../../../../../infra/operations/pets/pet-items.ts'
import type { IdempotencyScope } from '../../../../../shared/api-keys/api-key-record.ts'
import { addPetOnce } from '../../../../../shared/idempotency/add-pet-once.ts'
import { reservationId } from '../../../../../shared/idempotency/reservations.ts'
import { addPet } from '../../../../../shared/pets/add-pet.ts'
import type { NewPet, Pet } from '../../../../../shared/pets/pet.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { forgetfulClient, interceptingClient } from '../../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { sized } from '../../../../fixtures/size.ts'

const bella: NewPet = { name: 'Bella', categoryId: 2n ** 63n - 1n, status: 'available' }

describeOnEachEngine('a pet that operators change', (engine) => {
  let service: Service
  let items: PetItems
  beforeEach(async () => {
    service = await openService(engine)
    items = new PetItems(service.client, service.tables.pets)
  })

  const add = (): Promise<Pet> => addPet(service.pets, bella, service.time.clock)

  const addWithKey = (pets = service.pets) => {
    const id = reservationId('key_one' as IdempotencyScope, 'once')
    return addPetOnce({ pets, reservations: service.reservations }, id, bella, service.time.clock)
  }

  const listed = async (): Promise<readonly Pet[]> =>
    (await service.pets.page({ limit: 100, status: undefined, before: undefined })).pets

  it('is left where somebody else has changed, removed or restored it since it was read', async () => {
    const pet = await add()
    const pending = { ...pet, status: 'pending' } as const
    await items.change(pet, pending)
    const refused = { isWritten: false, theirs: pending }
    expect([await items.change(pet, { ...pet, name: 'Max' }), await items.remove(pet)]).toEqual([refused, refused])
    expect(await items.restore(pet)).toEqual(refused)
    await items.remove(pending)
    expect(await items.change(pending, pet)).toEqual({ isWritten: false, theirs: undefined })
    expect(await listed()).toEqual([])
  })

  it('is changed, removed and restored once when a response is lost and the SDK retries', async () => {
    const pet = await add()
    const pending = { ...pet, status: 'pending' } as const
    const forgetful = () => new PetItems(forgetfulClient(engine), service.tables.pets)
    expect(await forgetful().change(pet, pending)).toEqual({ isWritten: true })
    expect(await forgetful().remove(pending)).toEqual({ isWritten: true })
    expect(await forgetful().restore(pet)).toEqual({ isWritten: true })
  })

  it('is counted with each change, so that a list that has two states of it shows the later', async () => {
    const pet = await add()
    const sold = { ...pet, status: 'sold' } as const
    await items.change(pet, { ...pet, name: 'Max' })
    await items.change({ ...pet, name: 'Max' }, sold)
    await items.change(pet, { ...pet, name: 'Nobody' })
    const request = new GetCommand({ TableName: service.tables.pets, Key: { id: pet.id } })
    expect((await service.client.send(request)).Item).toMatchObject({ ...sold, id: Number(pet.id), changeCount: 2 })
  })

  it('keeps the attributes that callers do not see', async () => {
    const pet = await add()
    const stored = () => service.pets.put({ ...pet, name: 'Late' }, 'another attempt')
    await items.change(pet, { ...pet, name: 'Max' })
    await items.remove({ ...pet, name: 'Max' })
    await items.restore(pet)
    expect(await stored()).toBe('taken')
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
    await items.remove(pet)
    arrival.resolve()
    expect(await retry).toBe('already_stored')
    expect(await listed()).toEqual([])
  })

  it('is replayed as it was created for its Idempotency-Key, and neither changed back nor added again', async () => {
    const { pet } = await addWithKey()
    const sold = { ...pet, status: 'sold' } as const
    await items.change(pet, sold)
    expect([await addWithKey(), await listed()]).toEqual([{ pet, replayed: true }, [sold]])
    await items.remove(sold)
    service.time.advance(60)
    expect([await addWithKey(), await listed()]).toEqual([{ pet, replayed: true }, []])
  })

  it('is found among more than one call of DynamoDB gives, by ids that may be there twice', async () => {
    const pets = await Promise.all(Array.from({ length: 230 }, add))
    const [first = { id: 0n, ...bella }] = pets
    await items.remove(first)
    const found = await items.find([...pets.map(({ id }) => id), first.id, 1n])
    expect(found.size).toBe(230)
    for (const pet of pets) expect(found.get(pet.id)?.pet).toEqual(pet === first ? undefined : pet)
  })

  const races = sized(3, 50)

  it(`loses no change and never comes back in ${races} races of changes, removals and reads`, async () => {
    for (let race = 0; race < races; race += 1) {
      const pet = await add()
      let isRemoved = false
      const change = (name: string) => items.change(pet, { ...pet, name })
      const remove = async () => {
        const written = await items.remove(pet)
        isRemoved = written.isWritten
        return written
      }
      const read = async (): Promise<boolean> => {
        const wasRemoved = isRemoved
        return wasRemoved && (await service.pets.find(pet.id)) !== undefined
      }
      const [outcomes, seenAgain] = await Promise.all([
        Promise.all([change('One'), remove(), change('Two')]),
        Promise.all(Array.from({ length: 5 }, read)),
      ])
      // All start from the same pet, so exactly one is written, and the table has its result.
      const winners = outcomes.flatMap((outcome, index) => (outcome.isWritten ? [index] : []))
      expect(winners).toHaveLength(1)
      const expected = [{ ...pet, name: 'One' }, undefined, { ...pet, name: 'Two' }][winners[0] ?? 0]
      expect(await service.pets.find(pet.id)).toEqual(expected)
      expect(seenAgain).not.toContain(true)
      if (expected !== undefined) await items.remove(expected)
    }
    expect(await listed()).toEqual([])
  })
})
