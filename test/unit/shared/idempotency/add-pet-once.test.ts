import { TransactionInProgressException } from '@aws-sdk/client-dynamodb'
import { PutCommand, ScanCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it, vi } from 'vitest'
import type { IdempotencyScope } from '../../../../shared/api-keys/api-key-record.ts'
import { isUnavailable } from '../../../../shared/dynamodb/unavailable.ts'
import { type AddedPet, addPetOnce } from '../../../../shared/idempotency/add-pet-once.ts'
import { createRecordId } from '../../../../shared/idempotency/idempotency-record.ts'
import type { NewPet, Pet } from '../../../../shared/pets/pet.ts'
import { PetTable } from '../../../../shared/pets/pet-table.ts'
import {
  createCancellation,
  createForgetfulClient,
  createInterceptingClient,
} from '../../../fixtures/database/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/database/engines.ts'
import { openService, type Service } from '../../../fixtures/service/service.ts'

// Other bodies and the keys of other callers are tested in test/requests/create-pet.ts, requests at the same time in
// interleavings.test.ts, and the shipped clients in test/promises/faults/creation.test.ts.

// The cast brands the scope of a key that was never issued.
const scope = 'key_one' as IdempotencyScope
const recordId = createRecordId(scope, '0b7e3c52')

const bella: NewPet = { name: 'Bella', categoryId: 9_223_372_036_854_775_807n, status: 'available' }
const milo: NewPet = { name: 'Milo', categoryId: 9_223_372_036_854_775_807n, status: 'available' }

/** Seconds for which callers may repeat a request. Its record is kept a minute longer, because clocks differ. */
const secondsOfDay = 24 * 60 * 60

const inProgress = new TransactionInProgressException({ message: 'in progress', $metadata: {} })

/** The codes are those of the two writes: the pet and the record. */
const conflict = createCancellation('None', 'TransactionConflict')

/** The part of a transaction's input that the tests read. */
type Transaction = TransactWriteCommandInput & { readonly TransactItems: readonly { readonly Put: { Item: Pet } }[] }

