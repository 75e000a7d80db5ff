import { describe, expect, it } from 'vitest'
import { catalogue } from '../../../../shared/errors/catalogue.ts'
import { authorizerContext, faultOf } from '../../../../shared/http/authorizer-context.ts'
import { blockedUntil, quotaStatusOf } from '../../../../shared/rate-limit/windows.ts'
import { apiKeyRecord } from '../api-keys/records.ts'
import { endOfDay, endOfMinute, now, windowsOfNow } from '../rate-limit/moments.ts'

const record = apiKeyRecord({ ...windowsOfNow, minuteCount: 60, dayCount: 588 })
const status = quotaStatusOf(record, now)
const exhausted = { record, status, bindingWindow: status.minute, now }
const blockedSnapshotUntil = (moment: number) => {
  const blocked = blockedUntil(moment, status)
  return { record, status: blocked, bindingWindow: blocked.minute, now }
}

const contexts = {
  admitted: authorizerContext({ kind: 'admitted', ...exhausted }),
  exhausted: authorizerContext({ kind: 'exhausted', ...exhausted }),
  'exhausted for the day': authorizerContext({
    kind: 'exhausted',
    ...exhausted,
    bindingWindow: { ...status.day, remaining: 0 },
  }),
  banned: authorizerContext({ kind: 'banned', ...blockedSnapshotUntil(endOfMinute + 600) }),
  throttled: authorizerContext({ kind: 'throttled', ...blockedSnapshotUntil(endOfMinute + 1) }),
}

const keys = [
  'errorCode',
  'errorMessage',
  'idempotencyScope',
  'keyId',
  'plan',
  'rateLimitLimit',
  'rateLimitPolicy',
  'rateLimitRemaining',
  'rateLimitReset',
  'rateLimitWindows',
  'retryAfter',
  'scope',
]

describe("the authorizer's context", () => {
  it.each(Object.entries(contexts))('has every key: %s', (_kind, context) => {
    expect(Object.keys(context).sort()).toEqual(keys)
  })

  it.each(Object.entries(contexts))(
    'leaves none of them empty, and is one that the functions read: %s',
    (_, context) => {
      expect(Object.values(context)).not.toContain('')
      expect(faultOf(context)).toBeUndefined()
    },
  )

  it('has an error only where the request is refused', () => {
    const errors = Object.entries(contexts).flatMap(([kind, { errorCode }]) => (errorCode === 'none' ? [] : [kind]))
    expect(errors).toEqual(['exhausted', 'exhausted for the day', 'banned', 'throttled'])
    expect(contexts.admitted.errorMessage).toBe('none')
  })

  it('has the numbers of the binding window, and of both windows', () => {
    expect(contexts.exhausted).toEqual({
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
    })
  })

  it('names the limit of the day where that is used up', () => {
    expect(contexts['exhausted for the day']).toMatchObject({
      rateLimitLimit: '1000',
      rateLimitReset: String(endOfDay),
      retryAfter: '52184',
    })
    expect(contexts['exhausted for the day'].errorMessage).toContain('The limit of 1000 requests per day')
  })

  it('tells a banned key when the ban ends', () => {
    expect(contexts.banned).toMatchObject({
      errorCode: 'api_key_banned',
      errorMessage: catalogue.api_key_banned.message,
      rateLimitReset: String(endOfMinute + 600),
      rateLimitWindows: '"minute";r=0;t=643, "day";r=0;t=643',
      retryAfter: '644',
    })
  })

  it('asks a throttled key to wait', () => {
    expect(contexts.throttled).toMatchObject({
      errorCode: 'rate_limit_exceeded',
      errorMessage: catalogue.rate_limit_exceeded.message,
      retryAfter: '45',
    })
  })
})
