import { ProvisionedThroughputExceededException } from '@aws-sdk/client-dynamodb'
import fc from 'fast-check'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import type { KeyChange } from '../../../../shared/api-keys/key-table.ts'
import type { Limits } from '../../../../shared/api-keys/plans.ts'
import type { RateLimiter } from '../../../../shared/rate-limit/rate-limiter.ts'
import { RequestCounter } from '../../../../shared/rate-limit/request-counter.ts'
import {
  createForgetfulClient,
  createInterceptingClient,
  createRecordingClient,
} from '../../../fixtures/database/clients.ts'
import { describeOnEachEngine } from '../../../fixtures/database/engines.ts'
import { orderCount } from '../../../fixtures/database/turns.ts'
import { testTime } from '../../../fixtures/service/clock.ts'
import { issueKey, noDeadline, openService, type Service } from '../../../fixtures/service/service.ts'
import { findWindowEnd, LimitRules } from './limit-rules.ts'

// Concurrent requests around the end of a window, with commands and lost responses, are tested in
// request-counter.test.ts.

/** The third ban of a day would last 240 seconds, so it has the longest time. */
const bans = { refusalsBeforeBan: 3, firstBanSeconds: 60, longestBanSeconds: 200 }
const testTimeSeconds = testTime / 1_000
const midnightSeconds = Date.UTC(2026, 10, 3) / 1_000

/** A moment for which a test waits. `in 0.7 seconds` leads to times between whole seconds, at which nothing ends. */
type Moment = 'in 0.7 seconds' | 'end of the minute' | 'end of the day' | 'end of the ban'

/** An event of one key. The events of a test come one after the other. */
type KeyEvent =
  /** The forgetful instance loses the first response of DynamoDB to each call, and sends the call again. */
  | { readonly kind: 'send'; readonly count: number; readonly instance: 'ordinary' | 'forgetful' }
  /** The wait ends at the moment, or a millisecond before it. */
  | { readonly kind: 'wait'; readonly until: Moment; readonly millisecondsBefore: number }
  | { readonly kind: 'move'; readonly limits: Limits }
  | { readonly kind: 'unban' }

const findMoment = (moment: Moment, now: number, { bannedUntil }: LimitRules): number => {
  switch (moment) {
    case 'in 0.7 seconds':
      return now + 700
    case 'end of the minute':
      return findWindowEnd('minute', now)
    case 'end of the day':
      return findWindowEnd('day', now)
    case 'end of the ban':
      return bannedUntil
  }
}

const anyLimits = fc.record({
  perMinute: fc.integer({ min: 1, max: 3 }),
  perDay: fc.integer({ min: 1, max: 9 }),
})

const anyRequests = fc.record({
  kind: fc.constant('send' as const),
  count: fc.integer({ min: 1, max: 5 }),
  instance: fc.constantFrom('ordinary' as const, 'forgetful' as const),
})

const anyWait = fc.record({
  kind: fc.constant('wait' as const),
  until: fc.constantFrom<Moment[]>('in 0.7 seconds', 'end of the minute', 'end of the day', 'end of the ban'),
  millisecondsBefore: fc.nat(1),
})

const anyMove = fc.record({ kind: fc.constant('move' as const), limits: anyLimits })
const unbanEvent = fc.constant({ kind: 'unban' as const })

const anyEvent: fc.Arbitrary<KeyEvent> = fc.oneof(
  { weight: 18, arbitrary: anyRequests },
  { weight: 18, arbitrary: anyWait },
  { weight: 5, arbitrary: anyMove },
  { weight: 1, arbitrary: unbanEvent },
)

