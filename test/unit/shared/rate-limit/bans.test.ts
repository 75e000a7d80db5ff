import { beforeEach, expect, it } from 'vitest'
import type { RateLimiter } from '../../../../shared/rate-limit/rate-limiter.ts'
import { interceptingClient } from '../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service, type UsableKey } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'
import { admissions } from './admissions.ts'

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

  const admitInTurn = async (count: number, by = limiter): Promise<string[]> => {
    const kinds: string[] = []
    for (let turn = 0; turn < count; turn += 1) kinds.push((await by.admit(key.keyHash)).kind)
    return kinds
  }

  /** Goes on until the key is banned, and gives back the end of the ban. */
  const provoke = async (): Promise<number> => {
    for (let turn = 0; turn < 10; turn += 1) {
      const { kind, ...admission } = await limiter.admit(key.keyHash)
      if (kind === 'banned' && 'bindingWindow' in admission) return admission.bindingWindow.resetAt
    }
    throw new Error('Ten requests led to no ban.')
  }

  it('begins with the third refusal of a minute, not across two', async () => {
    expect(await admitInTurn(3)).toEqual(['admitted', 'exhausted', 'exhausted'])
    service.time.advance(60)
    expect(await admitInTurn(5)).toEqual(['admitted', 'exhausted', 'exhausted', 'banned', 'banned'])
  })

  it('shows its end and no remaining requests until then, also where the windows have ended', async () => {
    const resetAt = await provoke()
    expect(resetAt).toBe(noon / 1_000 + 60)
    for (const now of [noon, resetAt * 1_000 - 1]) {
      service.time.set(now)
      const bindingWindow = { remaining: 0, resetAt }
      expect(await limiter.admit(key.keyHash)).toMatchObject({ kind: 'banned', bindingWindow })
    }
    service.time.set(resetAt * 1_000)
    expect(await admitInTurn(1)).toEqual(['admitted'])
  })

  it('lasts twice as long each time, up to the longest, and is forgiven on the next UTC day', async () => {
    const lengths: number[] = []
    for (let ban = 0; ban < 5; ban += 1) {
      if (ban === 4) service.time.set(Date.UTC(2026, 10, 3))
      const until = await provoke()
      lengths.push(until - service.time.clock() / 1_000)
      service.time.set(until * 1_000)
    }
    expect(lengths).toEqual([60, 120, 200, 200, 60])
  })

  it('is one ban for many concurrent refusals', async () => {
    await limiter.admit(key.keyHash)
    await admissions(limiter, key.keyHash, 60)
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 1, bannedUntil: noon / 1_000 + 60 })
  })

  it('is ended by an operator, who also forgives those before; an instance that knew of it follows within two seconds', async () => {
    await provoke()
    await service.keys.unban(key.keyId)
    expect(await admitInTurn(1, service.limiter({ bans }))).toEqual(['exhausted'])
    expect(await admitInTurn(1)).toEqual(['banned'])
    service.time.advance(2)
    expect(await admitInTurn(1)).toEqual(['exhausted'])
    service.time.advance(58)
    expect((await provoke()) - service.time.clock() / 1_000).toBe(60)
  })

  it('is not written by a function that was frozen into a later minute, where it would only make the next one longer', async () => {
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

  it('is not written by a function that goes on after its end', async () => {
    await admitInTurn(3)
    let looks = 0
    // The second look at the clock is after the thaw.
    const thawed = service.limiter({ bans, clock: () => service.time.clock() + (looks++ === 0 ? 0 : 60_000) })
    expect(await admitInTurn(1, thawed)).toEqual(['exhausted'])
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 0, bannedUntil: 0 })
  })
})
