import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb'
import { beforeEach, expect, it, vi } from 'vitest'
import { createKey, type KeyOrder } from '../../../../infra/operations/keys/key.ts'
import type { KeyId, StoredKey } from '../../../../shared/api-keys/api-key-record.ts'
import { KeyTable, type NewKey } from '../../../../shared/api-keys/key-table.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { createStoredKey } from '../../../fixtures/api-key-record.ts'
import {
  createForgetfulClient,
  createInterceptingClient,
  createLosingClient,
  createWrappedClient,
} from '../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'

// Several operators at once are tested in test/unit/infra/operations/keys/operators.test.ts.

const order: KeyOrder = { owner: 'Acme', plan: 'free', limits: fixedPlans.free }

/** The change of a key that is replaced. */
const replacement = { successor: 'key_2' as KeyId }

/** The error of a replacement that DynamoDB canceled because of its second write, the update of the key. */
const createCancellation = (updateCode: string) =>
  new TransactionCanceledException({
    message: 'Canceled.',
    $metadata: {},
    CancellationReasons: [{ Code: 'None' }, { Code: updateCode }],
  })

/** The error of an update while a transaction is on its item, such as the rotation of the key. */
const transactionConflict = new TransactionConflictException({
  message: 'A transaction is on the item.',
  $metadata: {},
})

