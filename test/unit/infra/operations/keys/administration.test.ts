import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  KeyAdministration,
  type KeyAdministrationOptions,
} from '../../../../../infra/operations/keys/administration.ts'
import type { KeyOrder } from '../../../../../infra/operations/keys/key.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createStoredKey } from '../../../../fixtures/api-key-record.ts'
import { createMemoryAudit } from '../../../../fixtures/audit.ts'
import { createWrappedClient } from '../../../../fixtures/clients.ts'
import { noon } from '../../../../fixtures/clock.ts'
import { interruptCommand } from '../../../../fixtures/commands.ts'
import { editItem } from '../../../../fixtures/edit-item.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'

const freeOrder: KeyOrder = { owner: 'Acme', plan: 'free', limits: fixedPlans.free }

const hourSeconds = 3_600
const monthSeconds = 30 * 24 * hourSeconds

/** The time of the service's clock in Unix seconds. */
const nowSeconds = noon / 1_000

describeOnEachEngine('the administration of API keys', (engine) => {
  let service: Service
  let keys: Service['keys']

  beforeEach(async () => {
    service = await openService(engine)
    keys = service.keys
  })

  /** Makes a request with a key. @returns the kind of its decision */
  const admit = async (apiKey: string) => {
    const { kind } = await service.createLimiter().decide(hashApiKey(apiKey))
    return kind
  }

  /** Issues a key of the plan free. @returns its id */
  const issueKey = async (changes: Partial<KeyOrder> = {}) => {
    const { record } = await keys.issue({ ...freeOrder, ...changes })
    return record.keyId
  }

  const createAdministration = (
    options: Partial<KeyAdministrationOptions>,
    database = service.client,
  ): KeyAdministration =>
    new KeyAdministration(
      { name: 'local', database, tables: service.tables },
      { clock: service.time.clock, audit: createMemoryAudit(), ...options },
    )

  describe('a new key', () => {
    it('a new key is shown before it works', async () => {
      const kinds: string[] = []
      const administration = createAdministration({
        showKey: async ({ apiKey }) => {
          kinds.push(await admit(apiKey))
        },
      })

      const { record } = await administration.issue(freeOrder)
      await administration.rotate(record.keyId)

      expect(kinds).toEqual(['invalid', 'invalid'])
    })

    it('a new key that cannot be shown is not issued', async () => {
      const keyId = await issueKey()
      const before = await keys.list()
      const administration = createAdministration({ showKey: () => Promise.reject(new Error('no screen')) })

      await expect(administration.issue(freeOrder)).rejects.toThrow(
        /no screen .* The new API key key_\w+ was not issued\.$/,
      )
      await expect(administration.rotate(keyId)).rejects.toThrow(
        /no screen .* The new API key key_\w+ was not issued\.$/,
      )

      expect(await keys.list()).toEqual(before)
    })

    it('a new key whose write fails is reported as not issued', async () => {
      const keyId = await issueKey()
      const before = await keys.list()
      const accessDenied = Object.assign(new Error('no'), { name: 'AccessDeniedException', $fault: 'client' })
      const readOnlyClient = createWrappedClient(engine, (operation, send) =>
        operation === 'Scan' ? send() : Promise.reject(accessDenied),
      )
      const administration = createAdministration({}, readOnlyClient)

      const message = /^The AWS .* allow this: no The new API key key_\w+ was not issued\.$/
      await expect(administration.issue(freeOrder)).rejects.toThrow(message)
      await expect(administration.rotate(keyId)).rejects.toThrow(message)

      expect(await keys.list()).toEqual(before)
    })
  })

  describe('a rotation', () => {
    it('a rotation gives the successor the terms of the replaced key', async () => {
      const { record } = await keys.issue({
        ...freeOrder,
        expiresAt: nowSeconds + 9 * hourSeconds,
        contact: 'a@example.org',
        scope: 'read',
      })

      const successor = await keys.rotate(record.keyId, { overlapSeconds: hourSeconds })

      const { keyId, gatewayKey } = successor.record
      expect(successor.record).toEqual({ ...record, keyId, gatewayKey, predecessor: record.keyId })
      expect(await keys.show(record.keyId)).toEqual({
        ...record,
        successor: keyId,
        overlapEndsAt: nowSeconds + hourSeconds,
      })
    })

    it('a rotation gives the successor another API Gateway key', async () => {
      const { record } = await keys.issue(freeOrder)

      const successor = await keys.rotate(record.keyId)

      // API Gateway accepts values of this form, and each value only once.
      expect(successor.record.gatewayKey).toMatch(/^[0-9A-Za-z]{20,128}$/)
      expect(successor.record.gatewayKey).not.toBe(record.gatewayKey)
    })

    it('a rotation lets the replaced key work for 24 hours by default', async () => {
      const { record } = await keys.issue(freeOrder)

      await keys.rotate(record.keyId)

      expect(await keys.show(record.keyId)).toMatchObject({ overlapEndsAt: nowSeconds + 24 * hourSeconds })
    })

    it('a rotation lets both keys work until the overlap ends', async () => {
      const { apiKey, record } = await keys.issue(freeOrder)
      const successor = await keys.rotate(record.keyId, { overlapSeconds: hourSeconds })

      service.time.advance(hourSeconds - 1)
      expect(await admit(apiKey)).toBe('admitted')
      expect(await admit(successor.apiKey)).toBe('admitted')

      service.time.advance(1)
      expect(await admit(apiKey)).toBe('invalid')
      expect(await admit(successor.apiKey)).toBe('admitted')
    })

    it('a rotation fails if somebody else moves the key to another plan meanwhile, and issues no key', async () => {
      const keyId = await issueKey()
      const moveMeanwhile = async (): Promise<void> => {
        await keys.move(keyId, 'pro', fixedPlans.pro)
      }

      const rotation = createAdministration({ showKey: moveMeanwhile }).rotate(keyId)

      await expect(rotation).rejects.toThrow(`Another command has changed the API key ${keyId} meanwhile.`)
      const { keys: records } = await keys.list()
      expect(records).toMatchObject([{ keyId, plan: 'pro', minuteLimit: 300 }])
      expect(records[0]).not.toHaveProperty('successor')
    })

    it('a second rotation of a key fails with the successor and its state', async () => {
      const keyId = await issueKey()
      const { record: successor } = await keys.rotate(keyId, { overlapSeconds: monthSeconds })
      const describeSuccessor = (state: string): string => `${keyId} has the successor ${successor.keyId} (${state}).`

      await expect(keys.rotate(keyId)).rejects.toThrow(describeSuccessor('active'))

      await keys.rotate(successor.keyId, { overlapSeconds: 0 })
      await expect(keys.rotate(keyId)).rejects.toThrow(describeSuccessor('expired'))

      await keys.revoke(successor.keyId)
      await expect(keys.rotate(keyId)).rejects.toThrow(describeSuccessor('revoked'))
    })

    it('a second rotation on request makes another successor, and keeps the end of the first overlap', async () => {
      const keyId = await issueKey()
      await keys.rotate(keyId, { overlapSeconds: monthSeconds })
      service.time.advance(1)

      const second = await keys.rotate(keyId, { again: true })

      expect(await keys.show(keyId)).toMatchObject({
        successor: second.record.keyId,
        overlapEndsAt: nowSeconds + monthSeconds,
      })
    })

    it('a second rotation on request shows the earlier successor, which stays', async () => {
      const keyId = await issueKey()
      const { record: first } = await keys.rotate(keyId)
      const showKey = vi.fn(async () => undefined)

      await createAdministration({ showKey }).rotate(keyId, { again: true })

      const earlierSuccessor = { keyId: first.keyId, state: 'active' }
      expect(showKey).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ earlierSuccessor }))
      expect(await keys.show(first.keyId)).toMatchObject({ state: 'active' })
    })

    it('a second rotation on request works if the item of the earlier successor is lost', async () => {
      const keyId = await issueKey()
      const first = await keys.rotate(keyId)
      const lostKey = { TableName: service.tables.apiKeys, Key: { keyHash: first.keyHash } }
      await service.client.send(new DeleteCommand(lostKey))
      await expect(keys.rotate(keyId)).rejects.toThrow(`${keyId} has the successor ${first.record.keyId} (lost).`)

      const second = await keys.rotate(keyId, { again: true })

      expect(await keys.show(keyId)).toMatchObject({ successor: second.record.keyId })
    })

    it('a second rotation on request gives the successor no end', async () => {
      const keyId = await issueKey()
      await keys.rotate(keyId, { overlapSeconds: monthSeconds })

      const second = await keys.rotate(keyId, { again: true })

      expect(second.record.expiresAt).toBeUndefined()
      expect(second.record.overlapEndsAt).toBeUndefined()
      expect(await admit(second.apiKey)).toBe('admitted')
    })
  })

  describe('a move', () => {
    it('a move within a plan keeps the API Gateway key', async () => {
      const issued = await keys.issue({ ...freeOrder, limits: { perMinute: 5, perDay: 10 } })
      const { keyId, gatewayKey } = issued.record
      await service.keyTable.change(createStoredKey(issued), { meteredFrom: nowSeconds })

      const moved = await keys.move(keyId, 'free', fixedPlans.free)

      expect(moved).toMatchObject({ minuteLimit: 60, dayLimit: 1_000, gatewayKey, meteredFrom: nowSeconds })
    })

    it('a move to another plan asks for another API Gateway key', async () => {
      const issued = await keys.issue(freeOrder)
      const { keyId, gatewayKey } = issued.record
      await service.keyTable.change(createStoredKey(issued), { meteredFrom: nowSeconds })

      const moved = await keys.move(keyId, 'pro', fixedPlans.pro)

      expect(moved).toMatchObject({ plan: 'pro', minuteLimit: 300, dayLimit: 10_000 })
      expect(moved).toMatchObject({ gatewayKey: expect.any(String) })
      expect(moved).not.toMatchObject({ gatewayKey })
      expect(moved).not.toHaveProperty('meteredFrom')
    })

    it('a move keeps the requests that were counted', async () => {
      const { apiKey, record } = await keys.issue(freeOrder)
      await admit(apiKey)

      const moved = await keys.move(record.keyId, 'pro', fixedPlans.pro)

      expect(moved).toMatchObject({ minuteCount: 1, dayCount: 1 })
    })
  })

  describe('an edit', () => {
    it('an edit lets a key that has expired work again', async () => {
      const { apiKey, record } = await keys.issue({ ...freeOrder, expiresAt: nowSeconds })
      expect(await admit(apiKey)).toBe('invalid')

      await keys.edit(record.keyId, { expiresAt: nowSeconds + hourSeconds })

      expect(await admit(apiKey)).toBe('admitted')
      service.time.advance(hourSeconds)
      expect(await admit(apiKey)).toBe('invalid')
    })

    it('an edit removes the end of a key', async () => {
      const keyId = await issueKey({ expiresAt: nowSeconds + hourSeconds })

      expect(await keys.edit(keyId, { expiresAt: undefined })).not.toHaveProperty('expiresAt')
    })

    it('an edit of the end asks for another API Gateway key', async () => {
      const issued = await keys.issue({ ...freeOrder, expiresAt: nowSeconds })
      const { keyId, gatewayKey } = issued.record
      await service.keyTable.change(createStoredKey(issued), { meteredFrom: nowSeconds })

      const edited = await keys.edit(keyId, { expiresAt: nowSeconds + hourSeconds })

      expect(edited).toMatchObject({ gatewayKey: expect.any(String) })
      expect(edited).not.toMatchObject({ gatewayKey })
      expect(edited).not.toHaveProperty('meteredFrom')
    })

    it('an edit of the owner keeps the API Gateway key', async () => {
      const { record } = await keys.issue(freeOrder)

      const edited = await keys.edit(record.keyId, { owner: 'Umbrella' })

      expect(edited).toMatchObject({ owner: 'Umbrella', gatewayKey: record.gatewayKey })
    })

    it('an edit of the scope decides what the next request may do', async () => {
      const { apiKey, record } = await keys.issue(freeOrder)

      await keys.edit(record.keyId, { scope: 'read' })

      expect(await service.createLimiter().decide(hashApiKey(apiKey))).toMatchObject({ record: { scope: 'read' } })
    })

    it('an edit ends an overlap at once', async () => {
      const { apiKey, record } = await keys.issue(freeOrder)
      await keys.rotate(record.keyId)

      await keys.edit(record.keyId, { overlapEndsAt: nowSeconds })

      expect(await admit(apiKey)).toBe('invalid')
    })

    it('an edit prolongs an overlap that has ended', async () => {
      const { apiKey, record } = await keys.issue(freeOrder)
      await keys.rotate(record.keyId, { overlapSeconds: 0 })

      await keys.edit(record.keyId, { overlapEndsAt: nowSeconds + hourSeconds })

      expect(await admit(apiKey)).toBe('admitted')
    })

    it('an edit of the overlap of a key without a successor fails, and leaves the key as it is', async () => {
      const keyId = await issueKey()
      const before = await keys.list()

      await expect(keys.edit(keyId, { overlapEndsAt: nowSeconds })).rejects.toMatchObject({
        message: `The API key ${keyId} has no successor, and so no overlap. "edit" its --expires.`,
        exitCode: 3,
      })

      expect(await keys.list()).toEqual(before)
    })

    it('an edit of the end of a revoked key fails', async () => {
      const keyId = await issueKey()
      await keys.revoke(keyId)

      await expect(keys.edit(keyId, { expiresAt: undefined })).rejects.toThrow(`${keyId} is revoked. Issue a new one.`)
    })
  })

  describe('a mended key', () => {
    /** Edits the item of a key by hand. */
    const damage = (keyHash: string, change: Readonly<Record<string, unknown>>): Promise<void> =>
      editItem(service.client, service.tables.apiKeys, { keyHash }, change)

    it('a key whose day was mended works in the minute of its last request', async () => {
      const { apiKey, keyHash, record } = await keys.issue(freeOrder)
      await admit(apiKey)
      await damage(keyHash, { dayWindow: 'today' })

      await keys.mend(record.keyId)

      expect(await admit(apiKey)).toBe('admitted')
      expect(await keys.show(record.keyId)).toMatchObject({ minuteCount: 2, dayCount: 2 })
    })

    // The usage plan of the present API Gateway key has counted the requests that the mended count lacks.
    it.each([{ attribute: 'dayWindow' }, { attribute: 'dayCount' }])(
      'a key whose $attribute was mended gets another API Gateway key',
      async ({ attribute }) => {
        const issued = await keys.issue(freeOrder)
        const { keyId, gatewayKey } = issued.record
        await service.keyTable.change(createStoredKey(issued), { meteredFrom: nowSeconds })
        await damage(issued.keyHash, { [attribute]: 'wrong' })

        const mended = await keys.mend(keyId)

        expect(mended).toMatchObject({ dayCount: 0, gatewayKey: expect.any(String) })
        expect(mended).not.toMatchObject({ gatewayKey })
        expect(mended).not.toHaveProperty('meteredFrom')
      },
    )
  })

  describe('the revocation of all keys', () => {
    it('the revocation of all keys revokes none that is not confirmed', async () => {
      const keyId = await issueKey()
      const confirm = vi.fn(() => Promise.reject(new Error('no')))

      await expect(keys.revokeAll(confirm)).rejects.toThrow('no')

      expect(confirm).toHaveBeenCalledWith(1)
      expect(await keys.show(keyId)).toMatchObject({ state: 'active' })
    })

    it('the revocation of all keys revokes a key that is issued while the operator confirms', async () => {
      const keyId = await issueKey()
      let successorId = ''
      const rotateMeanwhile = async (): Promise<void> => {
        const successor = await keys.rotate(keyId)
        successorId = successor.record.keyId
      }

      expect(await keys.revokeAll(rotateMeanwhile)).toBe(2)

      expect(await keys.show(successorId)).toMatchObject({ state: 'revoked' })
    })

    it('the revocation of all keys revokes a key that is issued while others are revoked', async () => {
      await issueKey()
      const issueOnce = vi.fn().mockImplementationOnce(() => issueKey())
      const audit = createMemoryAudit()
      const administration = createAdministration({
        audit: {
          ...audit,
          recordThenMake: (change, make) => audit.recordThenMake(change, () => make().finally(issueOnce)),
        },
      })

      expect(await administration.revokeAll()).toBe(2)

      const { keys: records } = await keys.list()
      expect(records).toMatchObject([{ state: 'revoked' }, { state: 'revoked' }])
    })

    /** Issues keys. Four owners of 300,000 characters are more than the megabyte of a Scan page. */
    const issueKeys = async (count: number): Promise<void> => {
      for (let index = 0; index < count; index += 1) {
        await issueKey({ owner: index < 4 ? 'x'.repeat(300_000) : `${index}` })
        service.time.advance(1)
      }
    }

    it('the revocation of all keys revokes the keys of every Scan page', async () => {
      await issueKeys(10)

      expect(await keys.revokeAll()).toBe(10)
      expect(await keys.revokeAll()).toBe(0)
    })

    it('says how many keys it has revoked when it is interrupted, and then goes on', async () => {
      await issueKeys(140)
      const interruptOnce = vi.fn().mockImplementationOnce(interruptCommand)
      const audit = createMemoryAudit()
      const administration = createAdministration({
        audit: {
          ...audit,
          recordThenMake: (change, make) => audit.recordThenMake(change, () => make().finally(interruptOnce)),
        },
      })

      await expect(administration.revokeAll()).rejects.toMatchObject({
        message: 'Interrupted. 100 of 140 keys were revoked until then. Run the same command again.',
        exitCode: 130,
      })

      // Keys are revoked in the order in which they were issued.
      const list = await keys.list()
      const states = list.keys.map(({ state }) => state)
      expect(states.slice(0, 100)).toEqual(Array(100).fill('revoked'))
      expect(states.slice(100)).toEqual(Array(40).fill('active'))
      expect(await keys.revokeAll()).toBe(40)
      expect(await keys.revokeAll()).toBe(0)
    })
  })

  describe.each([
    { command: 'rotate', run: (keyId: string) => keys.rotate(keyId) },
    { command: 'move', run: (keyId: string) => keys.move(keyId, 'pro', fixedPlans.pro) },
    { command: 'edit', run: (keyId: string) => keys.edit(keyId, { contact: 'x' }) },
    { command: 'unban', run: (keyId: string) => keys.unban(keyId) },
  ])('the command $command', ({ command, run }) => {
    it(`the command ${command} fails for a revoked key, and leaves it as it is`, async () => {
      const keyId = await issueKey()
      await keys.revoke(keyId)
      const before = await keys.list()

      await expect(run(keyId)).rejects.toThrow(`${keyId} is revoked. Issue a new one.`)

      expect(await keys.list()).toEqual(before)
    })

    it(`the command ${command} fails for an expired key, and leaves it as it is`, async () => {
      const keyId = await issueKey({ expiresAt: nowSeconds })
      const before = await keys.list()

      await expect(run(keyId)).rejects.toThrow(`${keyId} is expired. To renew it, "edit" its --expires.`)

      expect(await keys.list()).toEqual(before)
    })

    it(`the command ${command} fails for a replaced key with the successor to use, and leaves the key as it is`, async () => {
      const keyId = await issueKey()
      const { record: successor } = await keys.rotate(keyId, { overlapSeconds: 0 })
      const before = await keys.list()

      await expect(run(keyId)).rejects.toThrow(`${keyId} is expired. Its successor is ${successor.keyId}.`)

      expect(await keys.list()).toEqual(before)
    })

    it(`the command ${command} fails with the id that no key has`, async () => {
      await issueKey()
      const before = await keys.list()

      await expect(run('key_none')).rejects.toThrow('No API key has the id key_none.')

      expect(await keys.list()).toEqual(before)
    })
  })

  it('the command unban fails for a key that is not banned, and leaves it as it is', async () => {
    const keyId = await issueKey()
    const before = await keys.list()

    await expect(keys.unban(keyId)).rejects.toThrow('is not banned')

    expect(await keys.list()).toEqual(before)
  })

  it('a second revocation leaves the key as it is', async () => {
    const keyId = await issueKey()
    const revoked = await keys.revoke(keyId)

    service.time.advance(60)

    expect(await keys.revoke(keyId)).toEqual(revoked)
    expect(revoked).toMatchObject({ state: 'revoked', revokedAt: nowSeconds })
  })

  it('a revocation that somebody else has made meanwhile succeeds', async () => {
    const keyId = await issueKey()
    const administration = createAdministration({
      audit: createMemoryAudit(),
      clock: () => noon + 5_000,
    })
    const stored = await keys.find(keyId)
    vi.spyOn(administration, 'find').mockResolvedValue(stored)
    await keys.revoke(keyId)

    expect(await administration.revoke(keyId)).toMatchObject({ keyId, state: 'revoked', revokedAt: nowSeconds })
  })

  it('the audit has a change as failed that somebody else has made first', async () => {
    const keyId = await issueKey()
    const audit = createMemoryAudit()
    const administration = createAdministration({ audit })
    vi.spyOn(administration, 'find').mockResolvedValue(await keys.find(keyId))
    await keys.edit(keyId, { contact: 'a@example.org' })

    const edited = await administration.edit(keyId, { contact: 'a@example.org' })

    expect(edited).toMatchObject({ keyId, contact: 'a@example.org' })
    expect(audit.lines.at(-1)).toMatchObject({
      outcome: 'failed',
      reason: 'Another command has made the same change first.',
    })
  })

  it('a revocation without the commands gets its time from a later revocation, which the audit has', async () => {
    const keyId = await issueKey()
    await service.keyTable.change(await keys.find(keyId), { state: 'revoked' })
    const audit = createMemoryAudit()

    const revoked = await createAdministration({ audit }).revoke(keyId)

    expect(revoked).toMatchObject({ state: 'revoked', revokedAt: nowSeconds })
    expect(audit.lines.at(-1)).toMatchObject({
      action: 'keys revoke',
      ids: [keyId],
      new: { state: 'revoked', revokedAt: nowSeconds },
      outcome: 'done',
    })
  })
})
