import { expect, it } from 'vitest'
import type { ApiKeyRecord } from '../../../../shared/api-keys/api-key-record.ts'
import {
  type AuthorizerContext,
  createAuthorizerContext,
  findInvalidValue,
} from '../../../../shared/http/authorizer-context.ts'
import { blockUntil, type Decision, takeLimitSnapshot } from '../../../../shared/rate-limit/decision.ts'
import { computeWindowNumber } from '../../../../shared/rate-limit/windows.ts'
import { createApiKeyRecord } from '../../../fixtures/api-key-record.ts'

// The counting of requests in both windows is tested in test/unit/shared/rate-limit.

/** 17.4 seconds into a minute. */
const now = Date.UTC(2026, 10, 2, 9, 30, 17, 400)
/** 9:31 on the same day, in Unix seconds: the end of the minute. */
const endOfMinute = 1_793_611_860

const minuteWindow = computeWindowNumber('minute', now)
const dayWindow = computeWindowNumber('day', now)

/** A key with limits of 60 requests per minute and 1,000 per day. It has made 588 requests on this day. */
const createRecord = (change: Partial<ApiKeyRecord>): ApiKeyRecord =>
  createApiKeyRecord({ minuteWindow, dayWindow, dayCount: 588, ...change })

const createContext = (decision: Decision): AuthorizerContext => {
  if (decision.kind === 'invalid') throw new Error('The key is invalid.')
  return createAuthorizerContext(decision)
}

const createDecidedContext = (
  kind: 'admitted' | 'exhausted',
  change: Partial<ApiKeyRecord>,
  time = now,
): AuthorizerContext => createContext({ kind, ...takeLimitSnapshot(createRecord(change), time) })

const createBlockedContext = (kind: 'banned' | 'throttled', until: number): AuthorizerContext =>
  createContext(blockUntil(kind, createRecord({}), until, now))

// In each context, `t` and `retryAfter` are one second longer than the window: the margin for clocks that differ.

/** Values that are the same in every context of the key. */
const valuesOfKey = {
  keyId: 'key_0mhi3d2k5a7b3c9d1e',
  idempotencyScope: 'key_0mhi3d2k5a7b3c9d1e',
  plan: 'free',
  scope: 'read-write',
  rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
}

