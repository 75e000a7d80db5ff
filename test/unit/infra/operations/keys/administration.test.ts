import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { KeyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import { issueSeconds } from '../../../../../infra/operations/keys/issuing.ts'
import { KeyTable } from '../../../../../infra/operations/keys/key-table.ts'
import { hashApiKey, isWellFormed } from '../../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { interceptingClient } from '../../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { noon } from '../../../../fixtures/settable-clock.ts'

const free = { owner: 'Acme', plan: 'free', allowance: fixedPlans.free } as const

describeOnEachEngine('the administration of API keys', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
  })

  const admit = async (apiKey: string) => (await service.limiter().admit(hashApiKey(apiKey))).kind

  it('issues a key that works at once, and tells the edge its plan', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    expect(isWellFormed(apiKey, 'pet_test_')).toBe(true)
    expect(await admit(apiKey)).toBe('admitted')
    expect([...service.edge.plans]).toEqual([[hashApiKey(apiKey), 'free']])
    expect(await service.keys.show(record.keyId)).toMatchObject({
      owner: 'Acme',
      plan: 'free',
      state: 'active',
      createdAt: noon / 1_000,
      minuteLimit: 60,
      dayLimit: 1_000,
    })
  })

  it('stores nothing by which the key could be known', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    const { Items } = await service.client.send(new ScanCommand({ TableName: service.tables.apiKeys }))
    const stored = JSON.stringify(Items)
    expect(stored).toContain(record.keyId)
    expect(stored).not.toContain(apiKey.slice('pet_test_'.length, -6))
  })

  it('issues a key that is known beforehand once', async () => {
    const { apiKey } = await service.keys.issue(free)
    expect(await service.keys.issueKey(apiKey, { ...free, plan: 'pro', allowance: fixedPlans.pro })).toBeUndefined()
    expect([...service.edge.plans.values()]).toEqual(['free'])
  })

  it('rotates a key: its successor works, and the key itself until the overlap is over', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    const successor = await service.keys.rotate(record.keyId, 3_600)
    expect(successor.record).toMatchObject({ owner: 'Acme', plan: 'free', minuteLimit: 60, dayLimit: 1_000 })
    expect(successor.record.keyId).not.toBe(record.keyId)
    service.time.advance(3_599)
    expect([await admit(apiKey), await admit(successor.apiKey)]).toEqual(['admitted', 'admitted'])
    service.time.advance(1)
    expect([await admit(apiKey), await admit(successor.apiKey)]).toEqual(['invalid', 'admitted'])
  })

  it('gives all successors of a key its idempotency scope, and no other key', async () => {
    const { record } = await service.keys.issue(free)
    const successor = await service.keys.rotate(record.keyId, 60)
    const second = await service.keys.rotate(successor.record.keyId, 60)
    const scopes = [successor, second].map((issued) => issued.record.idempotencyScope)
    expect(scopes).toEqual([record.idempotencyScope, record.idempotencyScope])
    expect((await service.keys.issue(free)).record.idempotencyScope).not.toBe(record.idempotencyScope)
  })

  it('takes the id of a key without an idempotency scope for it, and hands that on', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    const withoutScope = new UpdateCommand({
      TableName: service.tables.apiKeys,
      Key: { keyHash: hashApiKey(apiKey) },
      UpdateExpression: 'REMOVE idempotencyScope',
    })
    await service.client.send(withoutScope)
    expect((await service.keys.show(record.keyId)).idempotencyScope).toBe(record.keyId)
    expect((await service.keys.rotate(record.keyId, 60)).record.idempotencyScope).toBe(record.keyId)
  })

  it('never lets a key work longer by rotating it again', async () => {
    const { record } = await service.keys.issue(free)
    await service.keys.rotate(record.keyId, 60)
    await service.keys.rotate(record.keyId, 3_600)
    expect((await service.keys.show(record.keyId)).expiresAt).toBe(noon / 1_000 + 60)
  })

  it('moves a key to another plan, at the edge too, and keeps what it has used', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    await admit(apiKey)
    expect(await service.keys.move(record.keyId, 'pro', fixedPlans.pro)).toMatchObject({
      plan: 'pro',
      minuteLimit: 300,
      dayLimit: 10_000,
      dayCount: 1,
    })
    expect(service.edge.plans.get(hashApiKey(apiKey))).toBe('pro')
  })

  it('revokes a key at once, and takes it from the edge', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    expect((await service.keys.revoke(record.keyId)).state).toBe('revoked')
    expect(await admit(apiKey)).toBe('invalid')
    expect(service.edge.plans.size).toBe(0)
  })

  it('refuses to rotate or move a revoked key', async () => {
    const { record } = await service.keys.issue(free)
    await service.keys.revoke(record.keyId)
    await expect(service.keys.rotate(record.keyId, 60)).rejects.toThrow(`${record.keyId} is revoked`)
    await expect(service.keys.move(record.keyId, 'pro', fixedPlans.pro)).rejects.toThrow(`${record.keyId} is revoked`)
    expect(await service.keys.list()).toHaveLength(1)
  })

  it('refuses to rotate or move a key whose overlap is over', async () => {
    const { record } = await service.keys.issue(free)
    await service.keys.rotate(record.keyId, 0)
    await expect(service.keys.rotate(record.keyId, 60)).rejects.toThrow(`${record.keyId} is expired`)
    await expect(service.keys.move(record.keyId, 'pro', fixedPlans.pro)).rejects.toThrow(`${record.keyId} is expired`)
    expect(await service.keys.list()).toHaveLength(2)
  })

  it('says which id names no key', async () => {
    const { keys } = service
    for (const act of [
      () => keys.show('key_none'),
      () => keys.revoke('key_none'),
      () => keys.unban('key_none'),
      () => keys.rotate('key_none', 60),
      () => keys.move('key_none', 'pro', fixedPlans.pro),
    ]) {
      await expect(act()).rejects.toThrow('No API key has the id key_none.')
    }
  })

  it('lists all keys in the order in which they were issued', async () => {
    const issued: string[] = []
    for (let count = 0; count < 5; count += 1) {
      issued.push((await service.keys.issue({ ...free, owner: `Owner ${count}` })).record.keyId)
      service.time.advance(1)
    }
    const listed = await service.keys.list()
    expect(listed.map(({ keyId, owner }) => [keyId, owner])).toEqual(issued.map((id, count) => [id, `Owner ${count}`]))
  })

  it('lists the keys of every page of the index', async () => {
    // 100 owners of 20,000 characters are more than the megabyte that one page of an answer holds.
    const owner = 'x'.repeat(20_000)
    await Promise.all(Array.from({ length: 100 }, () => service.keys.issue({ ...free, owner })))
    expect(new Set((await service.keys.list()).map(({ keyId }) => keyId)).size).toBe(100)
  })

  it('leaves no usable key where the edge fails while one is issued', async () => {
    service.edge.isFailing = true
    await expect(service.keys.issue(free)).rejects.toThrow('API Gateway is away.')
    expect(await service.keys.list()).toEqual([])
  })

  it('leaves no usable key where the table fails after the edge knew it', async () => {
    const client = interceptingClient(engine, 'PutItem', async () => {
      throw new Error('DynamoDB is away.')
    })
    const table = new KeyTable(client, service.tables.apiKeys)
    const keys = new KeyAdministration(table, service.edge, 'pet_test_', service.time.clock)
    await expect(keys.issue(free)).rejects.toThrow('DynamoDB is away.')
    expect(service.edge.told).toHaveLength(1)
    for (const keyHash of service.edge.told) expect(await service.limiter().admit(keyHash)).toEqual({ kind: 'invalid' })
    expect(await service.keys.list()).toEqual([])
  })

  it('leaves no successor where the table fails while a key is rotated', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    let failures = 0
    const client = interceptingClient(engine, 'UpdateItem', async () => {
      failures += 1
      if (failures === 1) throw new Error('DynamoDB is away.')
    })
    const table = new KeyTable(client, service.tables.apiKeys)
    const keys = new KeyAdministration(table, service.edge, 'pet_test_', service.time.clock)
    await expect(keys.rotate(record.keyId, 60)).rejects.toThrow('DynamoDB is away.')
    expect(await admit(apiKey)).toBe('admitted')
    expect((await service.keys.list()).map(({ state }) => state).toSorted()).toEqual(['active', 'revoked'])
    expect(service.edge.plans.size).toBe(1)
  })

  it('revokes a key though the edge fails, and can be repeated', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    service.edge.isFailing = true
    await expect(service.keys.revoke(record.keyId)).rejects.toThrow('API Gateway is away.')
    expect(await admit(apiKey)).toBe('invalid')
    service.edge.isFailing = false
    await service.keys.revoke(record.keyId)
    expect(service.edge.plans.size).toBe(0)
  })

  it('moves a key at the edge by repeating a move for which the edge failed', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    service.edge.isFailing = true
    await expect(service.keys.move(record.keyId, 'pro', fixedPlans.pro)).rejects.toThrow('API Gateway is away.')
    expect(service.edge.plans.get(hashApiKey(apiKey))).toBe('free')
    service.edge.isFailing = false
    await service.keys.move(record.keyId, 'pro', fixedPlans.pro)
    expect(service.edge.plans.get(hashApiKey(apiKey))).toBe('pro')
    expect(await service.keys.show(record.keyId)).toMatchObject({ plan: 'pro', minuteLimit: 300 })
  })

  it('issues no key that could not be shown', async () => {
    const show = async () => {
      throw new Error('EPIPE')
    }
    await expect(service.keys.issue(free, show)).rejects.toThrow('EPIPE')
    expect((await service.keys.list()).map(({ state }) => state)).toEqual(['revoked'])
    expect(service.edge.plans.size).toBe(0)
  })

  it('rotates no key whose successor could not be shown', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    const show = async () => {
      throw new Error('EPIPE')
    }
    await expect(service.keys.rotate(record.keyId, 0, show)).rejects.toThrow('EPIPE')
    expect(await service.keys.show(record.keyId)).toMatchObject({ state: 'active', expiresAt: undefined })
    expect([...service.edge.plans.keys()]).toEqual([hashApiKey(apiKey)])
  })

  it('lets a key end as early as one of two rotations at once says', async () => {
    const { record } = await service.keys.issue(free)
    await Promise.all([service.keys.rotate(record.keyId, 3_600), service.keys.rotate(record.keyId, 60)])
    expect((await service.keys.show(record.keyId)).expiresAt).toBe(noon / 1_000 + 60)
  })

  it('does not issue a key when showing it took longer than a check waits', async () => {
    const show = async () => service.time.advance(issueSeconds)
    await expect(service.keys.issue(free, show)).rejects.toThrow('was not issued')
    expect((await service.keys.list()).map(({ state }) => state)).toEqual(['revoked'])
  })
})
