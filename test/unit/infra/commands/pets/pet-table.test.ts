import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { PetTable } from '../../../../../infra/commands/pets/pet-table.ts'
import type { IdempotencyScope, KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { addPetOnce } from '../../../../../shared/idempotency/add-pet-once.ts'
import { createRecordId } from '../../../../../shared/idempotency/idempotency-record.ts'
import type { NewPet, Pet } from '../../../../../shared/pets/pet.ts'
import { type Colleague, createColleague } from '../../../../fixtures/commands/colleague.ts'
import { createInterceptingClient, createWrappedClient } from '../../../../fixtures/database/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { openService, type Service } from '../../../../fixtures/service/service.ts'

const bella: NewPet = { name: 'Bella', categoryId: 2n ** 63n - 1n, status: 'available' }

describeOnEachEngine('PetTable', (engine) => {
  let service: Service
  let colleague: Colleague

  beforeEach(async () => {
    service = await openService(engine)
    colleague = createColleague(service.client, service.tables.pets)
  })

  const listPets = async (): Promise<readonly Pet[]> => {
    const page = await service.pets.listPage({ limit: 100, status: undefined, before: undefined })
    return page.pets
  }

  it('a scan reads no attribute but those of a pet', async () => {
    await colleague.store({ id: 5n, ...bella })
    const scannedItems: unknown[] = []
    const client = createWrappedClient(engine, async (_operation, send) => {
      const response = await send()
      scannedItems.push(...Object(response).output.Items)
      return response
    })

    await Array.fromAsync(new PetTable(client, service.tables.pets).scan())

    expect(scannedItems).toEqual([{ id: 5, ...bella }])
  })

  // The engines of the tests are always consistent.
  it('lookups and scans are strongly consistent', async () => {
    const inputs: unknown[] = []
    const keepInput = async (input: object) => {
      inputs.push(input)
    }
    const { pets } = service.tables

    await new PetTable(createInterceptingClient(engine, 'BatchGetItem', keepInput), pets).findItems([5n])
    await Array.fromAsync(new PetTable(createInterceptingClient(engine, 'Scan', keepInput), pets).scan())

    expect(inputs).toMatchObject([{ RequestItems: { [pets]: { ConsistentRead: true } } }, { ConsistentRead: true }])
  })

  describe('with a late request to create a pet that was stored and changed', () => {
    const pet: Pet = { id: 5n, ...bella }

    const sendLateRequest = () => service.pets.put(pet, 'its attempt', { addedBy: 'key_one' as KeyId })

    beforeEach(async () => {
      expect(await sendLateRequest()).toBe(true)
      await colleague.store({ ...pet, name: 'Max' })
    })

    it('a late request does not add a removed pet again', async () => {
      await colleague.remove(5n)

      expect(await sendLateRequest()).toBe(true)
      expect(await service.pets.put(pet, 'another')).toBe(false)
      expect(await listPets()).toEqual([])
    })

    it('a late request does not add a restored pet again', async () => {
      await colleague.remove(5n)
      await colleague.store(pet)

      expect(await sendLateRequest()).toBe(true)
      expect(await listPets()).toEqual([pet])
    })

    it('the item of a changed pet keeps the attributes that callers do not see', async () => {
      await colleague.remove(5n)
      await colleague.store(pet)

      const get = new GetCommand({ TableName: service.tables.pets, Key: { id: 5n } })
      const { Item } = await service.client.send(get)
      expect(Item).toEqual({
        id: 5,
        name: 'Bella',
        categoryId: 2n ** 63n - 1n,
        status: 'available',
        addedBy: 'key_one',
        attemptId: 'its attempt',
        changeCount: 3,
        changeId: expect.stringMatching(/^2026-11-02T12:00:10\.000Z-/),
      })
    })
  })

  describe('with a repeated request for an Idempotency-Key', () => {
    const addOnce = () => {
      const id = createRecordId('key_one' as IdempotencyScope, 'once')
      return addPetOnce(service, id, bella, service.time.clock)
    }

    it('a repeated request gets a changed pet as it was created, and does not change it back', async () => {
      const { pet } = await addOnce()
      await colleague.store({ ...pet, status: 'sold' })

      expect(await addOnce()).toEqual({ pet, replayed: true })
      expect(await listPets()).toEqual([{ ...pet, status: 'sold' }])
    })

    it('a repeated request gets a removed pet as it was created, and does not add it again', async () => {
      const { pet } = await addOnce()
      await colleague.store({ ...pet, status: 'sold' })
      await colleague.remove(pet.id)
      service.time.advance(60)

      expect(await addOnce()).toEqual({ pet, replayed: true })
      expect(await listPets()).toEqual([])
    })
  })
})

it('a lookup ends with an error if DynamoDB leaves all keys unprocessed for more than half a minute', async () => {
  let seconds = 0
  vi.spyOn(performance, 'now').mockImplementation(() => seconds * 1_000)
  const throttlingClient = {
    send: async () => {
      seconds += 10
      return { UnprocessedKeys: { Pets: { Keys: [{ id: 5 }] } } }
    },
  } as unknown as DynamoDBDocumentClient // A lookup calls only `send`.

  await expect(new PetTable(throttlingClient, 'Pets').findItems([5n])).rejects.toMatchObject({
    name: 'ThrottlingException',
  })
  expect(seconds).toBe(40)
})