it('an admitted request shows the limit of the minute if fewer requests remain in the minute', () => {
  expect(createDecidedContext('admitted', { minuteCount: 19 })).toEqual({
    ...valuesOfKey,
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
  expect(createDecidedContext('admitted', { dayCount: 990 })).toEqual({
    ...valuesOfKey,
    rateLimitLimit: '1000',
    rateLimitRemaining: '10',
    rateLimitReset: '1793664000',
    rateLimitWindows: '"minute";r=60;t=44, "day";r=10;t=52184',
    retryAfter: '52184',
    errorCode: 'none',
    errorMessage: 'none',
  })
})

it('an admitted request shows the next minute if a clock that is ahead has opened it', () => {
  expect(createDecidedContext('admitted', { minuteWindow: minuteWindow + 1, minuteCount: 5 })).toEqual({
    ...valuesOfKey,
    rateLimitLimit: '60',
    rateLimitRemaining: '55',
    rateLimitReset: '1793611920',
    rateLimitWindows: '"minute";r=55;t=104, "day";r=412;t=52184',
    retryAfter: '104',
    errorCode: 'none',
    errorMessage: 'none',
  })
})

it('a request over the limit of the minute waits for the end of the minute', () => {
  expect(createDecidedContext('exhausted', { minuteCount: 90 })).toEqual({
    ...valuesOfKey,
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
  expect(createDecidedContext('exhausted', { minuteCount: 60, dayCount: 1_000 })).toEqual({
    ...valuesOfKey,
    rateLimitLimit: '1000',
    rateLimitRemaining: '0',
    rateLimitReset: '1793664000',
    rateLimitWindows: '"minute";r=0;t=44, "day";r=0;t=52184',
    retryAfter: '52184',
    errorCode: 'rate_limit_exceeded',
    errorMessage:
      'The limit of 1000 requests per day is used up. ' +
      'Wait for the time that Retry-After gives, and back off exponentially.',
  })
})

it('a request with a banned key waits for the end of the ban', () => {
  expect(createBlockedContext('banned', endOfMinute + 600)).toEqual({
    ...valuesOfKey,
    rateLimitLimit: '60',
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

it('a request with a throttled key waits until the key is no longer throttled', () => {
  expect(createBlockedContext('throttled', endOfMinute)).toEqual({
    ...valuesOfKey,
    rateLimitLimit: '60',
    rateLimitRemaining: '0',
    rateLimitReset: '1793611860',
    rateLimitWindows: '"minute";r=0;t=44, "day";r=0;t=44',
    retryAfter: '44',
    errorCode: 'rate_limit_exceeded',
    errorMessage: 'The rate limit is used up. Wait for the time that Retry-After gives, and back off exponentially.',
  })
})

// The margin is a second, or nearly two where the rest of the minute is rounded up.
it.each([
  { millisecondsLeft: 1_001, seconds: 3 },
  { millisecondsLeft: 1_000, seconds: 2 },
  { millisecondsLeft: 1, seconds: 2 },
])('a caller waits $seconds s for the end of a minute of which $millisecondsLeft ms are left', (minute) => {
  const context = createDecidedContext('exhausted', { minuteCount: 60 }, endOfMinute * 1_000 - minute.millisecondsLeft)

  expect(context.rateLimitWindows).toContain(`"minute";r=0;t=${minute.seconds},`)
  expect(context.retryAfter).toBe(String(minute.seconds))
})

it.each([
  { request: 'an admitted request', context: createDecidedContext('admitted', { minuteCount: 19 }) },
  {
    request: 'an admitted request near the limit of the day',
    context: createDecidedContext('admitted', { dayCount: 990 }),
  },
  {
    request: 'an admitted request in a minute that is ahead',
    context: createDecidedContext('admitted', { minuteWindow: minuteWindow + 1, minuteCount: 5 }),
  },
  {
    request: 'a request over the limit of the minute',
    context: createDecidedContext('exhausted', { minuteCount: 90 }),
  },
  {
    request: 'a request over both limits',
    context: createDecidedContext('exhausted', { minuteCount: 60, dayCount: 1_000 }),
  },
  { request: 'a request with a banned key', context: createBlockedContext('banned', endOfMinute + 600) },
  { request: 'a request with a throttled key', context: createBlockedContext('throttled', endOfMinute) },
])('a function accepts the context of $request from an authorizer of a later version', ({ context }) => {
  expect(findInvalidValue(context)).toBeUndefined()
  expect(findInvalidValue({ ...context, plan: 'a later plan', addedLater: 'a later value' })).toBeUndefined()
})

/** Values that are invalid under each name. */
const alwaysInvalid = [undefined, '', null, 7, {}, ['none'], 'a\n', '\na']

/** Invalid values under each name of a context but `plan`, which no function reads. */
const invalidValues: Readonly<Record<Exclude<keyof AuthorizerContext, 'plan'>, readonly unknown[]>> = {
  keyId: alwaysInvalid,
  idempotencyScope: alwaysInvalid,
  scope: [...alwaysInvalid, 'write', 'READ-WRITE', 'read-write ', ' read', 'read,read-write', 'none'],
  rateLimitLimit: [...alwaysInvalid, '-1', '1.5'],
  rateLimitRemaining: [...alwaysInvalid, '-1', '1.5'],
  rateLimitReset: [...alwaysInvalid, '-1', '1.5'],
  rateLimitPolicy: alwaysInvalid,
  rateLimitWindows: alwaysInvalid,
  retryAfter: [...alwaysInvalid, 'soon', '17 s'],
  errorCode: [...alwaysInvalid, 'None', 'unauthorized', 'internal_error', 'none ', ' none'],
  errorMessage: alwaysInvalid,
}

it.each(Object.entries(invalidValues))('a context is invalid without a valid %s', (name, values) => {
  const { plan: _, ...validContext } = createDecidedContext('admitted', {})

  for (const value of values) {
    expect({ value, invalid: findInvalidValue({ ...validContext, [name]: value }) }).toEqual({ value, invalid: name })
  }
})

it.each([
  { value: undefined },
  { value: null },
  { value: 'text' },
  { value: 7 },
  { value: true },
  { value: [] },
  { value: {} },
])('the value $value is no context', ({ value }) => {
  expect(findInvalidValue(value)).toBe('keyId')
})
