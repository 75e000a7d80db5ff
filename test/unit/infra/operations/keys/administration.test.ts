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
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'

const freeOrder: KeyOrder = { owner: 'Acme', plan: 'free', allowance: fixedPlans.free }

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

  /** Makes a request with a key. @returns the kind of its admission */
  const admit = async (apiKey: string) => {
    const { kind } = await service.createLimiter().admit(hashApiKey(apiKey))
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
      const issued = await keys.issue({ ...freeOrder, allowance: { perMinute: 5, perDay: 10 } })
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

  describe('the revocation of all keys', () => {
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

      await expect(run(keyId)).rejects.toThrow(`${keyId} is expired. Issue a new one.`)

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

    expect(await keys.revoke(keyId)).toEqual(revoked)
    expect(revoked).toMatchObject({ state: 'revoked' })
  })
})
