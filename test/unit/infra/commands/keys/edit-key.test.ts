import { beforeEach, expect, it } from 'vitest'
import type { IssuedKey } from '../../../../../infra/commands/keys/key.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createKeyOperator } from '../../../../fixtures/commands/key-operator.ts'
import { createInterceptingClient } from '../../../../fixtures/database/clients.ts'
import { editItem } from '../../../../fixtures/database/edit-item.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { noDeadline, openService, type Service } from '../../../../fixtures/service/service.ts'

describeOnEachEngine('changing keys that exist', (engine) => {
  let service: Service
  let keys: Service['keys']
  let issued: IssuedKey
  let keyId: string
  let nowSeconds: number

  beforeEach(async () => {
    service = await openService(engine)
    keys = service.keys
    issued = await keys.issue({ owner: 'Acme', plan: 'pro', limits: fixedPlans.pro })
    keyId = issued.record.keyId
    nowSeconds = service.time.clock() / 1_000
  })

  const admit = async () => (await service.createLimiter().decide(hashApiKey(issued.apiKey), noDeadline)).kind

  it('keys set within a plan keeps the API Gateway key', async () => {
    await keys.set(keyId, { owner: 'Umbrella', plan: 'pro' })

    expect(await keys.show(keyId)).toMatchObject({ owner: 'Umbrella', gatewayKey: issued.record.gatewayKey })
  })

  it.each([
    { term: 'plan', settings: { plan: 'business' as const } },
    { term: 'end', settings: { expiresAt: 9_999_999_999 } },
  ])('keys set to another $term asks for another API Gateway key', async ({ settings }) => {
    await service.keyTable.change(await keys.find(keyId), { meteredFrom: nowSeconds })

    const changed = await keys.set(keyId, settings)

    expect(changed).not.toHaveProperty('meteredFrom')
    expect(changed['gatewayKey']).not.toBe(issued.record.gatewayKey)
  })

  it('keys set gives an enterprise key one of its two limits, and leaves the other', async () => {
    await keys.set(keyId, { plan: 'enterprise', perMinute: 10, perDay: 500 })

    await keys.set(keyId, { perMinute: 20 })

    expect(await keys.show(keyId)).toMatchObject({ minuteLimit: 20, dayLimit: 500 })
  })

  it('keys set lets a key that has expired work again', async () => {
    await keys.set(keyId, { expiresAt: nowSeconds + 1 })
    service.time.advance(1)
    expect(await admit()).toBe('invalid')

    await keys.set(keyId, { expiresAt: 'never' })

    expect(await admit()).toBe('admitted')
  })

  it('keys set ends an overlap at once, and refuses one of a key without a successor', async () => {
    await expect(keys.set(keyId, { overlapSeconds: 0 })).rejects.toThrow('has no successor, and so no overlap')
    await keys.rotate(keyId)

    await keys.set(keyId, { overlapSeconds: 0 })

    expect(await admit()).toBe('invalid')
  })

  it('keys set to the present terms, and unban of a key that is not banned, write nothing', async () => {
    const database = createInterceptingClient(engine, 'UpdateItem', () => Promise.reject(new Error('a write')))
    const reader = createKeyOperator({ name: 'local', database, tables: service.tables })
    const before = await keys.find(keyId)

    expect(await reader.set(keyId, { owner: 'Acme' })).toEqual(before)
    expect(await reader.unban(keyId)).toEqual(before)
  })

  it('keys unban ends a ban, and resets the counts that would make the next one longer', async () => {
    const ban = { bannedUntil: nowSeconds + 3_600, banCount: 3, refusalCount: 9 }
    await service.keyTable.change(await keys.find(keyId), ban)

    await keys.unban(keyId)

    expect(await keys.show(keyId)).toMatchObject({ bannedUntil: 0, banCount: 0, refusalCount: 0 })
  })

  /** Opens the keys for an operator whose first write comes after that of a colleague. */
  const openLateKeys = (meanwhile: () => Promise<unknown>) => {
    let isFirst = true
    const database = createInterceptingClient(engine, 'UpdateItem', async () => {
      if (isFirst) await meanwhile()
      isFirst = false
    })
    return createKeyOperator({ name: 'local', database, tables: service.tables })
  }

  it('a revocation is made whatever another command changes meanwhile', async () => {
    await openLateKeys(() => keys.set(keyId, { owner: 'Umbrella' })).revoke(keyId)

    expect(await keys.show(keyId)).toMatchObject({ state: 'revoked', owner: 'Umbrella' })
    expect(await admit()).toBe('invalid')
  })

  it('a second revocation leaves the key as it is', async () => {
    const revoked = await keys.revoke(keyId)
    service.time.advance(60)

    expect(await keys.revoke(keyId)).toEqual(revoked)
  })

  it('a revocation of all keys revokes also a key that is issued meanwhile', async () => {
    const late = openLateKeys(() => keys.issue({ owner: 'late', plan: 'free', limits: fixedPlans.free }))

    expect(await late.revokeAll()).toBe(2)

    expect((await keys.list()).keys.map(({ state }) => state)).toEqual(['revoked', 'revoked'])
  })

  it('a key that cannot be read is named, can be revoked, and nothing else works on it', async () => {
    await editItem(service.client, service.tables.apiKeys, { keyHash: issued.keyHash }, { plan: 'gold' })
    const sentence = `The API key ${keyId} cannot be read: its item has no valid plan. "revoke ${keyId}" ends it;`
    await expect(keys.rotate(keyId)).rejects.toThrow(sentence)
    await expect(keys.set(keyId, { plan: 'pro' })).rejects.toThrow(sentence)
    await expect(keys.unban(keyId)).rejects.toThrow(sentence)

    await keys.revoke(keyId)

    expect(await admit()).toBe('invalid')
    expect((await keys.list()).malformedKeys).toMatchObject([{ attribute: 'plan', item: { state: 'revoked' } }])
  })

  it('a key without an id is revoked by its hash', async () => {
    const damage = { keyId: undefined, changeId: 7 }
    await editItem(service.client, service.tables.apiKeys, { keyHash: issued.keyHash }, damage)

    await keys.revoke(issued.keyHash)

    expect(await admit()).toBe('invalid')
  })
})
