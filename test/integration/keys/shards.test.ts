import fc from 'fast-check'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { KeyAdministration } from '../../../infra/keys/administration.ts'
import { KeyTable } from '../../../infra/keys/key-table.ts'
import { formatApiKey, hashApiKey, type KeyHash } from '../../../shared/api-keys/api-key.ts'
import { fixedPlans } from '../../../shared/api-keys/plans.ts'
import type { RateLimiter } from '../../../shared/rate-limit/rate-limiter.ts'
import { clientOf, describeOnEachEngine } from '../engines.ts'
import { openService, type Service } from '../service.ts'
import { noon } from '../settable-clock.ts'

const perDay = 1_000

describeOnEachEngine('the administration of a key that is counted on several items', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await openService(engine, 10)
  })
  beforeEach(() => service.time.set(noon))

  const issue = async (perMinute: number) => {
    const order = { owner: 'Acme', plan: 'enterprise', allowance: { perMinute, perDay } } as const
    const { apiKey, record } = await service.keys.issue(order)
    return { apiKey, keyHash: hashApiKey(apiKey), keyId: record.keyId }
  }

  const move = (keys: KeyAdministration, keyId: string, perMinute: number) =>
    keys.move(keyId, 'enterprise', { perMinute, perDay })

  /** How many of so many requests, one after the other, are let in. */
  const admitted = async (limiter: RateLimiter, keyHash: KeyHash, requests: number): Promise<number> => {
    let count = 0
    for (let turn = 0; turn < requests; turn += 1) {
      if ((await limiter.admit(keyHash)).kind === 'admitted') count += 1
    }
    return count
  }

  /** An administration that ends before its write of this number, counted from 0. */
  const endingBefore = (write: number): KeyAdministration => {
    const { client, plain } = clientOf(engine)
    let writes = 0
    plain.middlewareStack.add(
      (next, context) => async (given) => {
        if (/^(Put|Update)/.test(String(context['commandName']))) {
          if (writes >= write) throw new Error('The command was ended.')
          writes += 1
        }
        return next(given)
      },
      { step: 'initialize', name: 'end' },
    )
    const table = new KeyTable(client, service.tables.apiKeys)
    return new KeyAdministration(table, service.edge, 'pet_test_', service.time.clock, 10)
  }

  it('issues, shows and lists it as one key', async () => {
    const { keyHash, keyId } = await issue(115)
    expect(await admitted(service.limiter(), keyHash, 30)).toBe(30)
    const whole = { keyId, plan: 'enterprise', state: 'active', minuteLimit: 115, dayLimit: perDay }
    expect(await service.keys.show(keyId)).toMatchObject({ ...whole, minuteCount: 30, dayCount: 30 })
    const listed = (await service.keys.list()).filter((key) => key.keyId.startsWith(keyId))
    expect(listed).toMatchObject([whole])
  })

  it('leaves no usable key where it ends while one is issued, and issues it when repeated', async () => {
    for (let write = 0; write < 4; write += 1) {
      const apiKey = formatApiKey('pet_test_', `${write}`.repeat(32))
      const order = { owner: 'Acme', plan: 'enterprise', allowance: { perMinute: 40, perDay } } as const
      await expect(endingBefore(write).issueKey(apiKey, order)).rejects.toThrow('The command was ended.')
      expect(await service.limiter().admit(hashApiKey(apiKey))).toEqual({ kind: 'invalid' })
      await service.keys.issueKey(apiKey, order)
      expect(await admitted(service.limiter(), hashApiKey(apiKey), 42)).toBe(40)
    }
  })

  it('says that it is revoked only once it is, and can be repeated', async () => {
    const { keyHash, keyId } = await issue(40)
    const limiter = service.limiter()
    await admitted(limiter, keyHash, 5)
    for (let write = 0; write < 4; write += 1) {
      await expect(endingBefore(write).revoke(keyId)).rejects.toThrow('The command was ended.')
      expect((await service.keys.show(keyId)).state).toBe('active')
    }
    await service.keys.revoke(keyId)
    expect(await admitted(limiter, keyHash, 10)).toBe(0)
  })

  it('leaves it working where it ends while it is rotated', async () => {
    const { keyHash, keyId } = await issue(40)
    await expect(endingBefore(6).rotate(keyId, 60)).rejects.toThrow('The command was ended.')
    service.time.advance(60)
    expect((await service.keys.show(keyId)).expiresAt).toBeUndefined()
    expect(await admitted(service.limiter(), keyHash, 5)).toBe(5)
    await service.keys.rotate(keyId, 0)
    expect(await admitted(service.limiter(), keyHash, 5)).toBe(0)
  })

  it.each([
    ['from one item to four', 10, 7, 40, 33],
    ['from one that is used up to two', 10, 10, 12, 2],
    ['from two items to three', 20, 12, 21, 9],
    ['to a higher limit on as many items', 35, 20, 40, 20],
    ['to a lower limit on as many items', 40, 20, 31, 11],
    ['from four items to two', 40, 5, 20, 15],
    ['from four items to one', 40, 8, 10, 2],
    ['from four items to one, below what was used', 40, 15, 10, 0],
  ])('moves it %s, in use, and what it has used stays used', async (_how, from, used, to, left) => {
    const { keyHash, keyId } = await issue(from)
    const limiter = service.limiter()
    await admitted(limiter, keyHash, used)
    expect(await move(service.keys, keyId, to)).toMatchObject({ minuteLimit: to, minuteCount: used, dayCount: used })
    // What an instance remembers of shards that are used up is a second old at most.
    service.time.advance(1)
    expect(await admitted(limiter, keyHash, left + 3)).toBe(left)
    service.time.advance(60)
    expect(await admitted(limiter, keyHash, to + 3)).toBe(to)
    expect(await service.keys.show(keyId)).toMatchObject({ minuteCount: to, dayCount: used + left + to })
  })

  it('moves it to a plan whose keys have one item, and back', async () => {
    const { keyHash, keyId } = await issue(40)
    const limiter = service.limiter()
    await admitted(limiter, keyHash, 6)
    expect(await service.keys.move(keyId, 'free', fixedPlans.free)).toMatchObject({ plan: 'free', minuteLimit: 60 })
    await move(service.keys, keyId, 9)
    expect((await service.keys.show(keyId)).sharding).toBeUndefined()
    await move(service.keys, keyId, 20)
    service.time.advance(1)
    expect(await admitted(limiter, keyHash, 20)).toBe(14)
  })

  it('lets no more through than the larger limit, though requests come while it is moved', async () => {
    for (const [from, to] of [
      [40, 25],
      [10, 40],
      [40, 10],
    ] as const) {
      const { keyHash, keyId } = await issue(from)
      const limiters = [service.limiter(), service.limiter()]
      const requests = limiters.map((limiter) => admitted(limiter, keyHash, 45))
      await move(service.keys, keyId, to)
      const counts = await Promise.all(requests)
      const rest = await admitted(service.limiter(), keyHash, 45)
      const all = counts.reduce((sum, count) => sum + count, rest)
      expect(all).toBeLessThanOrEqual(Math.max(from, to))
      expect(all).toBeGreaterThanOrEqual(to)
    }
  })

  it('keeps a key revoked that is moved to more items at the same time', async () => {
    const { keyHash, keyId } = await issue(20)
    const limiter = service.limiter()
    await admitted(limiter, keyHash, 2)
    await Promise.allSettled([move(service.keys, keyId, 60), service.keys.revoke(keyId)])
    expect((await service.keys.show(keyId)).state).toBe('revoked')
    expect(await admitted(limiter, keyHash, 20)).toBe(0)
  })

  it('lets no more through than the largest limit wherever moves end half-way, and is mended by the next', {
    timeout: 120_000,
  }, async () => {
    const limit = fc.integer({ min: 1, max: 45 })
    const step = fc.record({
      requests: fc.integer({ min: 0, max: 25 }),
      to: limit,
      write: fc.integer({ min: 0, max: 9 }),
    })
    const property = fc.asyncProperty(limit, fc.array(step, { minLength: 1, maxLength: 3 }), async (first, steps) => {
      service.time.set(noon)
      const { keyHash, keyId } = await issue(first)
      const limiters = [service.limiter(), service.limiter()]
      let count = 0
      for (const [index, { requests, to, write }] of steps.entries()) {
        const limiter = limiters[index % 2] ?? service.limiter()
        count += await admitted(limiter, keyHash, requests)
        await move(endingBefore(write), keyId, to).catch(() => undefined)
        count += await admitted(limiter, keyHash, requests)
      }
      expect(count).toBeLessThanOrEqual(Math.max(first, ...steps.map(({ to }) => to)))
      const last = steps.at(-1)?.to ?? first
      await move(service.keys, keyId, last)
      service.time.advance(60)
      expect(await admitted(service.limiter(), keyHash, last + 2)).toBe(last)
    })
    await fc.assert(property, { numRuns: 10, seed: 20_261_102, endOnFailure: true })
  })
})
