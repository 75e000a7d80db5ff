import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import type { RateLimiter } from '../../../../shared/rate-limit/rate-limiter.ts'
import { interceptingClient } from '../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service, type UsableKey } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'

const bans = { refusalsBeforeBan: 3, firstBanSeconds: 60, longestBanSeconds: 200 }
const midnight = Date.UTC(2026, 10, 3)

describeOnEachEngine('a key', (engine) => {
  let service: Service
  let limiter: RateLimiter
  let key: UsableKey
  beforeEach(async () => {
    service = await openService(engine)
    limiter = service.limiter({ bans })
    key = await issueKey(service, { perMinute: 1, perDay: 1_000 })
  })

  const admitInTurn = async (count: number, by = limiter): Promise<string[]> => {
    const kinds: string[] = []
    for (let turn = 0; turn < count; turn += 1) kinds.push((await by.admit(key.keyHash)).kind)
    return kinds
  }

  /** Goes on until the key is banned, and gives back for how many seconds. */
  const provoke = async (): Promise<number> => {
    for (let turn = 0; turn < 10; turn += 1) {
      const { kind, ...admission } = await limiter.admit(key.keyHash)
      if (kind === 'banned' && 'bindingWindow' in admission) {
        return admission.bindingWindow.resetAt - service.time.clock() / 1_000
      }
    }
    throw new Error('Ten requests led to no ban.')
  }

  it('is banned at the third refusal of a minute, not of two', async () => {
    expect(await admitInTurn(3)).toEqual(['admitted', 'exhausted', 'exhausted'])
    service.time.advance(60)
    expect(await admitInTurn(5)).toEqual(['admitted', 'exhausted', 'exhausted', 'banned', 'banned'])
  })

  it('is shown the end of its ban, and no remaining requests until then, also where the windows have ended', async () => {
    expect(await provoke()).toBe(60)
    for (const now of [noon, noon + 59_999]) {
      service.time.set(now)
      const bindingWindow = { remaining: 0, resetAt: noon / 1_000 + 60 }
      expect(await limiter.admit(key.keyHash)).toMatchObject({ kind: 'banned', bindingWindow })
    }
    service.time.set(noon + 60_000)
    expect(await admitInTurn(1)).toEqual(['admitted'])
  })

  it('is banned twice as long each time, up to the longest, and forgiven on the next UTC day', async () => {
    const lengths: number[] = []
    for (let ban = 0; ban < 5; ban += 1) {
      if (ban === 4) service.time.set(midnight)
      lengths.push(await provoke())
      service.time.advance(lengths.at(-1) ?? 0)
    }
    expect(lengths).toEqual([60, 120, 200, 200, 60])
  })

  it('is banned once for many refusals at once', async () => {
    await limiter.admit(key.keyHash)
    await Promise.all(Array.from({ length: 60 }, () => limiter.admit(key.keyHash)))
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 1, bannedUntil: noon / 1_000 + 60 })
  })

  it('is unbanned by an operator, who forgives all its bans; an instance that knew of one follows within two seconds', async () => {
    await provoke()
    await service.keys.unban(key.keyId)
    expect(await admitInTurn(1, service.limiter({ bans }))).toEqual(['exhausted'])
    expect(await admitInTurn(1)).toEqual(['banned'])
    service.time.advance(2)
    expect(await admitInTurn(1)).toEqual(['exhausted'])
    service.time.advance(58)
    expect(await provoke()).toBe(60)
  })

  it('is not banned by a function that was frozen into a later minute: that would only make the next ban longer', async () => {
    const frozen = Promise.withResolvers<void>()
    const arrival = Promise.withResolvers<void>()
    const client = interceptingClient(engine, 'UpdateItem', async ({ UpdateExpression }) => {
      if (!String(UpdateExpression).includes('bannedUntil')) return
      frozen.resolve()
      await arrival.promise
    })
    // Instances that end before they write their bans.
    const mortal = service.limiter({ bans: { ...bans, refusalsBeforeBan: 99 } })
    await admitInTurn(3, mortal)
    const late = service.limiter({ bans, client }).admit(key.keyHash)
    await frozen.promise
    // A minute later the key is refused as often.
    service.time.advance(60)
    await admitInTurn(5, mortal)
    arrival.resolve()
    expect((await late).kind).toBe('exhausted')
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 0, bannedUntil: 0, refusalCount: 4 })
  })

  it('is not banned by a function that goes on after the end of the ban', async () => {
    await admitInTurn(3)
    let looks = 0
    // The second look at the clock is after the thaw.
    const thawed = service.limiter({ bans, clock: () => service.time.clock() + (looks++ === 0 ? 0 : 60_000) })
    expect(await admitInTurn(1, thawed)).toEqual(['exhausted'])
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 0, bannedUntil: 0 })
  })

  const failing = (error: Error): RateLimiter =>
    service.limiter({ client: interceptingClient(engine, 'UpdateItem', () => Promise.reject(error)) })
  const slowDown = { message: 'Slow down.', $metadata: { httpStatusCode: 400 } }
  const throttled = () => failing(new ProvisionedThroughputExceededException(slowDown))

  it.each([
    [0, 'gets a time to wait', 'throttled', noon / 1_000 + 1],
    [1, 'is refused where its limit is used up', 'exhausted', midnight / 1_000],
    [4, 'is refused where it is banned', 'banned', midnight / 1_000],
  ])('whose item is throttled, after %i requests, %s', async (count, _what, kind, resetAt) => {
    key = await issueKey(service, { perMinute: 60, perDay: 1 })
    await admitInTurn(count)
    const expected = { kind, record: { keyId: key.keyId }, bindingWindow: { resetAt, remaining: 0 } }
    expect(await throttled().admit(key.keyHash)).toMatchObject(expected)
  })

  it('whose item is throttled is still invalid where it is revoked, or was never issued', async () => {
    await service.keys.revoke(key.keyId)
    expect(await throttled().admit(key.keyHash)).toEqual({ kind: 'invalid' })
    expect(await throttled().admit(hashApiKey('pet_test_never_issued'))).toEqual({ kind: 'invalid' })
  })

  it('whose item cannot be written for another reason gets an error', async () => {
    await expect(failing(new Error('The write failed.')).admit(key.keyHash)).rejects.toThrow('The write failed.')
  })
})
