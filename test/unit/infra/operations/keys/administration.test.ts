import { UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { hashApiKey, isWellFormed } from '../../../../../shared/api-keys/api-key.ts'
import type { ApiKeyRecord } from '../../../../../shared/api-keys/api-key-record.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { noon } from '../../../../fixtures/settable-clock.ts'

const free = { owner: 'Acme', plan: 'free', allowance: fixedPlans.free } as const
const hour = 3_600
const now = noon / 1_000

describeOnEachEngine('the administration of API keys', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
  })

  const admit = async (apiKey: string) => (await service.limiter().admit(hashApiKey(apiKey))).kind
  const plansOf = (keyId: string) => [...service.edge.keys.values()].filter((key) => key.keyId === keyId)

  it('issues a key that works at once, and is metered on an API Gateway key of its own an hour later', async () => {
    const { apiKey, record } = await service.keys.issue({ ...free, contact: 'a@example.org', scope: 'read' })
    expect(isWellFormed(apiKey, 'pet_test_')).toBe(true)
    expect(await admit(apiKey)).toBe('admitted')
    const limits = { minuteLimit: free.allowance.perMinute, dayLimit: free.allowance.perDay }
    expect(await service.keys.show(record.keyId)).toMatchObject({
      ...{ owner: 'Acme', contact: 'a@example.org', plan: 'free', scope: 'read', state: 'active', ...limits },
      ...{ createdAt: now, meteredFrom: now + hour, unfinished: undefined },
    })
    expect(record.gatewayKey).toMatch(/^[0-9A-Za-z]{20,128}$/)
    expect(plansOf(record.keyId)).toMatchObject([{ value: record.gatewayKey, plans: ['free'] }])
  })

  it('shows a key, by which it works, before API Gateway has a key for it', async () => {
    service.edge.isFailing = true
    const shown: string[] = []
    const issued = service.keys.issue(free, async ({ apiKey }) => void shown.push(apiKey))
    await expect(issued).rejects.toThrow('API Gateway is unavailable.')
    expect(await admit(shown[0] ?? '')).toBe('admitted')
    expect(await service.keys.unfinished()).toMatchObject([{ unfinished: 'placing', meteredFrom: undefined }])
  })

  it('issues a key that is known beforehand once', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    expect(await service.keys.issueKey(apiKey, { ...free, plan: 'pro', allowance: fixedPlans.pro })).toBeUndefined()
    expect(await service.keys.list()).toEqual([record])
  })

  it('rotates a key: its successor works, and the key itself until the overlap is over', async () => {
    const order = { ...free, contact: 'a@example.org', scope: 'read', expiresAt: now + 9 * hour } as const
    const { apiKey, record } = await service.keys.issue(order)
    const successor = await service.keys.rotate(record.keyId, hour)
    expect(successor.record).toMatchObject({
      ...{ owner: 'Acme', contact: 'a@example.org', plan: 'free', scope: 'read' },
      ...{ minuteLimit: record.minuteLimit, dayLimit: record.dayLimit },
      ...{ expiresAt: now + 9 * hour, predecessor: record.keyId, overlapSeconds: undefined },
    })
    expect(await service.keys.show(record.keyId)).toMatchObject({
      ...{ expiresAt: now + hour, successor: successor.record.keyId },
    })
    service.time.advance(hour - 1)
    expect([await admit(apiKey), await admit(successor.apiKey)]).toEqual(['admitted', 'admitted'])
    service.time.advance(1)
    expect([await admit(apiKey), await admit(successor.apiKey)]).toEqual(['invalid', 'admitted'])
  })

  it('rotates a key that is being rotated only on request, does not extend its overlap, and keeps its idempotency scope', async () => {
    const { record } = await service.keys.issue(free)
    const { keyId, idempotencyScope } = record
    const successor = await service.keys.rotate(keyId, 60)
    await expect(service.keys.rotate(keyId, hour)).rejects.toThrow(
      `${keyId} is being rotated: its successor is ${successor.record.keyId}`,
    )
    const again = await service.keys.rotate(keyId, hour, undefined, true)
    expect(again.record.expiresAt).toBeUndefined()
    expect(await service.keys.show(keyId)).toMatchObject({ expiresAt: now + 60, successor: again.record.keyId })
    const second = await service.keys.rotate(again.record.keyId, 60)
    for (const issued of [successor, again, second]) expect(issued.record).toMatchObject({ idempotencyScope })
    expect((await service.keys.issue(free)).record.idempotencyScope).not.toBe(idempotencyScope)
  })

  it('reads a record of before scopes as that of a key that may read and write, with an idempotency scope', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    const older = new UpdateCommand({
      TableName: service.tables.apiKeys,
      Key: { keyHash: hashApiKey(apiKey) },
      UpdateExpression: 'REMOVE idempotencyScope, #scope, gatewayKey, meteredFrom',
      ExpressionAttributeNames: { '#scope': 'scope' },
    })
    await service.client.send(older)
    const expected = { idempotencyScope: record.keyId, scope: 'read-write' }
    expect(await service.keys.show(record.keyId)).toMatchObject(expected)
    expect((await service.keys.rotate(record.keyId, 60)).record).toMatchObject(expected)
  })

  it('moves a key to another plan and API Gateway key, and keeps the former while requests may be metered on it', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    service.time.advance(hour)
    await admit(apiKey)
    const pauses: number[] = []
    const keys = service.administration(async (milliseconds) => {
      expect(plansOf(record.keyId)).toHaveLength(2)
      pauses.push(milliseconds)
    })
    const moved = await keys.move(record.keyId, 'pro', fixedPlans.pro)
    expect(moved).toMatchObject({ plan: 'pro', minuteLimit: 300, dayLimit: 10_000, dayCount: 1 })
    expect(pauses).toEqual([10_000])
    expect(moved.gatewayKey).not.toBe(record.gatewayKey)
    expect(plansOf(record.keyId)).toMatchObject([{ value: moved.gatewayKey, plans: ['pro'] }])
  })

  it('edits owner and contact; another owner gets another API Gateway key, whose tags name it', async () => {
    const { record } = await service.keys.issue(free)
    const edited = await service.keys.edit(record.keyId, { contact: 'b@example.org' })
    expect(edited).toMatchObject({ owner: 'Acme', contact: 'b@example.org', gatewayKey: record.gatewayKey })
    const renamed = await service.keys.edit(record.keyId, { owner: 'Umbrella' })
    expect(renamed).toMatchObject({ owner: 'Umbrella', contact: 'b@example.org' })
    expect(plansOf(record.keyId)).toMatchObject([{ value: renamed.gatewayKey }])
    expect(renamed.gatewayKey).not.toBe(record.gatewayKey)
  })

  it('revokes all keys before it deletes the first API Gateway key', async () => {
    for (let issued = 0; issued < 5; issued += 1) await service.keys.issue(free)
    const states = async () => new Set((await service.keys.list()).map(({ state }) => state))
    let seen: Promise<ReadonlySet<string>> | undefined
    const revoked = await service.keys.revokeAll(() => {
      seen ??= states()
    })
    expect([revoked, await seen, service.edge.keys.size]).toEqual([5, new Set(['revoked']), 0])
    expect(await service.keys.unfinished()).toEqual([])
  })

  const changes: readonly [string, (keyId: string) => Promise<unknown>][] = [
    ['rotate', (keyId) => service.keys.rotate(keyId, 60)],
    ['move', (keyId) => service.keys.move(keyId, 'pro', fixedPlans.pro)],
    ['edit', (keyId) => service.keys.edit(keyId, { contact: 'x' })],
    ['unban', (keyId) => service.keys.unban(keyId)],
  ]

  it.each(changes)('refuses to %s a key that is revoked, expired or not there', async (_name, change) => {
    const revoked = (await service.keys.issue(free)).record.keyId
    const expired = (await service.keys.issue({ ...free, expiresAt: now })).record.keyId
    await service.keys.revoke(revoked)
    const before: ApiKeyRecord[] = await service.keys.list()
    await expect(change(revoked)).rejects.toThrow(`${revoked} is revoked`)
    await expect(change(expired)).rejects.toThrow(`${expired} is expired`)
    await expect(change('key_none')).rejects.toThrow('No API key has the id key_none.')
    expect(await service.keys.list()).toEqual(before)
  })

  it('refuses a move that changes nothing, and to unban a key that is not banned', async () => {
    const { keyId } = (await service.keys.issue(free)).record
    await expect(service.keys.move(keyId, 'free', fixedPlans.free)).rejects.toThrow('already')
    await expect(service.keys.unban(keyId)).rejects.toThrow('is not banned')
  })

  it('lists the keys of every page of the table, in the order in which they were issued', async () => {
    // 4 owners of 300,000 characters are more than the megabyte that one page holds.
    const issued: string[] = []
    for (let count = 0; count < 4; count += 1) {
      issued.push((await service.keys.issue({ ...free, owner: 'x'.repeat(300_000) })).record.keyId)
      service.time.advance(1)
    }
    expect((await service.keys.list()).map(({ keyId }) => keyId)).toEqual(issued)
  })

  it('revokes a key at once though API Gateway fails, and deletes its API Gateway key when repeated', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    service.edge.isFailing = true
    await expect(service.keys.revoke(record.keyId)).rejects.toThrow('API Gateway is unavailable.')
    expect(await admit(apiKey)).toBe('invalid')
    service.edge.isFailing = false
    expect(await service.keys.revoke(record.keyId)).toMatchObject({ state: 'revoked', gatewayKey: undefined })
    expect(service.edge.keys.size).toBe(0)
  })

  it('neither issues nor rotates a key that could not be shown', async () => {
    const show = async () => {
      throw new Error('EPIPE')
    }
    const { record } = await service.keys.issue(free)
    await expect(service.keys.issue(free, show)).rejects.toThrow('EPIPE')
    await expect(service.keys.rotate(record.keyId, 0, show)).rejects.toThrow('EPIPE')
    expect((await service.keys.list()).map(({ state }) => state).toSorted()).toEqual(['active', 'revoked', 'revoked'])
    expect(await service.keys.show(record.keyId)).toEqual(record)
    expect(await service.keys.unfinished()).toEqual([])
  })

  it('ends a key at the earlier end of two concurrent rotations', async () => {
    const { record } = await service.keys.issue(free)
    // One of them may see the other's successor already.
    const rotate = (overlapSeconds: number) => service.keys.rotate(record.keyId, overlapSeconds, undefined, true)
    await Promise.all([rotate(hour), rotate(60)])
    expect((await service.keys.show(record.keyId)).expiresAt).toBe(now + 60)
  })
})
