import { beforeEach, describe, expect, it } from 'vitest'
import { UserError } from '../../../../../infra/command-line/user-error.ts'
import { KeyAdministration } from '../../../../../infra/operations/keys/administration.ts'
import { hashApiKey, isWellFormed } from '../../../../../shared/api-keys/api-key.ts'
import type { KeyId } from '../../../../../shared/api-keys/api-key-record.ts'
import { KeyTable } from '../../../../../shared/api-keys/key-table.ts'
import { fixedPlans } from '../../../../../shared/api-keys/plans.ts'
import { clientOf, describeOnEachEngine, type RunningEngine } from '../../../../fixtures/engines.ts'
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
  const issue = async (order: Partial<Parameters<KeyAdministration['issue']>[0]> = {}) =>
    (await service.keys.issue({ ...free, ...order })).record.keyId

  it('issues a key that works at once, and asks for an API Gateway key', async () => {
    const { apiKey, record } = await service.keys.issue({ ...free, contact: 'a@example.org', scope: 'read' })
    expect(isWellFormed(apiKey, 'pet_test_')).toBe(true)
    expect(await admit(apiKey)).toBe('admitted')
    const limits = { minuteLimit: free.allowance.perMinute, dayLimit: free.allowance.perDay }
    expect(await service.keys.show(record.keyId)).toMatchObject({
      ...{ owner: 'Acme', contact: 'a@example.org', plan: 'free', scope: 'read', state: 'active', ...limits },
      ...{ createdAt: now, gatewayKey: expect.stringMatching(/^[0-9A-Za-z]{20,128}$/), meteredFrom: undefined },
    })
    expect(await service.keys.show(apiKey)).toMatchObject({ keyId: record.keyId })
  })

  it('issues a key that is known beforehand once', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    await service.keys.issueKnown(apiKey, { ...free, plan: 'pro', allowance: fixedPlans.pro })
    expect(await service.keys.list()).toEqual([record])
  })

  it('shows a key before it works, and issues none that could not be shown', async () => {
    const kinds: string[] = []
    await service.keys.issue(free, async ({ apiKey }) => void kinds.push(await admit(apiKey)))
    expect(kinds).toEqual(['invalid'])
    const before = await service.keys.list()
    const show = async () => Promise.reject(new Error('EPIPE'))
    await expect(service.keys.issue(free, show)).rejects.toThrow('EPIPE')
    await expect(service.keys.rotate(before[0]?.keyId ?? '', {}, show)).rejects.toThrow('EPIPE')
    expect(await service.keys.list()).toEqual(before)
  })

  it('rotates a key: its successor works, and the key itself until the overlap is over', async () => {
    const order = { ...free, contact: 'a@example.org', scope: 'read', expiresAt: now + 9 * hour } as const
    const { apiKey, record } = await service.keys.issue(order)
    const successor = await service.keys.rotate(record.keyId, { overlapSeconds: hour })
    const { minuteLimit, dayLimit, idempotencyScope } = record
    expect(await service.keys.show(successor.apiKey)).toMatchObject({
      ...{
        owner: 'Acme',
        contact: 'a@example.org',
        plan: 'free',
        scope: 'read',
        minuteLimit,
        dayLimit,
        idempotencyScope,
      },
      ...{ expiresAt: now + 9 * hour, overlapEndsAt: undefined, predecessor: record.keyId },
    })
    expect(await service.keys.show(record.keyId)).toMatchObject({
      ...{ expiresAt: now + 9 * hour, overlapEndsAt: now + hour, successor: successor.record.keyId },
    })
    service.time.advance(hour - 1)
    expect([await admit(apiKey), await admit(successor.apiKey)]).toEqual(['admitted', 'admitted'])
    service.time.advance(1)
    expect([await admit(apiKey), await admit(successor.apiKey)]).toEqual(['invalid', 'admitted'])
  })

  describe('rotates again', () => {
    it('a key whose successor was itself rotated, into one that does not end with that overlap', async () => {
      const first = await issue()
      const { record } = await service.keys.rotate(first)
      await service.keys.rotate(record.keyId, { overlapSeconds: 60 })
      const again = await service.keys.rotate(first, { again: true })
      expect(again.record).toMatchObject({ expiresAt: undefined, overlapEndsAt: undefined })
    })

    it('a key whose successor has ended, into one that works', async () => {
      const first = await issue()
      const { record } = await service.keys.rotate(first)
      await service.keys.rotate(record.keyId, { overlapSeconds: 0 })
      service.time.advance(1)
      const { apiKey } = await service.keys.rotate(first, { again: true })
      expect(await admit(apiKey)).toBe('admitted')
    })

    it('without shortening the overlap that was promised, and takes no other', async () => {
      const keyId = await issue()
      await service.keys.rotate(keyId, { overlapSeconds: 30 * 24 * hour })
      const { record } = await service.keys.rotate(keyId, { again: true })
      expect(await service.keys.show(keyId)).toMatchObject({
        ...{ overlapEndsAt: now + 30 * 24 * hour, successor: record.keyId },
      })
      const other = service.keys.rotate(keyId, { again: true, overlapSeconds: hour })
      await expect(other).rejects.toThrow('leave out --overlap-hours')
    })

    it('only on request, which names the successor and its state', async () => {
      const keyId = await issue()
      const { record } = await service.keys.rotate(keyId)
      const rotated = `${keyId} is being rotated: its successor is ${record.keyId}`
      await expect(service.keys.rotate(keyId)).rejects.toThrow(`${rotated} (active).`)
      await service.keys.rotate(record.keyId, { overlapSeconds: 0 })
      await expect(service.keys.rotate(keyId)).rejects.toThrow(`${rotated} (expired).`)
      await service.keys.revoke(record.keyId)
      await expect(service.keys.rotate(keyId)).rejects.toThrow(`${rotated} (revoked).`)
    })
  })

  it('advises to use the last successor of a key that has ended, unless that has ended too', async () => {
    const first = await issue()
    const second = (await service.keys.rotate(first, { overlapSeconds: 0 })).record.keyId
    const third = (await service.keys.rotate(second, { overlapSeconds: 0 })).record.keyId
    service.time.advance(1)
    await expect(service.keys.rotate(first)).rejects.toThrow(`${first} is expired. Use its successor, ${third}.`)
    await service.keys.revoke(third)
    await expect(service.keys.rotate(first)).rejects.toThrow(`${first} is expired. Issue a new one.`)
  })

  it('moves a key at once, keeps what it has used, and asks for another API Gateway key', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    await service.table.change(hashApiKey(apiKey), { meteredFrom: now })
    await admit(apiKey)
    const moved = await service.keys.move(record.keyId, 'pro', fixedPlans.pro)
    expect(moved).toMatchObject({
      plan: 'pro',
      minuteLimit: 300,
      dayLimit: 10_000,
      dayCount: 1,
      meteredFrom: undefined,
    })
    expect(moved.gatewayKey).not.toBe(record.gatewayKey)
  })

  it('refuses one of two operators who rotate a key at once, whose key was not issued', async () => {
    const keyId = await issue()
    const outcomes = await Promise.allSettled([service.keys.rotate(keyId), service.keys.rotate(keyId)])
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [String(outcome.reason)] : []))
    expect(refused).toEqual([expect.stringMatching(/is being rotated|The API key above was not issued\.$/)])
    expect(await service.keys.list()).toHaveLength(2)
  })

  it('shows each of two operators who move a key at once the own plan, or refuses', async () => {
    const keyId = await issue()
    const moves = (['pro', 'business'] as const).map(async (plan) => ({
      plan,
      record: await service.keys.move(keyId, plan, fixedPlans[plan]),
    }))
    for (const outcome of await Promise.allSettled(moves)) {
      if (outcome.status === 'fulfilled') expect(outcome.value.record.plan).toBe(outcome.value.plan)
      else expect(String(outcome.reason)).toContain('Another command has changed')
    }
  })

  it('renews the limits of a key without another API Gateway key', async () => {
    const { record } = await service.keys.issue({ ...free, allowance: { perMinute: 5, perDay: 10 } })
    expect(await service.keys.move(record.keyId, 'free', fixedPlans.free)).toMatchObject({
      ...{ minuteLimit: 60, dayLimit: 1_000, gatewayKey: record.gatewayKey },
    })
  })

  it('edits owner and contact, and clears a contact', async () => {
    const keyId = await issue({ contact: 'a@example.org' })
    expect(await service.keys.edit(keyId, { owner: 'Umbrella' })).toMatchObject({
      ...{ owner: 'Umbrella', contact: 'a@example.org' },
    })
    expect(await service.keys.edit(keyId, { contact: undefined })).toMatchObject({ contact: undefined })
  })

  it('revokes a key at its next request, once', async () => {
    const { apiKey, record } = await service.keys.issue(free)
    expect(await service.keys.revoke(record.keyId)).toMatchObject({ state: 'revoked' })
    expect(await admit(apiKey)).toBe('invalid')
    expect(await service.keys.revoke(apiKey)).toMatchObject({ state: 'revoked' })
  })

  it('revokes all keys, and says how many it has revoked when it is interrupted', async () => {
    for (let issued = 0; issued < 40; issued += 1) await issue()
    const interrupted = new AbortController()
    const all = service.keys.revokeAll(interrupted.signal, () => interrupted.abort())
    await expect(all).rejects.toThrow(
      /^Interrupted: \d+ of 40 keys were revoked until then\. Run the same command again\.$/,
    )
    await expect(all).rejects.toMatchObject({ exitCode: 130 })
    const left = (await service.keys.list()).filter(({ state }) => state === 'active')
    expect(left.length).toBeGreaterThan(0)
    expect(await service.keys.revokeAll(new AbortController().signal, () => undefined)).toBe(left.length)
    expect(new Set((await service.keys.list()).map(({ state }) => state))).toEqual(new Set(['revoked']))
  })

  it.each<[string, (keyId: string) => Promise<unknown>]>([
    ['rotate', (keyId) => service.keys.rotate(keyId)],
    ['move', (keyId) => service.keys.move(keyId, 'pro', fixedPlans.pro)],
    ['edit', (keyId) => service.keys.edit(keyId, { contact: 'x' })],
    ['unban', (keyId) => service.keys.unban(keyId)],
  ])('refuses to %s a key that is revoked, expired or not there', async (_name, change) => {
    const [revoked, expired] = [await issue(), await issue({ expiresAt: now })]
    await service.keys.revoke(revoked)
    const before = await service.keys.list()
    await expect(change(revoked)).rejects.toThrow(`${revoked} is revoked. Issue a new one.`)
    await expect(change(expired)).rejects.toThrow(`${expired} is expired. Issue a new one.`)
    await expect(change('key_none')).rejects.toThrow('No API key has the id key_none.')
    expect(await service.keys.list()).toEqual(before)
  })

  it('refuses a move that changes nothing, and to unban a key that is not banned', async () => {
    const keyId = await issue()
    await expect(service.keys.move(keyId, 'free', fixedPlans.free)).rejects.toThrow('already')
    await expect(service.keys.unban(keyId)).rejects.toThrow('is not banned')
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

  /** An administration whose write, once it is sent, ends in this way. */
  const withWrite = (ending: (write: () => Promise<unknown>) => Promise<unknown>) => {
    const { client, plain } = clientOf(engine as RunningEngine)
    plain.middlewareStack.add(
      (next, context) => async (given) => {
        if (!/Put|Transact/.test(String(context['commandName']))) return next(given)
        return (await ending(() => next(given))) as ReturnType<typeof next>
      },
      { step: 'initialize', name: 'endWrites' },
    )
    return new KeyAdministration({
      ...{ prefix: 'pet_test_', clock: service.time.clock },
      table: new KeyTable(client, service.tables.apiKeys),
    })
  }

  it.each(['issue', 'rotate'] as const)(
    'says that a key was not issued where AWS refuses the write of %s, and advises nothing else',
    async (command) => {
      const keyId = await issue()
      const refused = Object.assign(new Error('no'), { name: 'AccessDeniedException', $fault: 'client' })
      const keys = withWrite(async () => Promise.reject(refused))
      const error = await (command === 'issue' ? keys.issue(free) : keys.rotate(keyId)).catch((one: unknown) => one)
      expect(error).toBeInstanceOf(UserError)
      expect(String(error)).toMatch(/do not allow this: no The API key above was not issued\.$/)
      expect(String(error)).not.toContain('revoke')
      expect(await service.keys.list()).toHaveLength(1)
    },
  )

  it('says how to find out whether a key was issued where nobody knows', async () => {
    const keys = withWrite(async (write) => {
      await write()
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
    })
    await expect(keys.issue(free)).rejects.toThrow(/"show key_\w+" tells whether the API key above was issued\.$/)
    expect(await service.keys.list()).toHaveLength(1)
  })
})
