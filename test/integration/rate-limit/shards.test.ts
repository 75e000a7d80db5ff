import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { KeyTable } from '../../../infra/keys/key-table.ts'
import type { ApiKeyRecord } from '../../../shared/api-keys/api-key-record.ts'
import type { Allowance } from '../../../shared/api-keys/plans.ts'
import { shardItems } from '../../../shared/api-keys/shards.ts'
import type { Admission } from '../../../shared/rate-limit/admission.ts'
import type { RateLimiter } from '../../../shared/rate-limit/rate-limiter.ts'
import { interceptingClient, recordingClient } from '../client-middleware.ts'
import { describeOnEachEngine } from '../engines.ts'
import { issueKey, openService, type Service, type UsableKey } from '../service.ts'
import { noon } from '../settable-clock.ts'
import { admissions, kindsOf } from './admissions.ts'

const remainingOf = (admission: Admission): number => ('shown' in admission ? admission.shown.remaining : -1)

describeOnEachEngine('a key that is counted on several items', (engine) => {
  let service: Service
  beforeAll(async () => {
    service = await openService(engine, 10)
  })
  beforeEach(() => service.time.set(noon))

  const shardsOf = async ({ keyHash }: UsableKey): Promise<ApiKeyRecord[]> => {
    const table = new KeyTable(service.client, service.tables.apiKeys)
    const root = await table.read(keyHash)
    const records = await Promise.all(shardItems(keyHash, root?.sharding).map((item) => table.read(item)))
    return records.flatMap((record) => record ?? [])
  }

  const inTurn = async (limiter: RateLimiter, { keyHash }: UsableKey, count: number): Promise<Admission[]> => {
    const all: Admission[] = []
    for (let turn = 0; turn < count; turn += 1) all.push(await limiter.admit(keyHash))
    return all
  }

  const issue = (allowance: Allowance = { perMinute: 40, perDay: 1_000 }) => issueKey(service, allowance)

  it('has one for each ten requests a minute here, with shares that add up to its limits', async () => {
    const shards = await shardsOf(await issue({ perMinute: 33, perDay: 1_001 }))
    expect(shards.map(({ minuteLimit }) => minuteLimit)).toEqual([9, 8, 8, 8])
    expect(shards.map(({ dayLimit }) => dayLimit)).toEqual([251, 250, 250, 250])
  })

  it('gets exactly its limit through, of many requests at once at three instances', async () => {
    const key = await issue()
    const instances = [service.limiter(), service.limiter(), service.limiter()]
    const all = await Promise.all(instances.map((limiter) => admissions(limiter, key.keyHash, 50)))
    expect(kindsOf(all.flat())).toEqual({ admitted: 40, exhausted: 110 })
    expect(await service.keys.show(key.keyId)).toMatchObject({ minuteCount: 40, dayCount: 40, minuteLimit: 40 })
  })

  it('gets its limit through again in the next minute, though many race to open it on every shard', async () => {
    const key = await issue()
    const limiter = service.limiter()
    await admissions(limiter, key.keyHash, 60)
    service.time.advance(60)
    expect(kindsOf(await admissions(limiter, key.keyHash, 60))).toEqual({ admitted: 40, exhausted: 20 })
  })

  it('gets no more through where the clocks of instances differ by seconds around the end of a minute', async () => {
    const key = await issue()
    const behind = service.limiter({ clock: () => Date.UTC(2026, 10, 2, 12, 0, 57) })
    const ahead = service.limiter({ clock: () => Date.UTC(2026, 10, 2, 12, 1, 2) })
    const all = await Promise.all([admissions(behind, key.keyHash, 60), admissions(ahead, key.keyHash, 60)])
    const later = await inTurn(ahead, key, 5)
    expect(later.map(({ kind }) => kind)).toEqual(Array(5).fill('exhausted'))
    for (const shard of await shardsOf(key)) {
      expect(shard).toMatchObject({ minuteWindow: Date.UTC(2026, 10, 2, 12, 1) / 60_000, minuteCount: 10 })
    }
    expect(kindsOf(all.flat())['admitted']).toBeLessThanOrEqual(80)
  })

  it('shows a single caller one request less each time, down to none, and the whole limit', async () => {
    const all = await inTurn(service.limiter(), await issue(), 41)
    expect(all.map(remainingOf)).toEqual([...Array.from({ length: 40 }, (_, index) => 39 - index), 0])
    expect(all.map(({ kind }) => kind)).toEqual([...Array(40).fill('admitted'), 'exhausted'])
    for (const admission of all)
      expect(admission).toMatchObject({ standing: { minute: { limit: 40 }, day: { limit: 1_000 } } })
    expect(all.at(-1)).toMatchObject({ shown: { window: 'minute', resetAt: noon / 1_000 + 50 } })
  })

  it('shows what other instances let through, at the latest a second later', async () => {
    const key = await issue()
    const [one, other] = [service.limiter(), service.limiter()]
    await inTurn(one, key, 1)
    await inTurn(other, key, 20)
    service.time.advance(1)
    // The shards are read beside the write that counts, so one of them may be seen before it and shown exactly.
    await inTurn(one, key, 1)
    expect(remainingOf((await inTurn(one, key, 1))[0] ?? { kind: 'invalid' })).toBe(17)
  })

  it('can use its day up to the last request, however unevenly its shards are used', async () => {
    for (let round = 0; round < 5; round += 1) {
      const key = await issue({ perMinute: 20, perDay: 30 })
      const limiter = service.limiter()
      service.time.set(noon)
      const first = await inTurn(limiter, key, 11)
      service.time.advance(60)
      const second = await inTurn(limiter, key, 25)
      expect(kindsOf([...first, ...second])).toEqual({ admitted: 30, exhausted: 6 })
      expect(second.at(-1)).toMatchObject({ shown: { window: 'day', resetAt: Date.UTC(2026, 10, 3) / 1_000 } })
      expect(remainingOf(second[18] ?? { kind: 'invalid' })).toBe(0)
    }
  })

  it('gets no more through than the limit of a day that is smaller than that of a minute', async () => {
    const key = await issue({ perMinute: 40, perDay: 13 })
    const instances = [service.limiter(), service.limiter(), service.limiter()]
    const all = await Promise.all(instances.map((limiter) => admissions(limiter, key.keyHash, 20)))
    const admitted = kindsOf(all.flat())['admitted'] ?? 0
    expect(admitted).toBeLessThanOrEqual(13)
    expect((await service.keys.show(key.keyId)).dayCount).toBeGreaterThanOrEqual(admitted)
  })

  it('is invalid at the request that follows its revocation, whatever an instance remembers', async () => {
    const key = await issue()
    const limiters = [service.limiter(), service.limiter()]
    for (const limiter of limiters) await inTurn(limiter, key, 5)
    await service.keys.revoke(key.keyId)
    for (const limiter of limiters) {
      expect(kindsOf(await inTurn(limiter, key, 10))).toEqual({ invalid: 10 })
    }
  })

  it('is invalid from the moment at which it expires', async () => {
    const key = await issue()
    const limiter = service.limiter()
    await inTurn(limiter, key, 5)
    const successor = await service.keys.rotate(key.keyId, 30)
    expect(successor.record).toMatchObject({ minuteLimit: 40, dayLimit: 1_000 })
    service.time.set(noon + 29_999)
    expect(kindsOf(await inTurn(limiter, key, 8))).toEqual({ admitted: 8 })
    service.time.set(noon + 30_000)
    expect(kindsOf(await inTurn(limiter, key, 8))).toEqual({ invalid: 8 })
  })

  it('expires on every shard, also on those that a move puts while the key is rotated', async () => {
    const key = await issue({ perMinute: 20, perDay: 1_000 })
    const limiter = service.limiter()
    await inTurn(limiter, key, 3)
    await Promise.all([
      service.keys.move(key.keyId, 'enterprise', { perMinute: 80, perDay: 1_000 }),
      service.keys.rotate(key.keyId, 30),
    ])
    await inTurn(limiter, key, 3)
    service.time.set(noon + 30_000)
    expect(kindsOf(await inTurn(limiter, key, 30))).toEqual({ invalid: 30 })
    expect(new Set((await shardsOf(key)).map(({ expiresAt }) => expiresAt))).toEqual(new Set([noon / 1_000 + 30]))
  })

  it('is let in by its root where a shard is missing, and refused once all that there is is used up', async () => {
    const key = await issue()
    const limiter = service.limiter()
    const [, , third] = shardItems(key.keyHash, (await shardsOf(key))[0]?.sharding)
    await new KeyTable(service.client, service.tables.apiKeys).change(third ?? key.keyHash, { state: 'revoked' })
    expect(kindsOf(await inTurn(limiter, key, 40))).toEqual({ admitted: 30, exhausted: 10 })
  })

  describe('with bans', () => {
    const bans = { refusalsBeforeBan: 3, firstBanSeconds: 60, longestBanSeconds: 200 }

    it('is banned on every shard by the third refusal, for all instances', async () => {
      const key = await issue()
      const [one, other] = [service.limiter({ bans }), service.limiter({ bans })]
      await inTurn(other, key, 1)
      expect((await inTurn(one, key, 43)).slice(39).map(({ kind }) => kind)).toEqual([
        'exhausted',
        'exhausted',
        'banned',
        'banned',
      ])
      service.time.advance(55)
      expect(kindsOf(await inTurn(other, key, 10))).toEqual({ banned: 10 })
      expect((await shardsOf(key)).map(({ bannedUntil }) => bannedUntil)).toEqual(Array(4).fill(noon / 1_000 + 60))
      expect((await service.keys.show(key.keyId)).banCount).toBe(1)
      service.time.set(noon + 60_000)
      expect(kindsOf(await inTurn(other, key, 10))).toEqual({ admitted: 10 })
    })

    it('asks any of its shards while it is banned, so that none gets all of the requests', async () => {
      const key = await issue()
      const asked = new Set<string>()
      const client = interceptingClient(engine, 'UpdateItem', async ({ Key }) => {
        asked.add(JSON.stringify(Key))
      })
      const limiter = service.limiter({ bans, client })
      await inTurn(limiter, key, 43)
      service.time.advance(2)
      await inTurn(limiter, key, 5)
      asked.clear()
      expect(kindsOf(await inTurn(limiter, key, 60))).toEqual({ banned: 60 })
      expect(asked.size).toBe(4)
    })

    it('is one ban, however many requests at once lead to it', async () => {
      const key = await issue()
      await admissions(service.limiter({ bans }), key.keyHash, 100)
      expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 1, bannedUntil: noon / 1_000 + 60 })
    })

    it('is let in again by an operator, on every shard', async () => {
      const key = await issue()
      const limiter = service.limiter({ bans })
      await inTurn(limiter, key, 44)
      await service.keys.unban(key.keyId)
      service.time.advance(50)
      expect(kindsOf(await inTurn(limiter, key, 40))).toEqual({ admitted: 40 })
    })

    it('stays banned, though the instance that bans it ends before all shards know', async () => {
      const key = await issue()
      const dying = interceptingClient(engine, 'UpdateItem', async ({ UpdateExpression, Key }) => {
        const isOfShard = JSON.stringify(Key).includes('#')
        if (isOfShard && String(UpdateExpression).includes('bannedUntil')) throw new Error('The instance has ended.')
      })
      await inTurn(service.limiter({ bans, client: dying }), key, 43)
      service.time.advance(51)
      expect(kindsOf(await inTurn(service.limiter({ bans }), key, 10))).toEqual({ banned: 10 })
    })
  })

  describe('where DynamoDB takes no more writes', () => {
    const throttling = (isThrottled: (item: string) => boolean) =>
      interceptingClient(engine, 'UpdateItem', async ({ Key }) => {
        if (!isThrottled(JSON.stringify(Key))) return
        throw new ProvisionedThroughputExceededException({ message: 'Slow down.', $metadata: { httpStatusCode: 400 } })
      })

    it('to one of its items, uses the others', async () => {
      const key = await issue()
      const limiter = service.limiter({ client: throttling((item) => item.includes('#2')) })
      expect(kindsOf(await inTurn(limiter, key, 35))).toEqual({ admitted: 30, throttled: 5 })
    })

    it('to its root, uses the others', async () => {
      const key = await issue()
      const limiter = service.limiter({ client: throttling((item) => !item.includes('#')) })
      expect(kindsOf(await inTurn(limiter, key, 30))).toEqual({ admitted: 30 })
    })

    it('to three used up ones, is asked to wait for a second, for there is a fourth', async () => {
      const key = await issue()
      const shards = await shardsOf(key)
      const table = new KeyTable(service.client, service.tables.apiKeys)
      const [, ...others] = shardItems(key.keyHash, shards[0]?.sharding)
      const { minuteWindow, dayWindow } = { minuteWindow: noon / 60_000, dayWindow: Math.floor(noon / 86_400_000) }
      for (const item of others) {
        await table.change(item, { minuteWindow: Math.floor(minuteWindow), dayWindow, minuteCount: 10, dayCount: 10 })
      }
      const client = throttling((item) => item.includes('#'))
      const limiter = service.limiter({ client, random: () => 0.999 })
      const kinds = kindsOf(await inTurn(limiter, key, 3))
      expect(kinds['exhausted']).toBeUndefined()
    })

    it('to any of them, is asked to wait for a second', async () => {
      const key = await issue()
      expect(await service.limiter({ client: throttling(() => true) }).admit(key.keyHash)).toMatchObject({
        kind: 'throttled',
        shown: { limit: 40, remaining: 0, resetAt: noon / 1_000 + 1 },
      })
    })
  })

  describe('calls DynamoDB', () => {
    const recorded = recordingClient(engine)
    const calls = () => recorded.calls.splice(0).map(({ operation }) => operation)

    it('once for a usual request, and once more a second, beside it, for the figures', async () => {
      const key = await issue()
      let draws = 0
      const oneAfterTheOther = () => (draws++ % 4) / 4
      const limiter = service.limiter({ client: recorded.client, random: oneAfterTheOther })
      await inTurn(limiter, key, 1)
      expect(calls()).toEqual(['UpdateItem', 'UpdateItem', 'BatchGetItem'])
      // Each of the four opens the minute.
      await inTurn(limiter, key, 8)
      calls()
      await inTurn(limiter, key, 3)
      expect(calls()).toEqual(['UpdateItem', 'UpdateItem', 'UpdateItem'])
      service.time.advance(1)
      await inTurn(limiter, key, 2)
      expect(calls().toSorted()).toEqual(['BatchGetItem', 'UpdateItem', 'UpdateItem'])
    })

    it('once for a request that is refused, while it remembers which shards are used up', async () => {
      const key = await issue()
      const limiter = service.limiter({ client: recorded.client })
      await inTurn(limiter, key, 41)
      calls()
      await inTurn(limiter, key, 10)
      expect(calls()).toEqual(Array(10).fill('UpdateItem'))
    })

    it('once for a request that is banned', async () => {
      const key = await issue()
      const bans = { refusalsBeforeBan: 1, firstBanSeconds: 60, longestBanSeconds: 60 }
      const limiter = service.limiter({ client: recorded.client, bans })
      await inTurn(limiter, key, 41)
      calls()
      expect(kindsOf(await inTurn(limiter, key, 5))).toEqual({ banned: 5 })
      expect(calls()).toEqual(Array(5).fill('UpdateItem'))
    })

    it('without being kept from the answer, where the figures cannot be read', async () => {
      const key = await issue()
      const client = interceptingClient(engine, 'BatchGetItem', async () => {
        throw new ProvisionedThroughputExceededException({ message: 'Slow down.', $metadata: { httpStatusCode: 400 } })
      })
      expect(kindsOf(await inTurn(service.limiter({ client }), key, 45))).toEqual({ admitted: 40, exhausted: 5 })
    })
  })
})
