import { beforeEach, describe, expect, it } from 'vitest'
import { KeyAdministration } from '../../../../../infra/commands/keys/administration.ts'
import type { IssuedKey } from '../../../../../infra/commands/keys/key.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createTestAudit, readTargetChanges } from '../../../../fixtures/commands/audit.ts'
import { createForgetfulClient, createInterceptingClient } from '../../../../fixtures/database/clients.ts'
import { editItem } from '../../../../fixtures/database/edit-item.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { openService, type Service } from '../../../../fixtures/service/service.ts'

const hourSeconds = 3_600

describeOnEachEngine('the administration of API keys', (engine) => {
  let service: Service
  let keys: Service['keys']
  let issued: IssuedKey
  let keyId: string
  let nowSeconds: number

  beforeEach(async () => {
    service = await openService(engine)
    keys = service.keys
    issued = await keys.issue({ owner: 'Acme', contact: 'a@example.org', plan: 'pro', limits: fixedPlans.pro })
    keyId = issued.record.keyId
    nowSeconds = service.time.clock() / 1_000
  })

  /** Opens the keys for a second operator, whose calls go through a client. */
  const openKeys = (database: Service['client']): KeyAdministration =>
    new KeyAdministration(
      { name: 'local', database, tables: service.tables },
      { clock: service.time.clock, audit: createTestAudit({ database, tables: service.tables }, service.time.clock) },
    )

  /** Opens the keys for an operator whose first write of a key comes after that of a colleague. */
  const openLateKeys = (operation: 'UpdateItem' | 'TransactWriteItems', meanwhile: () => Promise<unknown>) => {
    let isFirst = true
    return openKeys(
      createInterceptingClient(engine, operation, async () => {
        if (isFirst) await meanwhile()
        isFirst = false
      }),
    )
  }

  const admit = async (apiKey: string) => (await service.createLimiter().decide(hashApiKey(apiKey))).kind

  const damage = (change: Readonly<Record<string, unknown>>) =>
    editItem(service.client, service.tables.apiKeys, { keyHash: issued.keyHash }, change)

  const readOutcomes = async (id: string) => {
    const changes = await readTargetChanges({ database: service.client, tables: service.tables }, `key#${id}`)
    // Changes of the same millisecond have no order.
    return changes.map(({ action, outcome }) => `${action}: ${outcome}`).toSorted()
  }

  describe('a new key', () => {
    it('a new key is announced before it works', async () => {
      const announced: string[] = []
      const database = createInterceptingClient(engine, 'PutItem', async () => {
        expect(announced).toHaveLength(1)
      })
      const announcing = new KeyAdministration(
        { name: 'local', database, tables: service.tables },
        { audit: createTestAudit({ database, tables: service.tables }), announce: (id) => announced.push(id) },
      )

      const { record } = await announcing.issue({ owner: 'Acme', plan: 'free', limits: fixedPlans.free })

      expect(announced).toEqual([record.keyId])
    })

    it('a new key is not issued if the audit cannot record it', async () => {
      const database = createInterceptingClient(engine, 'PutItem', async ({ TableName }) => {
        if (TableName === service.tables.audit) throw new Error('no network')
      })

      const issue = openKeys(database).issue({ owner: 'Acme', plan: 'free', limits: fixedPlans.free })

      await expect(issue).rejects.toThrow('no network')
      expect((await keys.list()).keys).toHaveLength(1)
    })
  })

  describe('a rotation', () => {
    it('a rotation gives the successor the terms of the replaced key, and another API Gateway key', async () => {
      const { record } = await keys.rotate(keyId)

      const { gatewayKey, owner, contact, plan, minuteLimit, dayLimit, idempotencyScope } = record
      expect({ owner, contact, plan, minuteLimit, dayLimit, idempotencyScope }).toEqual({
        owner: 'Acme',
        contact: 'a@example.org',
        plan: 'pro',
        minuteLimit: 300,
        dayLimit: 10_000,
        idempotencyScope: issued.record.idempotencyScope,
      })
      expect(gatewayKey).not.toBe(issued.record.gatewayKey)
    })

    it('a rotation lets both keys work until the overlap ends', async () => {
      const successor = await keys.rotate(keyId, { overlapSeconds: hourSeconds })
      expect([await admit(issued.apiKey), await admit(successor.apiKey)]).toEqual(['admitted', 'admitted'])

      service.time.advance(hourSeconds)

      expect([await admit(issued.apiKey), await admit(successor.apiKey)]).toEqual(['invalid', 'admitted'])
    })

    it('a repeated rotation makes another successor, and keeps the end of the first overlap', async () => {
      const first = await keys.rotate(keyId, { overlapSeconds: hourSeconds })

      const second = await keys.rotate(keyId, { overlapSeconds: 9 * hourSeconds })

      expect(second.earlierSuccessor).toBe(first.record.keyId)
      expect(await keys.show(keyId)).toMatchObject({
        successor: second.record.keyId,
        overlapEndsAt: nowSeconds + hourSeconds,
      })
      expect([await admit(first.apiKey), await admit(second.apiKey)]).toEqual(['admitted', 'admitted'])
    })

    it('a rotation is not made if another command changes the key meanwhile, and leaves no record', async () => {
      const late = openLateKeys('TransactWriteItems', () => keys.set(keyId, { plan: 'business' }))

      await expect(late.rotate(keyId)).rejects.toMatchObject({ name: 'ConflictError', exitCode: 3 })

      expect((await keys.list()).keys).toMatchObject([{ keyId, plan: 'business' }])
      expect(await readOutcomes(keyId)).toEqual(['keys issue: made', 'keys set: made'])
    })

    it('a rotation whose response was lost is made once, with a record for each key', async () => {
      const { record } = await openKeys(createForgetfulClient(engine)).rotate(keyId)

      expect((await keys.list()).keys).toHaveLength(2)
      expect(await readOutcomes(keyId)).toEqual(['keys issue: made', 'keys rotate: made'])
      expect(await readOutcomes(record.keyId)).toEqual(['keys rotate: made'])
    })
  })

  describe('set', () => {
    it('set within a plan keeps the API Gateway key', async () => {
      await keys.set(keyId, { owner: 'Umbrella', plan: 'pro' })

      expect(await keys.show(keyId)).toMatchObject({ owner: 'Umbrella', gatewayKey: issued.record.gatewayKey })
    })

    it.each([
      { what: 'another plan', settings: { plan: 'business' as const } },
      { what: 'another end', settings: { expiresAt: 9_999_999_999 } },
    ])('set to $what asks for another API Gateway key', async ({ settings }) => {
      await service.keyTable.change(await keys.find(keyId), { meteredFrom: nowSeconds })

      const changed = await keys.set(keyId, settings)

      expect(changed).not.toHaveProperty('meteredFrom')
      expect(changed['gatewayKey']).not.toBe(issued.record.gatewayKey)
    })

    it('set gives an enterprise key one of its two limits, and leaves the other', async () => {
      await keys.set(keyId, { plan: 'enterprise', perMinute: 10, perDay: 500 })

      await keys.set(keyId, { perMinute: 20 })

      expect(await keys.show(keyId)).toMatchObject({ minuteLimit: 20, dayLimit: 500 })
    })

    it('set lets a key that has expired work again', async () => {
      await keys.set(keyId, { expiresAt: nowSeconds + 1 })
      service.time.advance(1)
      expect(await admit(issued.apiKey)).toBe('invalid')

      await keys.set(keyId, { expiresAt: 'never' })

      expect(await admit(issued.apiKey)).toBe('admitted')
    })

    it('set ends an overlap at once, and refuses one of a key without a successor', async () => {
      await expect(keys.set(keyId, { overlapSeconds: 0 })).rejects.toThrow('has no successor, and so no overlap')
      await keys.rotate(keyId)

      await keys.set(keyId, { overlapSeconds: 0 })

      expect(await admit(issued.apiKey)).toBe('invalid')
    })

    it('set to what the key has already writes nothing', async () => {
      const before = await keys.find(keyId)

      expect(await keys.set(keyId, { owner: 'Acme' })).toEqual(before)
      expect(await readOutcomes(keyId)).toEqual(['keys issue: made'])
    })

    it('set is not made if another command changes the key meanwhile', async () => {
      const late = openLateKeys('UpdateItem', () => keys.set(keyId, { owner: 'Umbrella' }))

      await expect(late.set(keyId, { owner: 'Initech' })).rejects.toMatchObject({ name: 'ConflictError', exitCode: 3 })

      expect(await keys.show(keyId)).toMatchObject({ owner: 'Umbrella' })
      expect(await readOutcomes(keyId)).toEqual(['keys issue: made', 'keys set: made', 'keys set: not made so far'])
    })

    it('set that was made is no conflict if its response was lost', async () => {
      await openKeys(createForgetfulClient(engine)).set(keyId, { owner: 'Umbrella' })

      expect(await readOutcomes(keyId)).toEqual(['keys issue: made', 'keys set: made'])
    })
  })

  it('unban ends a ban, and leaves a key that is not banned as it is', async () => {
    await service.keyTable.change(await keys.find(keyId), { bannedUntil: nowSeconds + hourSeconds, banCount: 3 })

    await keys.unban(keyId)
    await keys.unban(keyId)

    expect(await keys.show(keyId)).toMatchObject({ bannedUntil: 0, banCount: 0 })
    expect(await readOutcomes(keyId)).toEqual(['keys issue: made', 'keys unban: made'])
  })

  describe('a revocation', () => {
    it('a revocation is made whatever another command changes meanwhile', async () => {
      const late = openLateKeys('UpdateItem', () => keys.set(keyId, { owner: 'Umbrella' }))

      await late.revoke(keyId)

      expect(await keys.show(keyId)).toMatchObject({ state: 'revoked', owner: 'Umbrella' })
      expect(await admit(issued.apiKey)).toBe('invalid')
    })

    it('a second revocation leaves the key as it is', async () => {
      const revoked = await keys.revoke(keyId)
      service.time.advance(60)

      expect(await keys.revoke(keyId)).toEqual(revoked)
    })

    it('a revocation of all keys revokes also a key that is issued meanwhile', async () => {
      const late = openLateKeys('UpdateItem', () =>
        keys.issue({ owner: 'late', plan: 'free', limits: fixedPlans.free }),
      )

      expect(await late.revokeAll()).toBe(2)

      expect((await keys.list()).keys.map(({ state }) => state)).toEqual(['revoked', 'revoked'])
    })
  })

  describe('a key that cannot be read', () => {
    it('a key that cannot be read is named, can be revoked, and nothing else works on it', async () => {
      await damage({ plan: 'gold' })
      const sentence = `The API key ${keyId} cannot be read: its item has no valid plan. "revoke ${keyId}" ends it;`
      await expect(keys.rotate(keyId)).rejects.toThrow(sentence)
      await expect(keys.set(keyId, { plan: 'pro' })).rejects.toThrow(sentence)
      await expect(keys.unban(keyId)).rejects.toThrow(sentence)

      await keys.revoke(keyId)

      expect(await admit(issued.apiKey)).toBe('invalid')
      expect((await keys.list()).malformedKeys).toMatchObject([{ attribute: 'plan', item: { state: 'revoked' } }])
    })

    it('a key without an id is revoked by its hash', async () => {
      await damage({ keyId: undefined, changeId: 7 })

      await keys.revoke(issued.keyHash)

      expect(await admit(issued.apiKey)).toBe('invalid')
    })
  })

  it.each([
    { state: 'revoked', end: () => keys.revoke(keyId), advice: 'is revoked. Issue a new one.' },
    {
      state: 'expired',
      end: () => keys.set(keyId, { expiresAt: nowSeconds }),
      advice: 'To renew it, "set" its --expires.',
    },
    { state: 'replaced', end: () => keys.rotate(keyId, { overlapSeconds: 0 }), advice: 'Its successor is key_' },
  ])('rotate, set and unban say what to do about a key that is $state', async ({ end, advice }) => {
    await end()

    await expect(keys.rotate(keyId)).rejects.toThrow(advice)
    await expect(keys.set(keyId, { owner: 'x' })).rejects.toThrow(advice)
    await expect(keys.unban(keyId)).rejects.toThrow(advice)
  })
})
