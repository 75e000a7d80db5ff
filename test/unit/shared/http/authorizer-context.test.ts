import { expect, it } from 'vitest'
import { authorizerContext, faultOf } from '../../../../shared/http/authorizer-context.ts'
import { blockedUntil, quotaStatusOf } from '../../../../shared/rate-limit/windows.ts'
import { apiKeyRecord } from '../api-keys/records.ts'
import { endOfDay, endOfMinute, now, windowsOfNow } from '../rate-limit/moments.ts'

const record = apiKeyRecord({ ...windowsOfNow, minuteCount: 60, dayCount: 588 })
const status = quotaStatusOf(record, now)
const snapshot = { record, status, bindingWindow: status.minute, now }
const blockedSnapshot = (moment: number) => {
  const blocked = blockedUntil(moment, status)
  return { ...snapshot, status: blocked, bindingWindow: blocked.minute }
}

/** Of a key whose minute is used up. */
const exhausted = {
  keyId: record.keyId,
  idempotencyScope: record.keyId,
  plan: 'free',
  scope: 'read-write',
  rateLimitLimit: '60',
  rateLimitRemaining: '0',
  rateLimitReset: String(endOfMinute),
  rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
  rateLimitWindows: '"minute";r=0;t=43, "day";r=412;t=52183',
  retryAfter: '44',
  errorCode: 'rate_limit_exceeded',
  errorMessage:
    'The limit of 60 requests per minute is used up. Wait for the time that Retry-After gives, and back off exponentially.',
}

it.each([
  [
    'has no error where the request is admitted',
    { kind: 'admitted', ...snapshot },
    { errorCode: 'none', errorMessage: 'none' },
  ],
  ['names the minute where that is used up', { kind: 'exhausted', ...snapshot }, {}],
  [
    'names the day where that is used up',
    { kind: 'exhausted', ...snapshot, bindingWindow: { ...status.day, remaining: 0 } },
    {
      ...{ rateLimitLimit: '1000', rateLimitReset: String(endOfDay), retryAfter: '52184' },
      errorMessage: exhausted.errorMessage.replace('60 requests per minute', '1000 requests per day'),
    },
  ],
  [
    'tells a banned key when the ban ends',
    { kind: 'banned', ...blockedSnapshot(endOfMinute + 600) },
    {
      ...{ rateLimitReset: String(endOfMinute + 600), rateLimitWindows: '"minute";r=0;t=643, "day";r=0;t=643' },
      ...{ retryAfter: '644', errorCode: 'api_key_banned' },
      errorMessage:
        'The API key is banned for a time, because requests went on after the limit was used up. Wait for the time that Retry-After gives.',
    },
  ],
  [
    'asks a throttled key to wait',
    { kind: 'throttled', ...blockedSnapshot(endOfMinute + 1) },
    {
      ...{ rateLimitReset: String(endOfMinute + 1), rateLimitWindows: '"minute";r=0;t=44, "day";r=0;t=44' },
      retryAfter: '45',
      errorMessage: 'The rate limit is used up. Wait for the time that Retry-After gives, and back off exponentially.',
    },
  ],
] as const)("the authorizer's context %s, and the functions read it", (_what, admission, change) => {
  const context = authorizerContext(admission)
  expect(context).toEqual({ ...exhausted, ...change })
  expect(faultOf(context)).toBeUndefined()
})
