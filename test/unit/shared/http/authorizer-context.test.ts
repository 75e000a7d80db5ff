import { expect, it } from 'vitest'
import type { ApiKeyRecord } from '../../../../shared/api-keys/api-key-record.ts'
import { createAuthorizerContext, findInvalidValue } from '../../../../shared/http/authorizer-context.ts'
import { type Admission, blockUntil, takeLimitSnapshot } from '../../../../shared/rate-limit/admission.ts'
import { computeWindowNumber } from '../../../../shared/rate-limit/windows.ts'
import { createApiKeyRecord } from '../../../fixtures/api-key-record.ts'

// What becomes of both windows from request to request: test/unit/shared/rate-limit.

/** 17.4 seconds into a minute, half past nine on a Monday. */
const now = Date.UTC(2026, 10, 2, 9, 30, 17, 400)
const endOfMinute = Date.UTC(2026, 10, 2, 9, 31) / 1_000
const [minuteWindow, dayWindow] = [computeWindowNumber('minute', now), computeWindowNumber('day', now)]
const usedUp = { minuteCount: 60, dayCount: 1_000 }

const recordOf = (change: Partial<ApiKeyRecord>) =>
  createApiKeyRecord({ minuteWindow, dayWindow, dayCount: 588, ...change })
const contextOf = (admission: Admission) => {
  if (admission.kind === 'invalid') throw new Error('The key is invalid.')
  return createAuthorizerContext(admission)
}
const decided = (kind: 'admitted' | 'exhausted', change: Partial<ApiKeyRecord>, at = now) =>
  contextOf({ kind, ...takeLimitSnapshot(recordOf(change), at) })
const until = (kind: 'banned' | 'throttled', moment: number, change: Partial<ApiKeyRecord> = {}) =>
  contextOf(blockUntil(kind, recordOf(change), moment, now))

type Shown = readonly [limit: number, remaining: number, ends: number]
type Row = readonly [what: string, context: object, shown: Shown, windows: string, error: readonly [string, string]]

const wait = 'Wait for the time that Retry-After gives'
const none = ['none', 'none'] as const
const used = (limit: string) =>
  ['rate_limit_exceeded', `The ${limit} is used up. ${wait}, and back off exponentially.`] as const
const [perMinute, perDay] = [used('limit of 60 requests per minute'), used('limit of 1000 requests per day')]
const banned = [
  'api_key_banned',
  `The API key is banned for a time, because requests went on after the limit was used up. ${wait}.`,
] as const
// A clock ahead has opened the next minute.
const ahead = { minuteWindow: minuteWindow + 1, minuteCount: 5 }

// The window of X-RateLimit-* is the one with fewer requests remaining, and of two alike the one that ends later.
it.each<Row>([
  ['less of the minute', decided('admitted', { minuteCount: 19 }), [60, 41, 43], 'r=41;t=43 r=412;t=52183', none],
  ['less of the day', decided('admitted', { dayCount: 990 }), [1_000, 10, 52_183], 'r=60;t=43 r=10;t=52183', none],
  ['a minute that is ahead', decided('admitted', ahead), [60, 55, 103], 'r=55;t=103 r=412;t=52183', none],
  ['a used minute', decided('exhausted', { minuteCount: 90 }), [60, 0, 43], 'r=0;t=43 r=412;t=52183', perMinute],
  ['both used', decided('exhausted', usedUp), [1_000, 0, 52_183], 'r=0;t=43 r=0;t=52183', perDay],
  ['a ban', until('banned', endOfMinute + 600), [60, 0, 643], 'r=0;t=643 r=0;t=643', banned],
  ['a key that is throttled', until('throttled', endOfMinute), [60, 0, 43], 'r=0;t=43 r=0;t=43', used('rate limit')],
])("the authorizer's context shows %s, and the functions read it", (_what, context, shown, windows, error) => {
  const { keyId } = recordOf({})
  const [limit, remaining, ends] = shown
  const [ofMinute, ofDay] = windows.split(' ')
  const [errorCode, errorMessage] = error
  expect(context).toEqual({
    ...{ keyId, idempotencyScope: keyId, plan: 'free', scope: 'read-write', errorCode, errorMessage },
    ...{ rateLimitLimit: String(limit), rateLimitRemaining: String(remaining), retryAfter: String(ends + 1) },
    rateLimitReset: String(Math.floor(now / 1_000) + ends),
    rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
    rateLimitWindows: `"minute";${ofMinute}, "day";${ofDay}`,
  })
  expect(findInvalidValue({ ...context, plan: 'of tomorrow', added: 'tomorrow' })).toBeUndefined()
})

it.each([
  [endOfMinute * 1_000 - 1_001, 2],
  [endOfMinute * 1_000 - 1_000, 1],
  [endOfMinute * 1_000 - 1, 1],
])('at %i the minute ends in %i seconds: whole, at least 1, never short of the moment', (time, seconds) => {
  expect(decided('admitted', {}, time).rateLimitWindows).toContain(`"minute";r=60;t=${seconds},`)
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
    expect([value, findInvalidValue({ ...admitted, [name]: value })]).toEqual([value, name])
  }
})

it.each([undefined, null, 'text', 7, true, [[]], {}])('%j is no context', (value) => {
  expect(findInvalidValue(value)).toBe('keyId')
})