describeOnEachEngine('a pet with an Idempotency-Key', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
    // The waits before a transaction is sent again take no time.
    vi.spyOn(Math, 'random').mockReturnValue(0)
  })

  /** Adds a pet with the Idempotency-Key of `recordId`. */
  const add = (newPet: NewPet, pets = service.pets, signal?: AbortSignal): Promise<AddedPet> => {
    const { idempotencyTable, time } = service
    return addPetOnce({ pets, idempotencyTable }, recordId, newPet, time.clock, signal && { signal })
  }

  const listPets = async (): Promise<readonly Pet[]> => {
    const page = await service.pets.listPage({ limit: 100, status: undefined, before: undefined })
    return page.pets
  }

  /** Creates a table that runs a function before each transaction, with its number and input. */
  const createInterceptedTable = (before: (number: number, input: Transaction) => Promise<void>): PetTable => {
    let transactions = 0
    const client = createInterceptingClient(engine, 'TransactWriteItems', async (input) => {
      transactions += 1
      await before(transactions, input as Transaction)
    })
    return new PetTable(client, service.tables.pets)
  }

  it('a request whose calls the SDK repeats is no replay, and its retry is one', async () => {
    const first = await add(bella, new PetTable(createForgetfulClient(engine), service.tables.pets))
    const retry = await add(bella)

    expect(first).toEqual({ pet: { id: expect.any(BigInt), ...bella }, replayed: false })
    expect(retry).toEqual({ pet: first.pet, replayed: true })
    expect(await listPets()).toEqual([first.pet])
  })

  it('an Idempotency-Key is remembered for 24 hours by instances whose clocks differ by a minute', async () => {
    await add(bella)

    service.time.advanceSeconds(secondsOfDay + 59)

    expect(await add(bella)).toMatchObject({ replayed: true })
    expect(await listPets()).toHaveLength(1)
  })

  it('an Idempotency-Key can be used again after a day and a minute', async () => {
    await add(bella)

    service.time.advanceSeconds(secondsOfDay + 60)

    expect(await add(milo)).toMatchObject({ replayed: false })
    expect(await listPets()).toHaveLength(2)
  })

  it('a request whose transaction is 24 hours late adds no pet if its key was used meanwhile', async () => {
    const lateTable = createInterceptedTable(async () => {
      service.time.advanceSeconds(secondsOfDay + 60)
      await add(milo)
    })

    await expect(add(bella, lateTable)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(await listPets()).toMatchObject([{ name: 'Milo' }])
  })

  it('a pet gets another id when another pet has just taken its id', async () => {
    const racingTable = createInterceptedTable(async (number, { TransactItems: [petWrite] }) => {
      if (number === 1) await service.pets.put({ ...milo, id: petWrite?.Put.Item.id ?? 0n }, 'another attempt')
    })

    const first = await add(bella, racingTable)

    expect(await add(bella)).toEqual({ pet: first.pet, replayed: true })
    const pets = await listPets()
    expect(pets).toHaveLength(2)
    expect(pets).toContainEqual(first.pet)
  })

  it.each([
    { met: 'another transaction', error: conflict },
    { met: 'an earlier one of its own', error: inProgress },
  ])('a transaction that meets $met five times is sent a sixth time, with the same pet', async ({ error }) => {
    const inputs: Transaction[] = []
    const busyTable = createInterceptedTable(async (number, input) => {
      inputs.push(input)
      if (number < 6) throw error
    })

    const { pet, replayed } = await add(bella, busyTable)

    expect(replayed).toBe(false)
    expect(await listPets()).toEqual([pet])
    expect(inputs.map(({ TransactItems: [petWrite] }) => petWrite?.Put.Item.id)).toEqual(Array(6).fill(pet.id))
  })

  // document-client.test.ts tests how often the client itself sends a transaction that is throttled or in conflict.
  it.each([
    { refusal: 'always in conflict with another', error: conflict, sent: 6, unavailable: true },
    { refusal: 'always in conflict with itself', error: inProgress, sent: 6, unavailable: true },
    { refusal: 'throttled', error: createCancellation('None', 'ThrottlingError'), sent: 1, unavailable: true },
    {
      refusal: 'beyond the throughput of its item',
      error: createCancellation('None', 'ProvisionedThroughputExceeded'),
      sent: 1,
      unavailable: true,
    },
    {
      refusal: 'refused for another reason',
      error: createCancellation('None', 'ItemCollectionSizeLimitExceeded'),
      sent: 1,
      unavailable: false,
    },
  ])(
    'a transaction that is $refusal is given to the client $sent times, and counts as unavailable: $unavailable',
    async ({ error, sent, unavailable }) => {
      let transactions = 0
      const refusingTable = createInterceptedTable((number) => {
        transactions = number
        return Promise.reject(error)
      })

      await expect(add(bella, refusingTable)).rejects.toBe(error)

      expect(transactions).toBe(sent)
      expect(isUnavailable(error)).toBe(unavailable)
    },
  )

  it('a wait for another transaction ends with the time of the request', async () => {
    const request = new AbortController()
    const busyTable = createInterceptedTable((number) => {
      if (number === 3) request.abort()
      return Promise.reject(conflict)
    })

    const error = await add(bella, busyTable, request.signal).catch((cause: unknown) => cause)

    expect(error).toMatchObject({ name: 'AbortError' })
    expect(isUnavailable(error)).toBe(true)
    expect(await listPets()).toEqual([])
  })

  it.each(['petId', 'attemptId', 'fingerprint'])(
    'an idempotency record without a valid %s is an error',
    async (attribute) => {
      await add(bella)
      const { idempotency } = service.tables
      const { Items = [] } = await service.client.send(new ScanCommand({ TableName: idempotency }))
      const [record] = Items
      const invalid = { ...record, [attribute]: true }
      await service.client.send(new PutCommand({ TableName: idempotency, Item: invalid }))

      await expect(add(bella)).rejects.toThrow(
        `The idempotency record ${record?.['id']} cannot be read: its item has no valid ${attribute}.`,
      )
    },
  )
})
