import {
  DynamoDBServiceException,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { KeyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createMemoryAudit, type MemoryAudit } from '../../../../fixtures/audit.ts'
import { createLosingClient, createWrappedClient, sendAndLoseResponse } from '../../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'

/** The error of an attempt whose response is lost. */
const lostResponse = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })

/** The error of a write while a transaction is on its item. */
const createConflict = () => new TransactionConflictException({ message: 'Injected.', $metadata: {} })

/** The error of a transaction whose second write has a code that is the reason for canceling it. */
const createCancellation = (code = 'TransactionConflict') =>
  new TransactionCanceledException({
    message: 'Injected.',
    $metadata: {},
    CancellationReasons: [{ Code: 'None' }, { Code: code }],
  })

/** The error of a call whose credentials have expired. */
const createExpiry = () =>
  new DynamoDBServiceException({
    name: 'ExpiredTokenException',
    message: 'Injected.',
    $fault: 'client',
    $metadata: {},
  })

describeOnEachEngine('the administration of API keys', (engine) => {
  let service: Service
  let keys: Service['keys']
  let keyId: string
  let audit: MemoryAudit

  beforeEach(async () => {
    service = await openService(engine)
    keys = service.keys
    audit = createMemoryAudit()
    const { record } = await keys.issue({ owner: 'Acme', plan: 'free', limits: fixedPlans.free })
    keyId = record.keyId
  })

  const createAdministration = (database: DynamoDBDocumentClient): KeyAdministration =>
    new KeyAdministration({ name: 'local', database, tables: service.tables }, { clock: service.time.clock, audit })

  /**
   * Creates a client whose first attempts of one operation fail, each with the next error. DynamoDB carries out an
   * attempt whose response is lost.
   */
  const createFailingClient = (operation: string, errors: readonly Error[]): DynamoDBDocumentClient => {
    const nextErrors = [...errors]
    return createWrappedClient(engine, async (calledOperation, send) => {
      if (calledOperation !== operation) return send()
      const error = nextErrors.shift()
      if (error === undefined) return send()
      if (error === lostResponse) await sendAndLoseResponse(send)
      throw error
    })
  }

  describe('a change whose response is lost', () => {
    it('a change whose response is lost, and that somebody else has changed since, is in doubt', async () => {
      const client = createLosingClient(engine, async () =>
        service.keyTable.change(await keys.find(keyId), { owner: 'Umbrella' }),
      )

      await expect(createAdministration(client).edit(keyId, { owner: 'Initech' })).rejects.toThrow(
        'Whether this one has changed it before is not known, because a response was lost.',
      )

      expect(audit.lines.at(-1)).toMatchObject({ action: 'keys edit', outcome: 'unknown' })
      expect(await keys.show(keyId)).toMatchObject({ owner: 'Umbrella' })
    })

    it('a change whose response is lost, and that nobody else has changed since, is done', async () => {
      const administration = createAdministration(createLosingClient(engine))

      expect(await administration.edit(keyId, { owner: 'Initech' })).toMatchObject({ owner: 'Initech' })

      expect(audit.lines.at(-1)).toMatchObject({ outcome: 'done' })
    })

    it('a change whose response is lost, and that then meets a transaction and fails, is in doubt', async () => {
      const errors = [lostResponse, createConflict(), createExpiry()]
      const client = createFailingClient('UpdateItem', errors)
      const administration = createAdministration(client)

      await expect(administration.edit(keyId, { owner: 'Initech' })).rejects.toThrow('Injected.')

      expect(audit.lines.at(-1)).toMatchObject({ action: 'keys edit', outcome: 'unknown' })
      expect(await keys.show(keyId)).toMatchObject({ owner: 'Initech' })
    })

    it('a rotation whose response is lost, and that then meets a transaction and fails, is in doubt', async () => {
      const errors = [lostResponse, createCancellation(), createExpiry()]
      const client = createFailingClient('TransactWriteItems', errors)
      const administration = createAdministration(client)

      await expect(administration.rotate(keyId)).rejects.toThrow(
        /The new API key key_\w+ was not issued, unless "show key_\w+" finds it\.$/,
      )

      expect(audit.lines.at(-1)).toMatchObject({ action: 'keys rotate', outcome: 'unknown' })
      const { keys: issuedKeys } = await keys.list()
      expect(issuedKeys).toContainEqual(expect.objectContaining({ predecessor: keyId }))
    })
  })

  describe('a change of a key that others write at the same time', () => {
    it('a change that meets a transaction, and then fails, is not made', async () => {
      const client = createFailingClient('UpdateItem', [createConflict(), createExpiry()])

      await expect(createAdministration(client).edit(keyId, { owner: 'Initech' })).rejects.toThrow('Injected.')

      expect(audit.lines.at(-1)).toMatchObject({ action: 'keys edit', outcome: 'failed' })
      expect(await keys.show(keyId)).toMatchObject({ owner: 'Acme' })
    })

    it.each(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])(
      'a rotation is made again after it was canceled with the code %s',
      async (code) => {
        const client = createFailingClient('TransactWriteItems', [createCancellation(code), createCancellation(code)])

        const successor = await createAdministration(client).rotate(keyId)

        expect(successor.record.predecessor).toBe(keyId)
        expect(audit.lines.at(-1)).toMatchObject({ action: 'keys rotate', outcome: 'done' })
      },
    )
  })
})
