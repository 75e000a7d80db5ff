import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { beforeEach, expect, it, vi } from 'vitest'
import { createKey, type KeyOrder } from '../../../../infra/operations/keys/key.ts'
import type { ApiKeyRecord, KeyId } from '../../../../shared/api-keys/api-key-record.ts'
import { KeyTable, type StoredKey } from '../../../../shared/api-keys/key-table.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { createForgetfulClient, createInterceptingClient } from '../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'

// Several operators at once are tested in test/unit/infra/operations/keys/operators.test.ts.

const order: KeyOrder = { owner: 'Acme', plan: 'free', allowance: fixedPlans.free }

/** The change of a key that is replaced. */
const replacement = { successor: 'key_2' as KeyId }

/** The error of a replacement that DynamoDB canceled because of its second write, the update of the key. */
const createCancellation = (updateCode: string) =>
  new TransactionCanceledException({
    message: 'Canceled.',
    $metadata: {},
    CancellationReasons: [{ Code: 'None' }, { Code: updateCode }],
  })

describeOnEachEngine('the table of API keys', (engine) => {
  let service: Service
  let stored: StoredKey
  let successor: StoredKey
  beforeEach(async () => {
    // Math.random chooses the wait between attempts: 0 is no wait.
    vi.spyOn(Math, 'random').mockReturnValue(0)
    service = await openService(engine)
    stored = await service.keys.issue(order)
    successor = createKey('pet_test_', service.time.clock() + 1_000, order)
  })

  const listRecords = async (): Promise<ApiKeyRecord[]> => {
    const keys = await service.keyTable.list()
    return keys.map(({ record }) => record)
  }

  /** Creates a table whose first replacements are in conflict with a request on the same key. */
  const createTableWithConflicts = (conflicts: number) => {
    let attempts = 0
    const client = createInterceptingClient(engine, 'TransactWriteItems', async () => {
      attempts += 1
      if (attempts <= conflicts) throw createCancellation('TransactionConflict')
    })
    return { table: new KeyTable(client, service.tables.apiKeys), countAttempts: () => attempts }
  }

  it.each([
    { conflicts: 0, attempts: 1 },
    { conflicts: 9, attempts: 10 },
  ])('a replacement with $conflicts conflicts is done in attempt $attempts', async ({ conflicts, attempts }) => {
    const { table, countAttempts } = createTableWithConflicts(conflicts)

    const isReplaced = await table.replace(stored, replacement, successor)

    expect(isReplaced).toBe(true)
    expect(countAttempts()).toBe(attempts)
    expect(await listRecords()).toHaveLength(2)
  })

  it('a replacement fails after 10 conflicts', async () => {
    const { table, countAttempts } = createTableWithConflicts(10)

    await expect(table.replace(stored, replacement, successor)).rejects.toThrow('Canceled.')

    expect(countAttempts()).toBe(10)
    expect(await listRecords()).toHaveLength(1)
  })

  it.each([createCancellation('ThrottlingError'), new Error('The write failed.')])(
    'a replacement that fails for another reason is not repeated: %s',
    async (error) => {
      const failAttempt = vi.fn(() => Promise.reject(error))
      const client = createInterceptingClient(engine, 'TransactWriteItems', failAttempt)
      const table = new KeyTable(client, service.tables.apiKeys)

      await expect(table.replace(stored, replacement, successor)).rejects.toThrow(error.message)

      expect(failAttempt).toHaveBeenCalledOnce()
      expect(await listRecords()).toEqual([stored.record])
    },
  )

  it('a change whose response was lost returns the changed record', async () => {
    const table = new KeyTable(createForgetfulClient(engine), service.tables.apiKeys)

    const record = await table.change(stored, { owner: 'Umbrella' })

    expect(record).toMatchObject({ owner: 'Umbrella' })
    expect(await listRecords()).toMatchObject([{ owner: 'Umbrella' }])
  })

  it('a replacement whose response was lost is done', async () => {
    const table = new KeyTable(createForgetfulClient(engine), service.tables.apiKeys)

    const isReplaced = await table.replace(stored, replacement, successor)

    expect(isReplaced).toBe(true)
    expect(await listRecords()).toMatchObject([replacement, successor.record])
  })

  /** Changes the key after `stored` was read, as somebody else does. */
  const changeMeanwhile = () => service.keyTable.change(stored, { contact: 'a@example.org', owner: 'Umbrella' })
  const changed = { contact: 'a@example.org', owner: 'Umbrella', minuteLimit: 60 }

  it('a change of attributes that somebody else has changed is not made', async () => {
    await changeMeanwhile()

    expect(await service.keyTable.change(stored, { owner: 'Umbrella', minuteLimit: 5 })).toBeUndefined()

    expect(await listRecords()).toMatchObject([changed])
  })

  it('an attribute that somebody else has added is not removed', async () => {
    await changeMeanwhile()

    expect(await service.keyTable.change(stored, { contact: undefined })).toBeUndefined()

    expect(await listRecords()).toMatchObject([changed])
  })

  it('a key whose attributes somebody else has changed is not replaced', async () => {
    await changeMeanwhile()

    expect(await service.keyTable.replace(stored, { ...replacement, owner: 'Initech' }, successor)).toBe(false)

    expect(await listRecords()).toMatchObject([changed])
  })

  it('a change of a key that is not in the table is not made', async () => {
    expect(await service.keyTable.change(successor, { contact: undefined })).toBeUndefined()

    expect(await listRecords()).toEqual([stored.record])
  })
})
