import { beforeEach, expect, it } from 'vitest'
import type { IssuedKey } from '../../../../../infra/commands/keys/key.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createKeyOperator } from '../../../../fixtures/commands/key-operator.ts'
import { createInterceptingClient } from '../../../../fixtures/database/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { noDeadline, openService, type Service } from '../../../../fixtures/service/service.ts'

const hourSeconds = 3_600

describeOnEachEngine('issuing keys', (engine) => {
  let service: Service
  let keys: Service['keys']
  let issued: IssuedKey
  let keyId: string

  beforeEach(async () => {
    service = await openService(engine)
    keys = service.keys
    issued = await keys.issue({ owner: 'Acme', contact: 'a@example.org', plan: 'pro', limits: fixedPlans.pro })
    keyId = issued.record.keyId
  })

  const admit = async (apiKey: string) => (await service.createLimiter().decide(hashApiKey(apiKey), noDeadline)).kind

  it('a new key is announced before anything is written', async () => {
    const announced: string[] = []
    const database = createInterceptingClient(engine, 'PutItem', async () => {
      expect(announced).toHaveLength(1)
    })
    const environment = { name: 'local', database, tables: service.tables } as const
    const announcing = createKeyOperator(environment, { announce: (id) => announced.push(id) })

    const { record } = await announcing.issue({ owner: 'Acme', plan: 'free', limits: fixedPlans.free })

    expect(announced).toEqual([record.keyId])
  })

  it('a rotation gives the successor the terms of the replaced key, and another API Gateway key', async () => {
    const { record } = await keys.rotate(keyId)

    const { owner, contact, plan, scope, minuteLimit, dayLimit, idempotencyScope } = issued.record
    expect(record).toMatchObject({ owner, contact, plan, scope, minuteLimit, dayLimit, idempotencyScope })
    expect(record.predecessor).toBe(keyId)
    expect(record.gatewayKey).not.toBe(issued.record.gatewayKey)
  })

  it('a rotation lets both keys work until the overlap ends', async () => {
    const successor = await keys.rotate(keyId, hourSeconds)
    expect([await admit(issued.apiKey), await admit(successor.apiKey)]).toEqual(['admitted', 'admitted'])

    service.time.advance(hourSeconds)

    expect([await admit(issued.apiKey), await admit(successor.apiKey)]).toEqual(['invalid', 'admitted'])
  })

  it('a repeated rotation makes another successor, and keeps the end of the first overlap', async () => {
    const first = await keys.rotate(keyId, hourSeconds)

    const second = await keys.rotate(keyId, 9 * hourSeconds)

    expect(second.earlierSuccessor).toBe(first.record.keyId)
    expect(second.replacedEndsAt).toBe(first.replacedEndsAt)
    expect(await keys.show(keyId)).toMatchObject({
      successor: second.record.keyId,
      overlapEndsAt: service.time.clock() / 1_000 + hourSeconds,
    })
    expect([await admit(first.apiKey), await admit(second.apiKey)]).toEqual(['admitted', 'admitted'])
  })

  it('a rotation that meets another command leaves the key as it is, and says which new key to revoke', async () => {
    let updates = 0
    const database = createInterceptingClient(engine, 'UpdateItem', async () => {
      updates += 1
      // The first write stores the successor.
      if (updates === 2) await keys.set(keyId, { plan: 'business' })
    })

    const { rotate } = createKeyOperator({ name: 'local', database, tables: service.tables })
    const error = await rotate(keyId).catch((thrown: unknown) => thrown)

    const [, successor] = (await keys.list()).keys
    const message = `^Another command has changed.* nobody has seen it: "revoke ${successor?.keyId}".$`
    expect(error).toMatchObject({ message: expect.stringMatching(message), exitCode: 3 })
    expect(await keys.show(keyId)).toMatchObject({ plan: 'business' })
    expect(await keys.show(keyId)).not.toHaveProperty('successor')
  })

  it.each([
    { state: 'revoked', end: () => keys.revoke(keyId), advice: 'is revoked. Issue a new one.' },
    {
      state: 'expired',
      end: () => keys.set(keyId, { expiresAt: service.time.clock() / 1_000 }),
      advice: 'To renew it, "set" its --expires.',
    },
    { state: 'replaced', end: () => keys.rotate(keyId, 0), advice: 'Its successor is key_' },
  ])('keys rotate, set and unban say what to do about a key that is $state', async ({ end, advice }) => {
    await end()

    await expect(keys.rotate(keyId)).rejects.toThrow(advice)
    await expect(keys.set(keyId, { owner: 'x' })).rejects.toThrow(advice)
    await expect(keys.unban(keyId)).rejects.toThrow(advice)
  })
})
