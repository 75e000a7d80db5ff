import { expect, it } from 'vitest'
import type { ApiKeyRecord } from '../../../../shared/api-keys/api-key-record.ts'
import { authorizerContext, faultOf } from '../../../../shared/http/authorizer-context.ts'
import { type Admission, blocked, snapshotOf } from '../../../../shared/rate-limit/admission.ts'
import { windowAt } from '../../../../shared/rate-limit/windows.ts'
import { apiKeyRecord } from '../api-keys/records.ts'

// What becomes of both windows from request to request: test/unit/shared/rate-limit.

/** 17.4 seconds into a minute, half past nine on a Monday. */
const now = Date.UTC(2026, 10, 2, 9, 30, 17, 400)
const endOfMinute = Date.UTC(2026, 10, 2, 9, 31) / 1_000
const [minuteWindow, dayWindow] = [windowAt('minute', now), windowAt('day', now)]
const usedUp = { minuteCount: 60, dayCount: 1_000 }

const recordOf = (change: Partial<ApiKeyRecord>) => apiKeyRecord({ minuteWindow, dayWindow, dayCount: 588, ...change })
const contextOf = (admission: Admission) => {
  if (admission.kind === 'invalid') throw new Error('The key is invalid.')
  return authorizerContext(admission)
}
const decided = (kind: 'admitted' | 'exhausted', change: Partial<ApiKeyRecord>, at = now) =>
  contextOf({ kind, ...snapshotOf(recordOf(change), at) })
const until = (kind: 'banned' | 'throttled', moment: number, change: Partial<ApiKeyRecord> = {}) =>
  contextOf(blocked(kind, recordOf(change), moment, now))

type Row = readonly [what: string, window: 'minute' | 'day', left: readonly number[], context: object]

// The window of X-RateLimit-* is the one with fewer requests remaining, and of two alike the one that ends later.
it.each<Row>([
  ['what remains of both', 'minute', [41, 43, 412, 52_183], decided('admitted', { minuteCount: 19 })],
  ['the day where less remains of it', 'day', [60, 43, 10, 52_183], decided('admitted', { dayCount: 990 })],
  [
    'an expired one as unused',
    'minute',
    [60, 43, 412, 52_183],
    decided('admitted', { minuteWindow: 0, ...usedUp, dayCount: 588 }),
  ],
  [
    'one that a clock ahead has opened',
    'minute',
    [55, 103, 412, 52_183],
    decided('admitted', { minuteWindow: minuteWindow + 1, minuteCount: 5 }),
  ],
  ['nothing below zero', 'minute', [0, 43, 412, 52_183], decided('exhausted', { minuteCount: 90 })],
  ['the day where both are used up', 'day', [0, 43, 0, 52_183], decided('exhausted', usedUp)],
  ['the end of a ban in both', 'minute', [0, 643, 0, 643], until('banned', endOfMinute + 600)],
  ['a used minute beyond a ban', 'minute', [0, 43, 0, 33], until('banned', endOfMinute - 10, { minuteCount: 60 })],
  ['a used day beyond a ban', 'day', [0, 44, 0, 52_183], until('banned', endOfMinute + 1, usedUp)],
])("of both windows the authorizer's context shows %s; X-RateLimit-* the %s", (_what, window, left, context) => {
  const [ofMinute, minuteEnds = 0, ofDay, dayEnds = 0] = left
  const [limit, remaining, ends] = window === 'minute' ? [60, ofMinute, minuteEnds] : [1_000, ofDay, dayEnds]
  expect(context).toMatchObject({
    ...{ rateLimitLimit: String(limit), rateLimitRemaining: String(remaining), retryAfter: String(ends + 1) },
    rateLimitReset: String(Math.floor(now / 1_000) + ends),
    rateLimitWindows: `"minute";r=${ofMinute};t=${minuteEnds}, "day";r=${ofDay};t=${dayEnds}`,
  })
})

it.each([
  [endOfMinute * 1_000 - 1_001, 2],
  [endOfMinute * 1_000 - 1_000, 1],
  [endOfMinute * 1_000 - 1, 1],
])('at %i the minute ends in %i seconds: whole, at least 1, never short of the moment', (time, seconds) => {
  expect(decided('admitted', {}, time).rateLimitWindows).toContain(`"minute";r=60;t=${seconds},`)
})

const wait = 'Wait for the time that Retry-After gives'
const used = (limit: string) => `The limit of ${limit} is used up. ${wait}, and back off exponentially.`
const banned = 'The API key is banned for a time, because requests went on after the limit was used up.'

it.each([
  ['admits', 'none', 'none', decided('admitted', {})],
  [
    'names the minute',
    'rate_limit_exceeded',
    used('60 requests per minute'),
    decided('exhausted', { minuteCount: 60 }),
  ],
  ['names the day', 'rate_limit_exceeded', used('1000 requests per day'), decided('exhausted', usedUp)],
  ['tells of a ban', 'api_key_banned', `${banned} ${wait}.`, until('banned', endOfMinute)],
  [
    'asks to wait',
    'rate_limit_exceeded',
    `The rate limit is used up. ${wait}, and back off exponentially.`,
    until('throttled', endOfMinute),
  ],
])("the authorizer's context %s, and the functions read it", (_what, errorCode, errorMessage, context) => {
  const { keyId } = recordOf({})
  expect(context).toMatchObject({
    ...{ keyId, idempotencyScope: keyId, plan: 'free', scope: 'read-write', errorCode, errorMessage },
    rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
  })
  expect(faultOf({ ...context, plan: 'of tomorrow', added: 'tomorrow' })).toBeUndefined()
})

/** Values that no authorizer of this version passes under a name, beside those that it passes under none. */
const unreadable: Readonly<Record<string, readonly unknown[]>> = {
  scope: ['write', 'READ-WRITE', 'read-write ', ' read', 'read,read-write', 'none'],
  errorCode: ['None', 'unauthorized', 'internal_error', 'none ', ' none'],
  rateLimitLimit: ['-1', '1.5'],
  retryAfter: ['soon', '17 s'],
}
const { plan: _, ...admitted } = decided('admitted', {})

it.each(Object.keys(admitted))('a context with another %s is not read', (name) => {
  for (const value of [undefined, '', null, 7, {}, ['none'], 'a\n', '\na', ...(unreadable[name] ?? [])]) {
    expect([value, faultOf({ ...admitted, [name]: value })]).toEqual([value, name])
  }
})

it.each([undefined, null, 'text', 7, true, [[]], {}])('%j is no context', (value) => {
  expect(faultOf(value)).toBe('keyId')
})
