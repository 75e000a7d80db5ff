import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createKey } from '../../../../infra/operations/keys/key.ts'
import { KeyTable, type StoredKey } from '../../../../shared/api-keys/key-table.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { createForgetfulClient, createInterceptingClient } from '../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'

// What several operators do at once: test/unit/infra/operations/keys/operators.test.ts.

afterEach(() => vi.restoreAllMocks())

const free = { owner: 'Acme', plan: 'free', allowance: fixedPlans.free } as const
const canceled = (...codes: readonly string[]) =>
  new TransactionCanceledException({
    ...{ message: 'Canceled.', $metadata: {}, CancellationReasons: codes.map((Code) => ({ Code })) },
  })

describeOnEachEngine('the table of API keys', (engine) => {
  let service: Service
  let stored: StoredKey
  let successor: StoredKey
  beforeEach(async () => {
    // No wait between attempts.
    vi.spyOn(Math, 'random').mockReturnValue(0)
    service = await openService(engine)
    stored = await service.keys.issue(free)
    successor = createKey('pet_test_', service.time.clock() + 1_000, free)
  })

  const change = { successor: 'key_2' as StoredKey['record']['keyId'] }
  const all = async () => (await service.keyTable.list()).map(({ record }) => record)

  it.each([
    [0, true],
    [9, true],
    [10, false],
  ])('takes a replacement that meets requests in %i of its attempts: %s', async (conflicts, isTaken) => {
    let attempts = 0
    const client = createInterceptingClient(engine, 'TransactWriteItems', async () => {
      attempts += 1
      if (attempts <= conflicts) throw canceled('None', 'TransactionConflict')
    })
    const replacing = new KeyTable(client, service.tables.apiKeys).replace(stored, change, successor)
    if (isTaken) expect(await replacing).toBe(true)
    else await expect(replacing).rejects.toThrow('Canceled.')
    expect(attempts).toBe(Math.min(conflicts + 1, 10))
    expect(await all()).toHaveLength(isTaken ? 2 : 1)
  })

  it.each([canceled('None', 'ThrottlingError'), new Error('The write failed.')])(
    'takes no part of a replacement that fails for another reason: %s',
    async (error) => {
      const fail = vi.fn(() => Promise.reject(error))
      const table = new KeyTable(createInterceptingClient(engine, 'TransactWriteItems', fail), service.tables.apiKeys)
      await expect(table.replace(stored, change, successor)).rejects.toThrow(error.message)
      expect(fail).toHaveBeenCalledOnce()
      expect(await all()).toEqual([stored.record])
    },
  )

  it('says that it has taken a change or a replacement whose response was lost', async () => {
    const forgetful = new KeyTable(createForgetfulClient(engine), service.tables.apiKeys)
    expect(await forgetful.change(stored, { owner: 'Umbrella' })).toMatchObject({ owner: 'Umbrella' })
    expect(await forgetful.replace(stored, change, successor)).toBe(true)
    expect(await all()).toMatchObject([{ owner: 'Umbrella', ...change }, successor.record])
  })

  it('refuses a change of what somebody else has changed, or of a key that is not there', async () => {
    await service.keyTable.change(stored, { contact: 'a@example.org', owner: 'Umbrella' })
    expect(await service.keyTable.change(stored, { owner: 'Umbrella', minuteLimit: 5 })).toBeUndefined()
    expect(await service.keyTable.change(stored, { contact: undefined })).toBeUndefined()
    expect(await service.keyTable.change(successor, { contact: undefined })).toBeUndefined()
    expect(await service.keyTable.replace(stored, { ...change, owner: 'Initech' }, successor)).toBe(false)
    expect(await all()).toMatchObject([{ owner: 'Umbrella', contact: 'a@example.org', minuteLimit: 60 }])
  })
})
