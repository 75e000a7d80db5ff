import { expect, it } from 'vitest'
import { createAuthorizerContext } from '../../../../functions/authorizer/create-context.ts'
import type { ApiKeyRecord } from '../../../../shared/api-keys/api-key-record.ts'
import { type AuthorizerContext, findInvalidValue } from '../../../../shared/http/authorizer-context.ts'
import { type DecisionOfKey, decideAs } from '../../../../shared/rate-limit/rate-limiter.ts'
import { computeWindowNumber } from '../../../../shared/rate-limit/windows.ts'
import { createApiKeyRecord } from '../../../fixtures/service/api-key-record.ts'

// The counting of requests in both windows is tested in test/unit/shared/rate-limit.

/** 17.4 seconds into a minute. */
const nowSeconds = Date.UTC(2026, 10, 2, 9, 30, 17, 400) / 1_000
/** 9:31 on the same day, in Unix seconds: the end of the minute. */
const endOfMinute = 1_793_611_860

const minuteWindow = computeWindowNumber('minute', nowSeconds)
const dayWindow = computeWindowNumber('day', nowSeconds)

/** A key with limits of 60 requests per minute and 1,000 per day. It has made 588 requests on this day. */
const createRecord = (change: Partial<ApiKeyRecord>): ApiKeyRecord =>
  createApiKeyRecord({ minuteWindow, dayWindow, dayCount: 588, ...change })

const createContext = (
  kind: DecisionOfKey['kind'],
  change: Partial<ApiKeyRecord>,
  time = nowSeconds,
): AuthorizerContext => createAuthorizerContext(decideAs(kind, createRecord(change), time))

// In each context, `t` and `retryAfter` are one second longer than the window: the margin for clocks that differ.

it('an admitted request shows the limit of the minute if fewer requests remain in the minute', () => {
  expect(createContext('admitted', { minuteCount: 19 })).toEqual({
    keyId: 'key_0mhi3d2k5a7b3c9d1e',
    idempotencyScope: 'key_0mhi3d2k5a7b3c9d1e',
    plan: 'free',
    scope: 'read-write',
    rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
    rateLimitLimit: '60',
    rateLimitRemaining: '41',
    rateLimitReset: '1793611860',
    rateLimitWindows: '"minute";r=41;t=44, "day";r=412;t=52184',
    retryAfter: '44',
    errorCode: 'none',
    errorMessage: 'none',
  })
})

it('an admitted request shows the limit of the day if fewer requests remain in the day', () => {
  expect(createContext('admitted', { dayCount: 990 })).toMatchObject({
    rateLimitLimit: '1000',
    rateLimitRemaining: '10',
    rateLimitReset: '1793664000',
    rateLimitWindows: '"minute";r=60;t=44, "day";r=10;t=52184',
    retryAfter: '52184',
  })
})

it('an admitted request shows the next minute if a clock that is ahead has opened it', () => {
  expect(createContext('admitted', { minuteWindow: minuteWindow + 1, minuteCount: 5 })).toMatchObject({
    rateLimitRemaining: '55',
    rateLimitReset: '1793611920',
    rateLimitWindows: '"minute";r=55;t=104, "day";r=412;t=52184',
    retryAfter: '104',
  })
})

it('a request over the limit of the minute waits for the end of the minute', () => {
  expect(createContext('exhausted', { minuteCount: 90 })).toMatchObject({
    rateLimitLimit: '60',
    rateLimitRemaining: '0',
    rateLimitReset: '1793611860',
    rateLimitWindows: '"minute";r=0;t=44, "day";r=412;t=52184',
    retryAfter: '44',
    errorCode: 'rate_limit_exceeded',
    errorMessage:
      'The limit of 60 requests per minute is used up. ' +
      'Wait for the time that Retry-After gives, and back off exponentially.',
  })
})

it('a request over both limits waits for the end of the day', () => {
  expect(createContext('exhausted', { minuteCount: 60, dayCount: 1_000 })).toMatchObject({
    rateLimitLimit: '1000',
    rateLimitReset: '1793664000',
    rateLimitWindows: '"minute";r=0;t=44, "day";r=0;t=52184',
    retryAfter: '52184',
    errorMessage: expect.stringContaining('The limit of 1000 requests per day is used up.'),
  })
})

it('a request with a banned key waits for the end of the ban', () => {
  expect(createContext('banned', { bannedUntil: endOfMinute + 600 })).toMatchObject({
    rateLimitRemaining: '0',
    rateLimitReset: '1793612460',
    rateLimitWindows: '"minute";r=0;t=644, "day";r=0;t=644',
    retryAfter: '644',
    errorCode: 'api_key_banned',
    errorMessage:
      'The API key is banned for a time, because requests went on after the limit was used up. ' +
      'Wait for the time that Retry-After gives.',
  })
})

it('a request that could not be counted shows what remains, and may be sent again after a second', () => {
  expect(createContext('uncounted', { minuteCount: 19 })).toMatchObject({
    rateLimitRemaining: '41',
    retryAfter: '1',
    errorCode: 'service_unavailable',
    errorMessage: 'The service is unavailable at the moment. Try again in a moment.',
  })
})

// The margin is a second, or nearly two where the rest of the minute is rounded up.
it.each([
  { millisecondsLeft: 1_001, seconds: 3 },
  { millisecondsLeft: 1_000, seconds: 2 },
  { millisecondsLeft: 1, seconds: 2 },
])('a caller waits $seconds s for the end of a minute of which $millisecondsLeft ms are left', (minute) => {
  const context = createContext('exhausted', { minuteCount: 60 }, endOfMinute - minute.millisecondsLeft / 1_000)

  expect(context.rateLimitWindows).toContain(`"minute";r=0;t=${minute.seconds},`)
  expect(context.retryAfter).toBe(String(minute.seconds))
})

it.each(['admitted', 'exhausted', 'banned', 'uncounted'] as const)(
  'a function accepts the context of a request that is %s from an authorizer of a later version',
  (kind) => {
    const context = createContext(kind, { minuteCount: 60, bannedUntil: endOfMinute })

    expect(findInvalidValue(context)).toBeUndefined()
    expect(findInvalidValue({ ...context, plan: 'a later plan', addedLater: 'a later value' })).toBeUndefined()
  },
)
