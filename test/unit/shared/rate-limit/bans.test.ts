import { beforeEach, expect, it } from 'vitest'
import type { KeyHash } from '../../../../shared/api-keys/api-key.ts'
import type { RateLimiter } from '../../../../shared/rate-limit/rate-limiter.ts'
import { interceptingClient } from '../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service, type UsableKey } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'
import { admissions, kindsOf } from './admissions.ts'

const bans = { refusalsBeforeBan: 3, firstBanSeconds: 60, longestBanSeconds: 200 }

describeOnEachEngine('a temporary ban', (engine) => {
  let service: Service
  let limiter: RateLimiter
  let key: UsableKey
  beforeEach(async () => {
    service = await openService(engine)
    limiter = service.limiter({ bans })
    key = await issueKey(service, { perMinute: 1, perDay: 1_000 })
  })

  const admitInTurn = async (count: number): Promise<string[]> => {
    const kinds: string[] = []
    for (let turn = 0; turn < count; turn += 1) kinds.push((await limiter.admit(key.keyHash)).kind)
    return kinds
  }

  /** Goes on until the key is banned, and gives back the end of the ban. */
  const provoke = async (keyHash: KeyHash): Promise<number> => {
    for (let turn = 0; turn < 10; turn += 1) {
      const admission = await limiter.admit(keyHash)
      if (admission.kind === 'banned') return admission.bindingWindow.resetAt
    }
    throw new Error('Ten requests led to no ban.')
  }

  it('begins with the third refusal of a minute', async () => {
    expect(await admitInTurn(5)).toEqual(['admitted', 'exhausted', 'exhausted', 'banned', 'banned'])
  })

  it('does not begin where a minute rolls over between the refusals', async () => {
    expect(await admitInTurn(3)).toEqual(['admitted', 'exhausted', 'exhausted'])
    service.time.advance(60)
    expect(await admitInTurn(3)).toEqual(['admitted', 'exhausted', 'exhausted'])
  })

  it('shows its end, and no remaining requests until then', async () => {
    await admitInTurn(3)
    const until = noon / 1_000 + 60
    expect(await limiter.admit(key.keyHash)).toMatchObject({
      kind: 'banned',
      bindingWindow: { remaining: 0, resetAt: until },
    })
    expect(await limiter.admit(key.keyHash)).toMatchObject({
      kind: 'banned',
      bindingWindow: { remaining: 0, resetAt: until },
    })
  })

  it('outlasts the windows', async () => {
    const until = await provoke(key.keyHash)
    service.time.set(until * 1_000 - 1)
    expect(await admitInTurn(1)).toEqual(['banned'])
  })

  it('ends at the time that it showed', async () => {
    const until = await provoke(key.keyHash)
    service.time.set(until * 1_000)
    expect(await admitInTurn(1)).toEqual(['admitted'])
  })

  it('lasts twice as long each time, up to the longest', async () => {
    const lengths: number[] = []
    for (let ban = 0; ban < 4; ban += 1) {
      const until = await provoke(key.keyHash)
      lengths.push(until - service.time.clock() / 1_000)
      service.time.set(until * 1_000)
    }
    expect(lengths).toEqual([60, 120, 200, 200])
  })

  it('is forgiven on the next UTC day', async () => {
    service.time.set(await provoke(key.keyHash).then((until) => until * 1_000))
    await provoke(key.keyHash)
    service.time.set(Date.UTC(2026, 10, 3))
    expect((await provoke(key.keyHash)) - service.time.clock() / 1_000).toBe(60)
  })

  it('is one ban for many concurrent refusals', async () => {
    await limiter.admit(key.keyHash)
    await admissions(limiter, key.keyHash, 60)
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 1, bannedUntil: noon / 1_000 + 60 })
  })

  it('is ended by an operator, who also forgives those before; an instance that knew of it follows within two seconds', async () => {
    await provoke(key.keyHash)
    await service.keys.unban(key.keyId)
    expect((await service.limiter({ bans }).admit(key.keyHash)).kind).toBe('exhausted')
    expect(await admitInTurn(1)).toEqual(['banned'])
    service.time.advance(2)
    expect(await admitInTurn(1)).toEqual(['exhausted'])
    service.time.advance(58)
    expect((await provoke(key.keyHash)) - service.time.clock() / 1_000).toBe(60)
  })

  it('counts a refused request towards a ban, not against the limit', async () => {
    const { keyHash, keyId } = await issueKey(service, { perMinute: 5, perDay: 1_000 })
    expect(kindsOf(await admissions(service.limiter(), keyHash, 12))).toEqual({ admitted: 5, exhausted: 7 })
    expect(await service.keys.show(keyId)).toMatchObject({ minuteCount: 5, dayCount: 5, refusalCount: 7 })
  })

  /** A limiter whose write of a ban does not reach DynamoDB before `arrive`, such as that of a function that was frozen. */
  const freezing = () => {
    const frozen = Promise.withResolvers<void>()
    const arrival = Promise.withResolvers<void>()
    const client = interceptingClient(engine, 'UpdateItem', async ({ UpdateExpression }) => {
      if (!String(UpdateExpression).includes('bannedUntil')) return
      frozen.resolve()
      await arrival.promise
    })
    return { limiter: service.limiter({ bans, client }), frozen: frozen.promise, arrive: arrival.resolve }
  }

  it('is not written by a function that was frozen into a later minute, where it would only make the next one longer', async () => {
    await admitInTurn(3)
    service.time.advance(60)
    await limiter.admit(key.keyHash)
    const { refusalsBeforeBan: _, ...rest } = bans
    const stale = freezing()
    await service.limiter({ bans: { ...rest, refusalsBeforeBan: 99 } }).admit(key.keyHash)
    await service.limiter({ bans: { ...rest, refusalsBeforeBan: 99 } }).admit(key.keyHash)
    const late = stale.limiter.admit(key.keyHash)
    await stale.frozen
    // A minute later the key is refused as often, by instances that ended before they wrote their bans.
    service.time.advance(60)
    const mortal = service.limiter({ bans: { ...rest, refusalsBeforeBan: 99 } })
    for (let request = 0; request < 5; request += 1) await mortal.admit(key.keyHash)
    stale.arrive()
    expect((await late).kind).toBe('exhausted')
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 0, bannedUntil: 0, refusalCount: 4 })
  })

  it('is not written by a function that goes on after its end', async () => {
    await admitInTurn(3)
    const clock = () => service.time.clock()
    let reads = 0
    const thawed = service.limiter({
      bans,
      // The second look at the clock is after the thaw.
      clock: () => clock() + (reads++ === 0 ? 0 : 60_000),
    })
    expect((await thawed.admit(key.keyHash)).kind).toBe('exhausted')
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 0, bannedUntil: 0 })
  })
})
