import { beforeEach, expect, it, vi } from 'vitest'
import {
  KeyAdministration,
  type KeyAdministrationOptions,
} from '../../../../../infra/operations/keys/administration.ts'
import type { KeyOrder } from '../../../../../infra/operations/keys/key.ts'
import { hashApiKey } from '../../../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { createWrappedClient } from '../../../../fixtures/clients.ts'
import { noon } from '../../../../fixtures/clock.ts'
import { interruptCommand } from '../../../../fixtures/commands.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'

const free = { owner: 'Acme', plan: 'free', allowance: fixedPlans.free } as const
const hour = 3_600
const now = noon / 1_000

describeOnEachEngine('the administration of API keys', (engine) => {
  let service: Service
  let keys: Service['keys']
  beforeEach(async () => {
    service = await openService(engine)
    keys = service.keys
  })

  const admit = async (apiKey: string) => (await service.createLimiter().admit(hashApiKey(apiKey))).kind
  const issue = async (order: Partial<KeyOrder> = {}) => (await keys.issue({ ...free, ...order })).record.keyId
  const administered = ({
    database = service.client,
    ...options
  }: KeyAdministrationOptions & { database?: typeof service.client }) =>
    new KeyAdministration(
      { name: 'local', database, tables: service.tables },
      { clock: service.time.clock, ...options },
    )

  it('shows a key before it works, and issues none that could not be shown, or whose write fails', async () => {
    const kinds: string[] = []
    const showing = administered({ show: async ({ apiKey }) => void kinds.push(await admit(apiKey)) })
    const { keyId } = (await showing.issue(free)).record
    await showing.rotate(keyId)
    expect(kinds).toEqual(['invalid', 'invalid'])
    const before = await keys.list()
    const fail = () => Promise.reject(Object.assign(new Error('no'), { name: 'AccessDeniedException' }))
    const database = createWrappedClient(engine, (operation, send) => (operation === 'Scan' ? send() : fail()))
    const sentence = /^The AWS .* allow this: no The API key above was not issued, unless "show key_\w+" finds it\.$/
    for (const [failing, message] of [
      [administered({ show: fail }), /^no$/],
      [administered({ database }), sentence],
    ] as const) {
      await expect(failing.issue(free)).rejects.toThrow(message)
      await expect(failing.rotate(keyId, { again: true })).rejects.toThrow(message)
    }
    expect(await keys.list()).toEqual(before)
  })

  it('rotates a key: its successor works, and the key itself until the overlap is over', async () => {
    const terms = { expiresAt: now + 9 * hour, contact: 'a@example.org', scope: 'read' } as const
    const { apiKey, record } = await keys.issue({ ...free, ...terms })
    const successor = await keys.rotate(record.keyId, { overlapSeconds: hour })
    const { keyId, gatewayKey } = successor.record
    expect(successor.record).toEqual({ ...record, keyId, gatewayKey, predecessor: record.keyId })
    // As API Gateway takes them, each once.
    expect(gatewayKey).toMatch(/^[0-9A-Za-z]{20,128}$/)
    expect(gatewayKey).not.toBe(record.gatewayKey)
    expect(await keys.show(record.keyId)).toEqual({ ...record, overlapEndsAt: now + hour, successor: keyId })
    service.time.advance(hour - 1)
    expect([await admit(apiKey), await admit(successor.apiKey)]).toEqual(['admitted', 'admitted'])
    service.time.advance(1)
    expect([await admit(apiKey), await admit(successor.apiKey)]).toEqual(['invalid', 'admitted'])
  })

  it('rotates a key again on request alone, into one without an end, and keeps the overlap that was promised', async () => {
    const first = await issue()
    const { record } = await keys.rotate(first, { overlapSeconds: 30 * 24 * hour })
    for (const [state, end] of [
      ['active', () => keys.rotate(record.keyId, { overlapSeconds: 0 })],
      ['expired', () => keys.revoke(record.keyId)],
      ['revoked', () => undefined],
    ] as const) {
      await expect(keys.rotate(first)).rejects.toThrow(`${first} has the successor ${record.keyId} (${state}).`)
      await end()
    }
    service.time.advance(1)
    const again = await keys.rotate(first, { again: true })
    expect(await admit(again.apiKey)).toBe('admitted')
    expect([again.record.expiresAt, again.record.overlapEndsAt]).toEqual([undefined, undefined])
    const promised = { overlapEndsAt: now + 30 * 24 * hour, successor: again.record.keyId }
    expect(await keys.show(first)).toMatchObject(promised)
  })

  it('moves a key at once, keeps what it has used, and asks for another API Gateway key where the plan is another', async () => {
    const issued = await keys.issue({ ...free, allowance: { perMinute: 5, perDay: 10 } })
    const { keyId, gatewayKey } = issued.record
    await service.keyTable.change(issued, { meteredFrom: now })
    await admit(issued.apiKey)
    const renewed = await keys.move(keyId, 'free', fixedPlans.free)
    expect(renewed).toMatchObject({ minuteLimit: 60, dayLimit: 1_000, gatewayKey, meteredFrom: now })
    const moved = await keys.move(keyId, 'pro', fixedPlans.pro)
    expect(moved).toMatchObject({ plan: 'pro', minuteLimit: 300, dayLimit: 10_000, dayCount: 1 })
    expect([moved.meteredFrom, moved.gatewayKey === gatewayKey]).toEqual([undefined, false])
  })

  it('revokes all keys of every page, and says how many it has revoked when it is interrupted', async () => {
    // 4 owners of 300,000 characters are more than the megabyte that one page holds.
    for (let index = 0; index < 140; index += 1) {
      await issue({ owner: index < 4 ? 'x'.repeat(300_000) : `${index}` })
      service.time.advance(1)
    }
    const end = vi.fn().mockImplementationOnce(interruptCommand)
    const all = administered({ audit: { recordThenMake: (_line, make) => make().finally(end) } }).revokeAll()
    const message = 'Interrupted. 100 of 140 keys were revoked until then. Run the same command again.'
    await expect(all).rejects.toMatchObject({ exitCode: 130, message })
    const owners = (await keys.list()).filter(({ state }) => state === 'active').map(({ owner }) => owner)
    // In the order in which they were issued.
    expect(owners).toEqual(Array.from({ length: 40 }, (_, index) => `${100 + index}`))
    expect([await keys.revokeAll(), await keys.revokeAll()]).toEqual([40, 0])
  })

  it('refuses to change a key that is revoked, expired, replaced or not there, and to unban one that is not banned', async () => {
    const [revoked, expired, replaced] = [await issue(), await issue({ expiresAt: now }), await issue()]
    const { record } = await keys.rotate(replaced, { overlapSeconds: 0 })
    await keys.revoke(revoked)
    const before = await keys.list()
    for (const change of [
      (keyId: string) => keys.rotate(keyId),
      (keyId: string) => keys.move(keyId, 'pro', fixedPlans.pro),
      (keyId: string) => keys.edit(keyId, { contact: 'x' }),
      (keyId: string) => keys.unban(keyId),
    ]) {
      await expect(change(revoked)).rejects.toThrow(`${revoked} is revoked. Issue a new one.`)
      await expect(change(expired)).rejects.toThrow(`${expired} is expired. Issue a new one.`)
      await expect(change(replaced)).rejects.toThrow(`${replaced} is expired. Its successor is ${record.keyId}.`)
      await expect(change('key_none')).rejects.toThrow('No API key has the id key_none.')
    }
    await expect(keys.unban(record.keyId)).rejects.toThrow('is not banned')
    expect((await keys.revoke(revoked)).state).toBe('revoked')
    expect(await keys.list()).toEqual(before)
  })
})
