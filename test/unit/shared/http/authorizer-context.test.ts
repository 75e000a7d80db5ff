import { expect, it } from 'vitest'
import type { ApiKeyRecord } from '../../../../shared/api-keys/api-key-record.ts'
import { authorizerContext, faultOf } from '../../../../shared/http/authorizer-context.ts'
import { blocked, snapshotOf } from '../../../../shared/rate-limit/admission.ts'
import { apiKeyRecord } from '../api-keys/records.ts'
import { endOfDay, endOfMinute, now, windowsOfNow } from '../rate-limit/moments.ts'

const { minuteWindow } = windowsOfNow
const usedUp = { minuteCount: 60, dayCount: 1_000 }

const recordOf = (change: Partial<ApiKeyRecord>) => apiKeyRecord({ ...windowsOfNow, dayCount: 588, ...change })
const decided = (kind: 'admitted' | 'exhausted', change: Partial<ApiKeyRecord>) =>
  authorizerContext({ kind, ...snapshotOf(recordOf(change), now) })
const until = (kind: 'banned' | 'throttled', moment: number, change: Partial<ApiKeyRecord> = {}) => {
  const admission = blocked(kind, recordOf(change), moment, now)
  if (admission.kind === 'invalid') throw new Error('The key is invalid.')
  return authorizerContext(admission)
}

// The window of X-RateLimit-* is the one with fewer requests remaining, and of two alike the one that ends later.
it.each([
  ['what remains of both', 'minute', [41, 43, 412, 52_183], () => decided('admitted', { minuteCount: 19 })],
  ['the day where less remains of it', 'day', [60, 43, 10, 52_183], () => decided('admitted', { dayCount: 990 })],
  [
    'an expired one as unused',
    'minute',
    [60, 43, 412, 52_183],
    () => decided('admitted', { minuteWindow: 0, minuteCount: 9 }),
  ],
  [
    'one that a clock ahead has opened',
    ...(['minute', [55, 103, 412, 52_183]] as const),
    () => decided('admitted', { minuteWindow: minuteWindow + 1, minuteCount: 5 }),
  ],
  ['nothing below zero', 'minute', [0, 43, 412, 52_183], () => decided('exhausted', { minuteCount: 90 })],
  ['the day where both are used up', 'day', [0, 43, 0, 52_183], () => decided('exhausted', usedUp)],
  ['the end of a ban in both', 'minute', [0, 643, 0, 643], () => until('banned', endOfMinute + 600)],
  [
    'a used minute beyond a ban',
    'minute',
    [0, 43, 0, 33],
    () => until('banned', endOfMinute - 10, { minuteCount: 60 }),
  ],
  ['a used day beyond a ban', 'day', [0, 44, 0, 52_183], () => until('banned', endOfMinute + 1, usedUp)],
] as const)(
  "of both windows the authorizer's context shows %s; X-RateLimit-* the %s",
  (_what, window, left, contextOf) => {
    const [ofMinute, minuteEnds, ofDay, dayEnds] = left
    const [limit, remaining, ends] = window === 'minute' ? [60, ofMinute, minuteEnds] : [1_000, ofDay, dayEnds]
    expect(contextOf()).toMatchObject({
      ...{ rateLimitLimit: String(limit), rateLimitRemaining: String(remaining), retryAfter: String(ends + 1) },
      rateLimitReset: String(Math.floor(now / 1_000) + ends),
      rateLimitWindows: `"minute";r=${ofMinute};t=${minuteEnds}, "day";r=${ofDay};t=${dayEnds}`,
    })
  },
)

const wait = 'Wait for the time that Retry-After gives'
const used = (limit: string) => `The limit of ${limit} is used up. ${wait}, and back off exponentially.`

it.each([
  ['admits', 'none', 'none', () => decided('admitted', {})],
  [
    'names the minute',
    'rate_limit_exceeded',
    used('60 requests per minute'),
    () => decided('exhausted', { minuteCount: 60 }),
  ],
  ['names the day', 'rate_limit_exceeded', used('1000 requests per day'), () => decided('exhausted', usedUp)],
  [
    'tells of a ban',
    'api_key_banned',
    `The API key is banned for a time, because requests went on after the limit was used up. ${wait}.`,
    () => until('banned', endOfDay),
  ],
  [
    'asks a throttled key to wait',
    'rate_limit_exceeded',
    `The rate limit is used up. ${wait}, and back off exponentially.`,
    () => until('throttled', endOfMinute),
  ],
])("the authorizer's context %s, and the functions read it", (_what, errorCode, errorMessage, contextOf) => {
  const context = contextOf()
  const { keyId } = recordOf({})
  expect(context).toMatchObject({
    ...{ keyId, idempotencyScope: keyId, plan: 'free', scope: 'read-write', errorCode, errorMessage },
    rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
  })
  expect(faultOf(context)).toBeUndefined()
})