describeOnEachEngine('the table of API keys', (engine) => {
  let service: Service
  let stored: StoredKey
  let successor: NewKey
  beforeEach(async () => {
    // Math.random chooses the wait between attempts: 0 is no wait.
    vi.spyOn(Math, 'random').mockReturnValue(0)
    service = await openService(engine)
    stored = createStoredKey(await service.keys.issue(order))
    successor = createKey('pet_test_', service.time.clock() + 1_000, order)
  })

  /** Creates a table whose first writes by an operation fail with an error. */
  const createTableWithFailures = (operation: 'TransactWriteItems' | 'UpdateItem', failures: number, error: Error) => {
    let attempts = 0
    const client = createInterceptingClient(engine, operation, async () => {
      attempts += 1
      if (attempts <= failures) throw error
    })
    return { table: new KeyTable(client, service.tables.apiKeys), countAttempts: () => attempts }
  }

  /** Creates a table whose first replacements are in conflict with a request on the same key. */
  const createTableWithConflicts = (conflicts: number) =>
    createTableWithFailures('TransactWriteItems', conflicts, createCancellation('TransactionConflict'))

  // The engines of the tests are always consistent.
  it('keys are listed by a strongly consistent read', async () => {
    const before = vi.fn<(input: Readonly<Record<string, unknown>>) => Promise<void>>(async () => undefined)
    const client = createInterceptingClient(engine, 'Scan', before)

    await new KeyTable(client, service.tables.apiKeys).list()

    expect(before.mock.calls).toMatchObject([[{ ConsistentRead: true }]])
  })

  it.each([
    { conflicts: 0, attempts: 1 },
    { conflicts: 9, attempts: 10 },
  ])('a change that meets $conflicts transactions is done in attempt $attempts', async ({ conflicts, attempts }) => {
    const { table, countAttempts } = createTableWithFailures('UpdateItem', conflicts, transactionConflict)

    const outcome = await table.change(stored, { owner: 'Umbrella' })

    expect(outcome).toMatchObject({ met: true, result: { owner: 'Umbrella' } })
    expect(countAttempts()).toBe(attempts)
  })

  it('a change fails after it has met 10 transactions', async () => {
    const { table, countAttempts } = createTableWithFailures('UpdateItem', 10, transactionConflict)

    await expect(table.change(stored, { owner: 'Umbrella' })).rejects.toThrow('A transaction is on the item.')

    expect(countAttempts()).toBe(10)
    expect(await service.keyTable.list()).toEqual([stored])
  })

  it('a change that fails for another reason is not repeated', async () => {
    const { table, countAttempts } = createTableWithFailures('UpdateItem', 1, new Error('The write failed.'))

    await expect(table.change(stored, { owner: 'Umbrella' })).rejects.toThrow('The write failed.')

    expect(countAttempts()).toBe(1)
  })

  it.each([
    { conflicts: 0, attempts: 1 },
    { conflicts: 9, attempts: 10 },
  ])('a replacement with $conflicts conflicts is done in attempt $attempts', async ({ conflicts, attempts }) => {
    const { table, countAttempts } = createTableWithConflicts(conflicts)

    const isReplaced = await table.replace(stored, replacement, successor)

    expect(isReplaced).toBe(true)
    expect(countAttempts()).toBe(attempts)
    expect(await service.keyTable.list()).toHaveLength(2)
  })

  it('a replacement fails after 10 conflicts', async () => {
    const { table, countAttempts } = createTableWithConflicts(10)

    await expect(table.replace(stored, replacement, successor)).rejects.toThrow('Canceled.')

    expect(countAttempts()).toBe(10)
    expect(await service.keyTable.list()).toHaveLength(1)
  })

  it.each([createCancellation('ValidationError'), new Error('The write failed.')])(
    'a replacement that fails for another reason is not repeated: %s',
    async (error) => {
      const failAttempt = vi.fn(() => Promise.reject(error))
      const client = createInterceptingClient(engine, 'TransactWriteItems', failAttempt)
      const table = new KeyTable(client, service.tables.apiKeys)

      await expect(table.replace(stored, replacement, successor)).rejects.toThrow(error.message)

      expect(failAttempt).toHaveBeenCalledOnce()
      expect(await service.keyTable.list()).toEqual([stored])
    },
  )

  it('a change whose response was lost has the changed record as its result', async () => {
    const table = new KeyTable(createLosingClient(engine), service.tables.apiKeys)

    const outcome = await table.change(stored, { owner: 'Umbrella' })

    expect(outcome).toMatchObject({ met: true, result: { owner: 'Umbrella' } })
    expect(await service.keyTable.list()).toMatchObject([{ owner: 'Umbrella' }])
  })

  it('a change whose request was lost is not done, even if somebody else makes the same change meanwhile', async () => {
    let isLost = false
    const client = createWrappedClient(engine, async (operation, send) => {
      if (operation !== 'UpdateItem' || isLost) return send()
      isLost = true
      await service.keyTable.change(stored, { owner: 'Umbrella' })
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    })

    const outcome = await new KeyTable(client, service.tables.apiKeys).change(stored, { owner: 'Umbrella' })

    expect(outcome).toMatchObject({ met: false, current: { owner: 'Umbrella' } })
  })

  it('a replacement whose response was lost is done', async () => {
    const table = new KeyTable(createForgetfulClient(engine), service.tables.apiKeys)

    const isReplaced = await table.replace(stored, replacement, successor)

    expect(isReplaced).toBe(true)
    expect(await service.keyTable.list()).toMatchObject([
      { keyHash: stored.keyHash, ...replacement },
      { keyHash: successor.keyHash },
    ])
  })

  /** Changes the key after `stored` was read, as somebody else does. */
  const changeMeanwhile = () => service.keyTable.change(stored, { contact: 'a@example.org', owner: 'Umbrella' })
  const changed = { contact: 'a@example.org', owner: 'Umbrella', minuteLimit: 60 }

  it('a change of attributes that somebody else has changed is not made', async () => {
    await changeMeanwhile()

    const outcome = await service.keyTable.change(stored, { owner: 'Umbrella', minuteLimit: 5 })

    expect(outcome).toMatchObject({ met: false, current: changed })

    expect(await service.keyTable.list()).toMatchObject([changed])
  })

  it('a change that somebody else has made is not made again', async () => {
    await changeMeanwhile()

    const outcome = await service.keyTable.change(stored, { owner: 'Umbrella' })

    expect(outcome).toMatchObject({ met: false, current: changed })
  })

  it('an attribute that somebody else has added is not removed', async () => {
    await changeMeanwhile()

    const outcome = await service.keyTable.change(stored, { contact: undefined })

    expect(outcome).toMatchObject({ met: false, current: changed })

    expect(await service.keyTable.list()).toMatchObject([changed])
  })

  it('a key whose attributes somebody else has changed is not replaced', async () => {
    await changeMeanwhile()

    expect(await service.keyTable.replace(stored, { ...replacement, owner: 'Initech' }, successor)).toBe(false)

    expect(await service.keyTable.list()).toMatchObject([changed])
  })

  it.each([
    { owner: 'Umbrella' },
    { contact: 'a@example.org' },
    { plan: 'pro' },
    { scope: 'read' },
    { expiresAt: 2_000_000_000 },
    { minuteLimit: 5 },
    { dayLimit: 5 },
  ] as const)('a key is not replaced if somebody else has changed its terms by %o', async (change) => {
    await service.keyTable.change(stored, change)

    expect(await service.keyTable.replace(stored, replacement, successor)).toBe(false)

    expect(await service.keyTable.list()).toMatchObject([change])
  })

  it.each(['active', undefined])(
    'a change of a key in the state %s that is not in the table is not made',
    async (state) => {
      const missing = { ...createStoredKey(successor), state }

      const outcome = await service.keyTable.change(missing, { contact: undefined })

      expect(outcome).toMatchObject({ met: false, current: undefined })

      expect(await service.keyTable.list()).toEqual([stored])
    },
  )
})
