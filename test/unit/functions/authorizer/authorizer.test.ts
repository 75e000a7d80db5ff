import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { authorizer, beforeTimeout } from '../../../../functions/authorizer/authorizer.ts'
import { formatApiKey } from '../../../../shared/api-keys/api-key.ts'
import { authorizerEvent, lambdaContext, recordedApiKey } from '../../../events/events.ts'
import { recordingClient } from '../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'

const event = authorizerEvent()
const random = 'Zq8Rk2Lw0Vn5Xt7Yb1Cd4Fg6Hj9Ms3Pa'
/** Its resource is the event's ARN without method and path, which a caller chooses and AWS limits to 512 characters. */
const policyDocument = {
  Version: '2012-10-17',
  Statement: [
    { Action: 'execute-api:Invoke', Effect: 'Allow', Resource: event.methodArn.replace(/\/v1\/.*$/, '/v1/*') },
  ],
}

describeOnEachEngine('the authorizer', (engine) => {
  const { client, calls } = recordingClient(engine)
  let service: Service
  let authorize: (sent?: typeof event) => ReturnType<ReturnType<typeof authorizer>>
  beforeEach(async () => {
    service = await openService(engine)
    const bans = { refusalsBeforeBan: 2, firstBanSeconds: 600, longestBanSeconds: 600 }
    const handler = authorizer(service.limiter({ client, bans }), 'pet_test_', 'the reserved key')
    authorize = (sent = event) => handler(sent, lambdaContext)
    calls.length = 0
  })

  /** A key whose requests are metered on a key of its own from an hour later on, as functions/gateway-keys has it. */
  const issueRecordedKey = async (perMinute: number) => {
    const allowance = { perMinute, perDay: 1_000 }
    await service.keys.issueKnown(recordedApiKey, { owner: 'a test', plan: 'enterprise', allowance })
    for (const stored of await service.table.list()) {
      await service.table.change(stored, { meteredFrom: noon / 1_000 + 3_600 })
    }
    return await service.keys.show(recordedApiKey)
  }

  it('allows a request of a valid key, passes its remaining limits, and puts nothing of the path into its policy', async () => {
    const { keyId } = await issueRecordedKey(60)
    const methodArn = event.methodArn.replace(/(\/v1\/[A-Z]+)\/.*$/, `$1/pets/${'9'.repeat(600)}`)
    const { context, ...response } = await authorize({ ...event, methodArn })
    expect(response).toEqual({ principalId: keyId, policyDocument, usageIdentifierKey: 'the reserved key' })
    expect(context).toMatchObject({ keyId, idempotencyScope: keyId, rateLimitRemaining: '59', errorCode: 'none' })
  })

  it('allows a refused request too, with the error in its context, metered on the reserved key', async () => {
    await issueRecordedKey(1)
    service.time.advance(3_600)
    await authorize()
    for (const errorCode of ['rate_limit_exceeded', 'api_key_banned', 'api_key_banned']) {
      const usageIdentifierKey = 'the reserved key'
      expect(await authorize()).toMatchObject({ policyDocument, usageIdentifierKey, context: { errorCode } })
    }
  })

  it.each([
    ['before the time that stands in the record', noon + 3_599_999, 'reserved'],
    ['from that time on', noon + 3_600_000, 'own'],
    ['more than 10 seconds before midnight', Date.UTC(2026, 10, 2, 23, 59, 49, 999), 'own'],
    ['10 seconds before midnight', Date.UTC(2026, 10, 2, 23, 59, 50), 'reserved'],
    ['at midnight', Date.UTC(2026, 10, 3), 'reserved'],
    ['less than 10 seconds after midnight', Date.UTC(2026, 10, 3, 0, 0, 9, 999), 'reserved'],
    ['10 seconds after midnight', Date.UTC(2026, 10, 3, 0, 0, 10), 'own'],
  ])('has requests %s, %i, metered on the %s key', async (_when, now, meteredOn) => {
    const { gatewayKey } = await issueRecordedKey(60)
    service.time.set(now)
    const response = await authorize()
    expect(response.usageIdentifierKey).toBe(meteredOn === 'own' ? gatewayKey : 'the reserved key')
    expect(JSON.stringify(response)).not.toContain(recordedApiKey)
  })

  // Others that are refused are rows of test/requests/authentication.ts.
  it.each([
    ['no headers', null],
    ['two headers', { Authorization: [`Bearer ${recordedApiKey}`, `Bearer ${recordedApiKey}`] }],
    ['two of different case', { Authorization: [`Bearer ${recordedApiKey}`], authorization: [`Bearer ${random}`] }],
    ['a mistyped key', { Authorization: [`Bearer ${recordedApiKey.slice(0, -1)}0`] }],
    ['a key of production', { Authorization: [`Bearer ${formatApiKey('pet_live_', random)}`] }],
  ])('refuses %s, and does not read the table', async (_what, multiValueHeaders) => {
    await issueRecordedKey(60)
    await expect(authorize({ ...event, multiValueHeaders })).rejects.toThrow(/^Unauthorized$/)
    expect(calls).toEqual([])
  })
})

afterEach(() => {
  vi.useRealTimers()
})

it.each([
  [5_000, 4_500],
  [0, 0],
])('work ends half a second before the timeout of the function: of %i ms left, after %i', async (left, expected) => {
  vi.useFakeTimers()
  const start = Date.now()
  const invocation = { getRemainingTimeInMillis: () => left }
  expect(await beforeTimeout(invocation, Promise.resolve('done'))).toBe('done')
  const late = beforeTimeout(invocation, new Promise(() => {})).catch((error) => [Date.now() - start, String(error)])
  await vi.runAllTimersAsync()
  expect(await late).toEqual([expected, 'Error: DynamoDB did not respond before the timeout of the function.'])
})