describeOnEachEngine('the limits of a key', (engine) => {
  let service: Service
  let limiter: RateLimiter
  let key: Awaited<ReturnType<typeof issueKey>>
  beforeAll(async () => {
    service = await openService(engine)
  })
  beforeEach(async () => {
    service.time.setMilliseconds(testTime)
    limiter = service.createLimiter({ bans })
    key = await issueKey(service, { perMinute: 1, perDay: 1_000 })
  })

  /** Sends requests one after the other. Returns the kinds of the decisions. */
  const sendRequests = async (count: number, instance = limiter): Promise<string[]> => {
    const kinds: string[] = []
    for (let sent = 0; sent < count; sent += 1) {
      const { kind } = await instance.decide(key.keyHash, noDeadline)
      kinds.push(kind)
    }
    return kinds
  }

  /** Changes the key without a command. */
  const changeKey = async (change: KeyChange): Promise<void> => {
    await service.keyTable.change(await service.keys.find(key.keyId), change)
  }

  /** Performs an event on the key and in the rules, and expects the same decisions of both. */
  const performEvent = async (
    event: KeyEvent,
    rules: LimitRules,
    instances: Readonly<Record<'ordinary' | 'forgetful', RateLimiter>>,
  ): Promise<void> => {
    const now = service.time.clock()
    switch (event.kind) {
      case 'send':
        for (let sent = 0; sent < event.count; sent += 1) {
          const expected = rules.request(now)
          const decision = await instances[event.instance].decide(key.keyHash, noDeadline)
          expect(decision, 'the decision and the status of both windows').toMatchObject(expected)
        }
        break
      case 'wait':
        service.time.setMilliseconds(Math.max(now, findMoment(event.until, now, rules) - event.millisecondsBefore))
        break
      case 'move':
        await changeKey({ minuteLimit: event.limits.perMinute, dayLimit: event.limits.perDay })
        rules.move(event.limits)
        // An instance that remembers a ban follows an operator within two seconds.
        service.time.advanceSeconds(2)
        break
      case 'unban':
        if (now >= rules.bannedUntil) break
        await service.keys.unban(key.keyId)
        rules.unban()
        service.time.advanceSeconds(2)
        break
    }
  }

  // Two instances serve the requests, and operators change the key meanwhile.
  it('requests that come one after the other are limited and banned by the rules', async () => {
    const events = fc.array(anyEvent, { minLength: 8, maxLength: 16 })
    const property = fc.asyncProperty(anyLimits, events, async (firstLimits, keyEvents) => {
      service.time.setMilliseconds(testTime)
      key = await issueKey(service, firstLimits)
      const rules = new LimitRules(firstLimits, bans)
      const instances = {
        ordinary: limiter,
        forgetful: service.createLimiter({ bans, client: createForgetfulClient(engine) }),
      }

      for (const event of keyEvents) await performEvent(event, rules, instances)
    })

    // Twice the usual number, because these events have the most kinds.
    await fc.assert(property, { numRuns: 2 * orderCount, endOnFailure: true })
  })

  it('a key keeps the time of its latest refusal', async () => {
    await sendRequests(2)
    expect(await service.keys.show(key.keyId)).toMatchObject({ refusedAt: testTimeSeconds })

    service.time.advanceSeconds(1)
    // The second of these refusals bans the key.
    await sendRequests(2)
    expect(await service.keys.show(key.keyId)).toMatchObject({ refusedAt: testTimeSeconds + 1, banCount: 1 })
  })

  it('a refusal bans nobody if an operator has raised the limits since', async () => {
    const client = createInterceptingClient(engine, 'UpdateItem', async ({ UpdateExpression }) => {
      const isBan = String(UpdateExpression).includes('bannedUntil')
      if (isBan) await service.keys.set(key.keyId, { plan: 'enterprise', perMinute: 100, perDay: 1_000 })
    })
    // One request is admitted and two are refused, so the next refusal would ban the key.
    await sendRequests(3)

    const kinds = await sendRequests(1, service.createLimiter({ bans, client }))

    expect(kinds).toEqual(['admitted'])
    expect(await service.keys.show(key.keyId)).toMatchObject({ banCount: 0, bannedUntil: 0 })
  })

  /** Creates a limiter whose writes fail with an error. */
  const createFailingLimiter = (error: Error): RateLimiter =>
    service.createLimiter({ client: createInterceptingClient(engine, 'UpdateItem', () => Promise.reject(error)) })

  /** Creates a limiter whose writes DynamoDB throttles. */
  const createThrottledLimiter = (): RateLimiter =>
    createFailingLimiter(
      new ProvisionedThroughputExceededException({ message: 'Slow down.', $metadata: { httpStatusCode: 400 } }),
    )

  // The day admits two requests, and the third refusal bans the key.
  it.each([
    { earlierRequests: 0, kind: 'uncounted', remaining: 2 },
    { earlierRequests: 1, kind: 'uncounted', remaining: 1 },
    { earlierRequests: 2, kind: 'exhausted', remaining: 0 },
    { earlierRequests: 5, kind: 'banned', remaining: 0 },
  ])(
    'a request whose write is throttled is $kind after $earlierRequests requests',
    async ({ earlierRequests, kind, remaining }) => {
      key = await issueKey(service, { perMinute: 60, perDay: 2 })
      await sendRequests(earlierRequests)

      const decision = await createThrottledLimiter().decide(key.keyHash, noDeadline)

      expect(decision).toMatchObject({
        kind,
        record: { keyId: key.keyId },
        bindingWindow: { window: 'day', remaining, resetAt: midnightSeconds },
      })
    },
  )

  // Such a read has the latest state of the key, so a revocation is in force at once. The databases of the tests are
  // always consistent, so only the request shows that the read is.
  it('the record of a throttled key is read by a strongly consistent read', async () => {
    const { client, calls } = createRecordingClient(engine)
    const counter = new RequestCounter(client, service.tables.apiKeys)

    await counter.read({ keyHash: key.keyHash, nowSeconds: testTimeSeconds, signal: noDeadline })

    expect(calls).toMatchObject([{ input: { ConsistentRead: true } }])
  })

  it.each([
    { ended: 'a revoked key', change: { state: 'revoked' } },
    { ended: 'an expired key', change: { expiresAt: testTimeSeconds } },
  ] as const)('$ended is invalid while its item is throttled', async ({ change }) => {
    await changeKey(change)

    expect(await createThrottledLimiter().decide(key.keyHash, noDeadline)).toEqual({ kind: 'invalid' })
  })

  it('a decision has the plan, the gateway key and meteredFrom from the record of the key', async () => {
    await changeKey({ meteredFrom: testTimeSeconds })
    const { gatewayKey } = await service.keys.find(key.keyId)

    const decision = await limiter.decide(key.keyHash, noDeadline)

    expect(gatewayKey, 'the record names a gateway key').toMatch(/^\w{20,}$/)
    expect(decision).toMatchObject({ record: { plan: 'enterprise', gatewayKey, meteredFrom: testTimeSeconds } })
  })

  it('a key that was never issued is invalid while its item is throttled', async () => {
    const keyHash = hashApiKey('pet_test_never_issued')

    expect(await createThrottledLimiter().decide(keyHash, noDeadline)).toEqual({ kind: 'invalid' })
  })

  it('an error of the write that is not throttling is thrown', async () => {
    const decision = createFailingLimiter(new Error('The write failed.')).decide(key.keyHash, noDeadline)

    await expect(decision).rejects.toThrow('The write failed.')
  })

  it.each([
    { attribute: 'expiresAt', change: { expiresAt: testTimeSeconds } },
    { attribute: 'overlapEndsAt', change: { overlapEndsAt: testTimeSeconds } },
  ])('a key is invalid from the millisecond of its $attribute', async ({ change }) => {
    key = await issueKey(service, { perMinute: 60, perDay: 1_000 })
    await changeKey(change)

    service.time.setMilliseconds(testTime - 1)
    expect(await sendRequests(1)).toEqual(['admitted'])
    service.time.setMilliseconds(testTime)
    expect(await sendRequests(1)).toEqual(['invalid'])
  })
})
