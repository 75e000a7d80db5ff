import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { authorizerContext } from '../../../../shared/http/authorizer-context.ts'
import type { RateLimiter } from '../../../../shared/rate-limit/rate-limiter.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { issueKey, openService, type Service, type UsableKey } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'
import { sized } from '../../../fixtures/size.ts'

const bans = { refusalsBeforeBan: 3, firstBanSeconds: 90, longestBanSeconds: 90 }

describeOnEachEngine('a request after Retry-After', (engine) => {
  let service: Service
  beforeEach(async () => {
    service = await openService(engine)
    // Not on a whole second, so that Retry-After has to be rounded up.
    service.time.set(noon + 1)
  })

  /** What the authorizer passes on of a request: the error code, `none` where it is admitted, and Retry-After. */
  const send = async (limiter: RateLimiter, { keyHash }: UsableKey) => {
    const admission = await limiter.admit(keyHash)
    if (admission.kind === 'invalid') throw new Error('The key is invalid.')
    const { errorCode, retryAfter } = authorizerContext(admission)
    return { errorCode, retryAfter: Number(retryAfter) }
  }

  const sendInTurn = async (limiter: RateLimiter, key: UsableKey, count: number): Promise<string[]> => {
    const codes: string[] = []
    for (let request = 0; request < count; request += 1) codes.push((await send(limiter, key)).errorCode)
    return codes
  }

  it('is refused again where other requests led to a ban, or used up the new window', async () => {
    const limiter = service.limiter({ bans })
    const key = await issueKey(service, { perMinute: 1, perDay: 1_000 })
    await send(limiter, key)
    const { retryAfter } = await send(limiter, key)
    expect(retryAfter).toBe(51)
    expect(await sendInTurn(limiter, key, 2)).toEqual(['rate_limit_exceeded', 'api_key_banned'])
    service.time.advance(retryAfter)
    expect(await send(limiter, key)).toEqual({ errorCode: 'api_key_banned', retryAfter: 41 })
    service.time.advance(41)
    expect(await sendInTurn(limiter, key, 2)).toEqual(['none', 'rate_limit_exceeded'])
  })

  const skew = fc.integer({ min: -250, max: 250 })
  /** Where in a minute, in its first half or around its end, and by which clocks a key is refused and asks again. */
  const moments = fc.record({
    start: fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 58_000, max: 61_000 })),
    allowance: fc.constantFrom({ perMinute: 1, perDay: 9 }, { perMinute: 9, perDay: 1 }, { perMinute: 1, perDay: 1 }),
    refusals: fc.integer({ min: 1, max: 5 }),
    skews: fc.array(skew, { minLength: 2, maxLength: 4 }),
  })

  it('is admitted by each instance where nothing else was sent, though clocks differ by up to half a second', {
    timeout: 300_000,
  }, async () => {
    const property = fc.asyncProperty(moments, async ({ start, allowance, refusals, skews }) => {
      service.time.set(noon - 10_000 + start)
      const byClock = (skewed: number) => service.limiter({ bans, clock: () => service.time.clock() + skewed })
      const instances = skews.map(byClock)
      const key = await issueKey(service, allowance)
      let wait = 0
      // Whoever is admitted first uses up the window, and around its end the next one too.
      for (let refused = 0, turn = 0; refused < refusals; turn += 1) {
        const { errorCode, retryAfter } = await send(instances[turn % instances.length] ?? byClock(0), key)
        if (errorCode === 'none') continue
        refused += 1
        wait = retryAfter
      }
      service.time.advance(wait)
      expect((await send(byClock(Math.min(...skews)), key)).errorCode).toBe('none')
    })
    await fc.assert(property, { numRuns: sized(30, 300), endOnFailure: true })
  })
})
