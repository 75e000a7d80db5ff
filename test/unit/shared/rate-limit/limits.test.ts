import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import type { RateLimiter } from '../../../../shared/rate-limit/rate-limiter.ts'
import { createForgetfulClient, createInterceptingClient } from '../../../fixtures/clients.ts'
import { noon } from '../../../fixtures/clock.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { createLimitRules, findWindowEnd } from '../../../fixtures/limit-rules.ts'
import { issueKey, openService, type Service } from '../../../fixtures/service.ts'
import { chooseBySize } from '../../../fixtures/size.ts'

// Requests at once around the end of a window, with commands and lost responses: interleavings.test.ts. Hundreds at once:
// test/e2e/limits.test.ts.

const bans = { refusalsBeforeBan: 3, firstBanSeconds: 60, longestBanSeconds: 200 }
const midnight = Date.UTC(2026, 10, 3)

const limits = fc.record({ perMinute: fc.integer({ min: 1, max: 3 }), perDay: fc.integer({ min: 1, max: 9 }) })

/** The moments at which something ends. */
const ends = {
  'a moment': (now: number) => now + 700,
  'the minute': (now: number) => findWindowEnd('minute', now),
  'the day': (now: number) => findWindowEnd('day', now),
  'a ban': (_now: number, { bannedUntil }: ReturnType<typeof createLimitRules>) => bannedUntil,
}

/** What happens to one key, one after the other. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ send: fc.integer({ min: 1, max: 5 }), instance: fc.nat(1) }) },
  { weight: 3, arbitrary: fc.record({ untilEndOf: fc.constantFrom(...Object.values(ends)), lessBy: fc.nat(1) }) },
  // Without new limits it is unbanned.
  fc.record({ move: fc.option(limits, { nil: undefined }) }),
)

describeOnEachEngine('the limits of a key', (engine) => {
  let service: Service
  let limiter: RateLimiter
  let key: Awaited<ReturnType<typeof issueKey>>
  beforeEach(async () => {
    service = await openService(engine)
    limiter = service.createLimiter({ bans })
    key = await issueKey(service, { perMinute: 1, perDay: 1_000 })
  })

  const inTurn = async (count: number, by = limiter): Promise<string[]> => {
    const kinds: string[] = []
    for (let turn = 0; turn < count; turn += 1) kinds.push((await by.admit(key.keyHash)).kind)
    return kinds
  }

  it('are those of README.md, with bans, for requests one after the other, by several instances, while responses get lost and operators change them', async () => {
    const property = fc.asyncProperty(limits, fc.array(step, { minLength: 8, maxLength: 16 }), async (given, steps) => {
      service.time.set(noon)
      const { keyHash, keyId } = await issueKey(service, given)
      const rules = createLimitRules(given, bans)
      const instances = [limiter, service.createLimiter({ bans, client: createForgetfulClient(engine) })]
      const now = service.time.clock
      for (const one of steps) {
        if ('untilEndOf' in one) service.time.set(Math.max(now(), one.untilEndOf(now(), rules) - one.lessBy))
        else if ('send' in one) {
          for (let sent = 0; sent < one.send; sent += 1) {
            expect(await instances[one.instance]?.admit(keyHash)).toMatchObject(rules.request(now()))
          }
        } else {
          if (one.move === undefined && now() >= rules.bannedUntil) continue
          if (one.move === undefined) await service.keys.unban(keyId)
          else await service.keys.move(keyId, 'enterprise', one.move)
          Object.assign(rules, one.move === undefined ? { bannedUntil: 0, refusals: 0, bans: 0 } : { limits: one.move })
          // An instance that knew of a ban follows an operator within two seconds.
          service.time.advance(2)
        }
      }
    })
    await fc.assert(property, { numRuns: chooseBySize(12, 250), endOnFailure: true })
  })

  it('ban nobody by a function that was frozen into a later minute: that would only make the next ban longer', async () => {
    const frozen = Promise.withResolvers<void>()
    const arrival = Promise.withResolvers<void>()
    const client = createInterceptingClient(engine, 'UpdateItem', async ({ UpdateExpression }) => {
      if (!String(UpdateExpression).includes('bannedUntil')) return
      frozen.resolve()
      await arrival.promise
    })
    // Instances that end before they write their bans.
    const mortal = service.createLimiter()
    await inTurn(3, mortal)
    const late = service.createLimiter({ bans, client }).admit(key.keyHash)
    await frozen.promise
    // A minute later the key is refused as often.
    service.time.advance(60)
    await inTurn(5, mortal)
    arrival.resolve()
    expect((await late).kind).toBe('exhausted')
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 0, bannedUntil: 0, refusalCount: 4 })
  })

  it('ban nobody by a function that goes on after the end of the ban', async () => {
    await inTurn(3)
    let looks = 0
    // The second look at the clock is after the thaw.
    const thawed = service.createLimiter({ bans, clock: () => service.time.clock() + (looks++ === 0 ? 0 : 60_000) })
    expect(await inTurn(1, thawed)).toEqual(['exhausted'])
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 0, bannedUntil: 0 })
  })

  /** Its writes to the table fail so. */
  const failing = (error: Error): RateLimiter =>
    service.createLimiter({ client: createInterceptingClient(engine, 'UpdateItem', () => Promise.reject(error)) })
  const slowDown = { message: 'Slow down.', $metadata: { httpStatusCode: 400 } }
  const throttled = () => failing(new ProvisionedThroughputExceededException(slowDown))

  it.each([
    [0, 'ask for a second', 'throttled', noon / 1_000 + 1],
    [1, 'refuse what is used up', 'exhausted', midnight / 1_000],
    [4, 'refuse a key that is banned', 'banned', midnight / 1_000],
  ])('after %i requests, where the item of the key is throttled, %s', async (count, _what, kind, resetAt) => {
    key = await issueKey(service, { perMinute: 60, perDay: 1 })
    await inTurn(count)
    const expected = { kind, record: { keyId: key.keyId }, bindingWindow: { resetAt, remaining: 0 } }
    expect(await throttled().admit(key.keyHash)).toMatchObject(expected)
  })

  it('are no matter for a key that is revoked, or was never issued, where its item is throttled; another error of the write is one', async () => {
    await expect(failing(new Error('The write failed.')).admit(key.keyHash)).rejects.toThrow('The write failed.')
    await service.keys.revoke(key.keyId)
    expect(await throttled().admit(key.keyHash)).toEqual({ kind: 'invalid' })
    expect(await throttled().admit(hashApiKey('pet_test_never_issued'))).toEqual({ kind: 'invalid' })
  })

  it.each([
    ['the request that follows its revocation', { state: 'revoked' }, 'invalid'],
    ['the millisecond of expiresAt', { expiresAt: noon / 1_000 }, 'admitted'],
    ['the millisecond of overlapEndsAt', { overlapEndsAt: noon / 1_000 }, 'admitted'],
  ] as const)('are no matter for a key from %s', async (_when, change, before) => {
    service.time.set(noon - 1)
    for (const stored of await service.keyTable.list()) await service.keyTable.change(stored, change)
    expect(await inTurn(1)).toEqual([before])
    service.time.set(noon)
    expect(await inTurn(1)).toEqual(['invalid'])
  })
})
