import { beforeEach, expect, it, vi } from 'vitest'
import { keyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import type { KeyOrder } from '../../../../../infra/operations/keys/key.ts'
import type { Recording } from '../../../../../infra/operations/target/audit.ts'
import { hashApiKey, isWellFormed } from '../../../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { noon } from '../../../../fixtures/settable-clock.ts'
import { interruptHere } from '../running-here.ts'

const free = { owner: 'Acme', plan: 'free', allowance: fixedPlans.free } as const
const hour = 3_600
const now = noon / 1_000

describeOnEachEngine('the administration of API keys', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
  })

  const admit = async (apiKey: string) => (await service.limiter().admit(hashApiKey(apiKey))).kind
  const issue = async (order: Partial<KeyOrder> = {}) => (await service.keys.issue({ ...free, ...order })).record.keyId

  it('issues a key that works at once, and asks for an API Gateway key', async () => {
    const { apiKey, record } = await service.keys.issue({ ...free, contact: 'a@example.org', scope: 'read' })
    expect(isWellFormed(apiKey, 'pet_test_')).toBe(true)
    expect(await admit(apiKey)).toBe('admitted')
    const shown = await service.keys.show(record.keyId)
    expect(shown).toMatchObject({
      ...{ owner: 'Acme', contact: 'a@example.org', plan: 'free', scope: 'read', state: 'active', createdAt: now },
      ...{ minuteLimit: 60, dayLimit: 1_000, gatewayKey: expect.stringMatching(/^[0-9A-Za-z]{20,128}$/) },
    })
    expect(shown.meteredFrom).toBeUndefined()
    expect(await service.keys.show(apiKey)).toEqual(shown)
  })

  it('issues a key that is known beforehand once', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    await service.keys.issueKnown(apiKey, { ...free, plan: 'pro', allowance: fixedPlans.pro })
    expect(await service.keys.list()).toEqual([record])
  })

  it('shows a key before it works, and issues none that could not be shown', async () => {
    const kinds: string[] = []
    const { record } = await service.keys.issue(free, async ({ apiKey }) => void kinds.push(await admit(apiKey)))
    expect(kinds).toEqual(['invalid'])
    const show = () => Promise.reject(new Error('EPIPE'))
    await expect(service.keys.issue(free, show)).rejects.toThrow('EPIPE')
    await expect(service.keys.rotate(record.keyId, {}, show)).rejects.toThrow('EPIPE')
    expect(await service.keys.list()).toEqual([record])
  })

  it('rotates a key: its successor works, and the key itself until the overlap is over', async () => {
    const end = { expiresAt: now + 9 * hour }
    const { apiKey, record } = await service.keys.issue({ ...free, ...end, contact: 'a@example.org', scope: 'read' })
    const successor = await service.keys.rotate(record.keyId, { overlapSeconds: hour })
    const { owner, contact, plan, scope, minuteLimit, dayLimit, idempotencyScope } = record
    expect(successor.record).toMatchObject({
      ...{ owner, contact, plan, scope, minuteLimit, dayLimit, idempotencyScope, ...end, predecessor: record.keyId },
    })
    expect(successor.record.overlapEndsAt).toBeUndefined()
    const rotated = { ...end, overlapEndsAt: now + hour, successor: successor.record.keyId }
    expect(await service.keys.show(record.keyId)).toMatchObject(rotated)
    service.time.advance(hour - 1)
    expect([await admit(apiKey), await admit(successor.apiKey)]).toEqual(['admitted', 'admitted'])
    service.time.advance(1)
    expect([await admit(apiKey), await admit(successor.apiKey)]).toEqual(['invalid', 'admitted'])
  })

  it('rotates a key again on request alone, into one without an end, and keeps the overlap that was promised', async () => {
    const first = await issue()
    const { record } = await service.keys.rotate(first, { overlapSeconds: 30 * 24 * hour })
    const refusal = (state: string) => `${first} is being rotated: its successor is ${record.keyId} (${state}).`
    await expect(service.keys.rotate(first)).rejects.toThrow(refusal('active'))
    await service.keys.rotate(record.keyId, { overlapSeconds: 0 })
    await expect(service.keys.rotate(first)).rejects.toThrow(refusal('expired'))
    await service.keys.revoke(record.keyId)
    await expect(service.keys.rotate(first)).rejects.toThrow(refusal('revoked'))
    service.time.advance(1)
    const again = await service.keys.rotate(first, { again: true })
    expect(await admit(again.apiKey)).toBe('admitted')
    expect([again.record.expiresAt, again.record.overlapEndsAt]).toEqual([undefined, undefined])
    const promised = { overlapEndsAt: now + 30 * 24 * hour, successor: again.record.keyId }
    expect(await service.keys.show(first)).toMatchObject(promised)
  })

  it('moves a key at once, keeps what it has used, and asks for another API Gateway key where the plan is another', async () => {
    const issued = await service.keys.issue({ ...free, allowance: { perMinute: 5, perDay: 10 } })
    const { keyId, gatewayKey } = issued.record
    await service.table.change(issued, { meteredFrom: now })
    await admit(issued.apiKey)
    const renewed = await service.keys.move(keyId, 'free', fixedPlans.free)
    expect(renewed).toMatchObject({ minuteLimit: 60, dayLimit: 1_000, gatewayKey, meteredFrom: now })
    const moved = await service.keys.move(keyId, 'pro', fixedPlans.pro)
    expect(moved).toMatchObject({ plan: 'pro', minuteLimit: 300, dayLimit: 10_000, dayCount: 1 })
    expect(moved.meteredFrom).toBeUndefined()
    expect(moved.gatewayKey).not.toBe(gatewayKey)
  })

  it('revokes a key at its next request, once', async () => {
    const issued = await service.keys.issue(free)
    for (const name of [issued.record.keyId, issued.apiKey]) {
      expect((await service.keys.revoke(name)).state).toBe('revoked')
    }
    expect(await admit(issued.apiKey)).toBe('invalid')
    expect(await service.table.change(issued, { owner: 'somebody who read it before' })).toBeUndefined()
  })

  it('revokes all keys, and says how many it has revoked when it is interrupted', async () => {
    await Promise.all(Array.from({ length: 140 }, () => issue()))
    const { table, time } = service
    const end = vi.fn().mockImplementationOnce(interruptHere)
    const recorded: Recording = (_change, make) => make().finally(end)
    const all = keyAdministration({ table, prefix: 'pet_test_', clock: time.clock, recorded }).revokeAll()
    const message = 'Interrupted. 100 of 140 keys were revoked until then. Run the same command again.'
    await expect(all).rejects.toMatchObject({ exitCode: 130, message })
    const left = (await service.keys.list()).filter(({ state }) => state === 'active')
    expect(left).toHaveLength(40)
    expect(await service.keys.revokeAll()).toBe(40)
    expect(new Set((await service.keys.list()).map(({ state }) => state))).toEqual(new Set(['revoked']))
  })

  it.each<[string, (keyId: string) => Promise<unknown>]>([
    ['rotate', (keyId) => service.keys.rotate(keyId)],
    ['move', (keyId) => service.keys.move(keyId, 'pro', fixedPlans.pro)],
    ['edit', (keyId) => service.keys.edit(keyId, { contact: 'x' })],
    ['unban', (keyId) => service.keys.unban(keyId)],
  ])('refuses to %s a key that is revoked, expired, replaced or not there', async (_name, change) => {
    const [revoked, expired, replaced] = [await issue(), await issue({ expiresAt: now }), await issue()]
    const { record } = await service.keys.rotate(replaced, { overlapSeconds: 0 })
    await service.keys.revoke(revoked)
    const before = await service.keys.list()
    await expect(change(revoked)).rejects.toThrow(`${revoked} is revoked. Issue a new one.`)
    await expect(change(expired)).rejects.toThrow(`${expired} is expired. Issue a new one.`)
    await expect(change(replaced)).rejects.toThrow(`${replaced} is expired. Its successor is ${record.keyId}.`)
    await expect(change('key_none')).rejects.toThrow('No API key has the id key_none.')
    expect(await service.keys.list()).toEqual(before)
  })

  it('refuses to unban a key that is not banned', async () => {
    await expect(service.keys.unban(await issue())).rejects.toThrow('is not banned')
  })

  it('lists the keys of every page of the table, in the order in which they were issued', async () => {
    // 4 owners of 300,000 characters are more than the megabyte that one page holds.
    const issued: KeyId[] = []
    for (let count = 0; count < 4; count += 1) {
      issued.push(await issue({ owner: 'x'.repeat(300_000) }))
      service.time.advance(1)
    }
    expect((await service.keys.list()).map(({ keyId }) => keyId)).toEqual(issued)
  })

  it.each(['issue', 'rotate'] as const)(
    'says that a key was not issued where the write of %s fails',
    async (command) => {
      const keyId = await issue()
      const fail = () => Promise.reject(Object.assign(new Error('no'), { name: 'AccessDeniedException' }))
      service.table.add = fail
      service.table.replace = fail
      const written = command === 'issue' ? service.keys.issue(free) : service.keys.rotate(keyId)
      await expect(written).rejects.toThrow(
        /do not allow this: no The API key above was not issued, unless "show key_\w+" finds it\.$/,
      )
    },
  )
})
