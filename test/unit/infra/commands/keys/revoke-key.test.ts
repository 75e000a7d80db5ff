import { beforeEach, expect, it } from 'vitest'
import type { IssuedKey } from '../../../../../infra/commands/keys/key.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createKeyOperator } from '../../../../fixtures/commands/key-operator.ts'
import { createInterceptingClient } from '../../../../fixtures/database/clients.ts'
import { editItem } from '../../../../fixtures/database/edit-item.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { noDeadline, openService, type Service } from '../../../../fixtures/service/service.ts'

describeOnEachEngine('revoking keys', (engine) => {
  let service: Service
  let keys: Service['keys']
  let issued: IssuedKey
  let keyId: string

  beforeEach(async () => {
    service = await openService(engine)
    keys = service.keys
    issued = await keys.issue({ owner: 'Acme', plan: 'pro', limits: fixedPlans.pro })
    keyId = issued.record.keyId
  })

  const admit = async () => (await service.createLimiter().decide(hashApiKey(issued.apiKey), noDeadline)).kind

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
