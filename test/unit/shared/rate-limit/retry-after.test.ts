import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { authorizerContext } from '../../../../shared/http/authorizer-context.ts'
import type { RateLimiter } from '../../../../shared/rate-limit/rate-limiter.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service, type UsableKey } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'
import { sized } from '../../../fixtures/size.ts'

const bans = { refusalsBeforeBan: 3, firstBanSeconds: 90, longestBanSeconds: 90 }

describeOnEachEngine('a request after Retry-After', (engine) => {
  let service: Service
  let limiter: RateLimiter
  beforeEach(async () => {
    service = await openService(engine)
    // Not on a whole second, so that Retry-After has to be rounded up.
    service.time.set(noon + 1)
    limiter = service.limiter({ bans })
  })

  /** What the authorizer passes on of a request: the error code, none where it is admitted, and Retry-After. */
  const send = async ({ keyHash }: UsableKey) => {
    const admission = await limiter.admit(keyHash)
    if (admission.kind === 'invalid') throw new Error('The key is invalid.')
    const { errorCode, retryAfter } = authorizerContext(admission)
    return { errorCode, retryAfter: Number(retryAfter) }
  }

  const sendInTurn = async (key: UsableKey, count: number): Promise<string[]> => {
    const codes: string[] = []
    for (let request = 0; request < count; request += 1) codes.push((await send(key)).errorCode)
    return codes
  }

  describe('of a key that sends nothing else in the meantime', () => {
    it.each([
      ['the minute is used up', { perMinute: 2, perDay: 1_000 }, 2, 'rate_limit_exceeded'],
      ['the day is used up', { perMinute: 1_000, perDay: 2 }, 2, 'rate_limit_exceeded'],
      ['both are used up', { perMinute: 2, perDay: 2 }, 2, 'rate_limit_exceeded'],
      ['the key is banned', { perMinute: 1, perDay: 1_000 }, 4, 'api_key_banned'],
      ['the key is banned and the day is used up', { perMinute: 1_000, perDay: 1 }, 4, 'api_key_banned'],
    ])('is admitted, where %s', async (_why, allowance, before, errorCode) => {
      const key = await issueKey(service, allowance)
      await sendInTurn(key, before)
      const refused = await send(key)
      expect(refused.errorCode).toBe(errorCode)
      service.time.advance(refused.retryAfter)
      expect((await send(key)).errorCode).toBe('none')
    })
  })

  describe('of a key whose other requests go on', () => {
    it('is refused with api_key_banned, where they lead to a ban', async () => {
      const key = await issueKey(service, { perMinute: 1, perDay: 1_000 })
      await send(key)
      const { errorCode, retryAfter } = await send(key)
      expect([errorCode, retryAfter]).toEqual(['rate_limit_exceeded', 51])
      expect(await sendInTurn(key, 2)).toEqual(['rate_limit_exceeded', 'api_key_banned'])
      service.time.advance(retryAfter)
      expect(await send(key)).toEqual({ errorCode: 'api_key_banned', retryAfter: 41 })
    })

    it('is refused with rate_limit_exceeded, where they use up the new window first', async () => {
      const key = await issueKey(service, { perMinute: 2, perDay: 1_000 })
      await sendInTurn(key, 2)
      const { retryAfter } = await send(key)
      service.time.advance(retryAfter)
      expect(await sendInTurn(key, 2)).toEqual(['none', 'none'])
      expect(await send(key)).toEqual({ errorCode: 'rate_limit_exceeded', retryAfter: 60 })
    })
  })

  describe('by clocks that differ by up to half a second', () => {
    const skew = fc.integer({ min: -250, max: 250 })
    /** Where in a minute, in its first half or around its end, and by which clocks a key is refused and asks again. */
    const moments = fc.record({
      start: fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 58_000, max: 61_000 })),
      day: fc.boolean(),
      refusals: fc.integer({ min: 1, max: 5 }),
      skews: fc.array(skew, { minLength: 2, maxLength: 4 }),
    })

    it('is admitted by each instance, also the one whose clock is the last', { timeout: 300_000 }, async () => {
      const property = fc.asyncProperty(moments, async ({ start, day, refusals, skews }) => {
        service.time.set(noon - 10_000 + start)
        const instances = skews.map((skewed) => service.limiter({ bans, clock: () => service.time.clock() + skewed }))
        const key = await issueKey(service, day ? { perMinute: 9, perDay: 1 } : { perMinute: 1, perDay: 9 })
        let wait = 0
        // Whoever is admitted first uses up the window, and around its end the next one too.
        for (let refused = 0, turn = 0; refused < refusals; turn += 1) {
          const admission = await (instances[turn % instances.length] ?? limiter).admit(key.keyHash)
          if (admission.kind === 'invalid') throw new Error('The key is invalid.')
          if (admission.kind === 'admitted') continue
          refused += 1
          wait = Number(authorizerContext(admission).retryAfter)
        }
        service.time.advance(wait)
        const slowest = service.limiter({ bans, clock: () => service.time.clock() + Math.min(...skews) })
        expect((await slowest.admit(key.keyHash)).kind).toBe('admitted')
      })
      await fc.assert(property, { numRuns: sized(30, 300), endOnFailure: true })
    })
  })
})
