import { beforeEach, expect, it } from 'vitest'
import { authorizer } from '../../../../functions/authorizer/authorizer.ts'
import { formatApiKey } from '../../../../shared/api-keys/api-key.ts'
import { authorizerEvent, lambdaContext, recordedApiKey } from '../../../events/events.ts'
import { recordingClient } from '../../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'
import { noon } from '../../../fixtures/settable-clock.ts'

const event = authorizerEvent()
const random = 'Zq8Rk2Lw0Vn5Xt7Yb1Cd4Fg6Hj9Ms3Pa'
/** The event's ARN without its method and path, which a caller chooses and AWS limits to 512 characters in a policy. */
const wholeStage = event.methodArn.replace(/\/v1\/.*$/, '/v1/*')
const sending = (...values: string[]) => ({ ...event, multiValueHeaders: { Authorization: values } })

describeOnEachEngine('the authorizer', (engine) => {
  const { client, calls } = recordingClient(engine)
  let service: Service
  let authorize: (sent: typeof event) => ReturnType<ReturnType<typeof authorizer>>
  beforeEach(async () => {
    service = await openService(engine)
    const bans = { refusalsBeforeBan: 2, firstBanSeconds: 600, longestBanSeconds: 600 }
    const handler = authorizer(service.limiter({ client, bans }), 'pet_test_', 'the reserved key')
    authorize = (sent) => handler(sent, lambdaContext)
    calls.length = 0
  })

  const issueRecordedKey = async (perMinute: number): Promise<string> => {
    const allowance = { perMinute, perDay: 1_000 }
    await service.keys.issueKnown(recordedApiKey, { owner: 'a test', plan: 'enterprise', allowance })
    // As functions/gateway-keys does.
    for (const stored of await service.table.list())
      await service.table.change(stored, { meteredFrom: noon / 1_000 + 3_600 })
    return (await service.keys.show(recordedApiKey)).keyId
  }

  it('allows a request of a valid key, and passes its remaining limits', async () => {
    const keyId = await issueRecordedKey(60)
    expect(await authorize(event)).toEqual({
      principalId: keyId,
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: wholeStage }],
      },
      context: {
        keyId,
        idempotencyScope: keyId,
        plan: 'enterprise',
        scope: 'read-write',
        rateLimitLimit: '60',
        rateLimitRemaining: '59',
        rateLimitReset: String(noon / 1_000 + 50),
        rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
        rateLimitWindows: '"minute";r=59;t=50, "day";r=999;t=43190',
        retryAfter: '51',
        errorCode: 'none',
        errorMessage: 'none',
      },
      usageIdentifierKey: 'the reserved key',
    })
  })

  it('puts nothing of the path into its policy', async () => {
    await issueRecordedKey(60)
    const path = `/pets/${'9'.repeat(600)}`
    const response = await authorize({
      ...event,
      methodArn: event.methodArn.replace(/(\/v1\/[A-Z]+)\/.*$/, `$1${path}`),
    })
    expect(response.policyDocument.Statement).toMatchObject([{ Effect: 'Allow', Resource: wholeStage }])
  })

  it('has requests metered on the reserved key until the time that stands in the record, then on its own', async () => {
    const keyId = await issueRecordedKey(60)
    const { gatewayKey } = await service.keys.show(keyId)
    service.time.advance(3_599)
    expect((await authorize(event)).usageIdentifierKey).toBe('the reserved key')
    service.time.advance(1)
    const response = await authorize(event)
    expect(response.usageIdentifierKey).toBe(gatewayKey)
    expect(JSON.stringify(response)).not.toContain(recordedApiKey)
  })

  it('allows a request over the limit with an error code and the time to wait, metered on the reserved key', async () => {
    await issueRecordedKey(1)
    service.time.advance(3_600)
    await authorize(event)
    expect(await authorize(event)).toMatchObject({
      policyDocument: { Statement: [{ Effect: 'Allow', Resource: wholeStage }] },
      usageIdentifierKey: 'the reserved key',
      context: {
        rateLimitLimit: '1',
        rateLimitRemaining: '0',
        rateLimitReset: String(noon / 1_000 + 3_650),
        retryAfter: '51',
        errorCode: 'rate_limit_exceeded',
      },
    })
  })

  it('allows the requests of a banned key in the same way, until the ban ends', async () => {
    await issueRecordedKey(1)
    for (let request = 0; request < 3; request += 1) await authorize(event)
    expect(await authorize(event)).toMatchObject({
      policyDocument: { Statement: [{ Effect: 'Allow' }] },
      usageIdentifierKey: 'the reserved key',
      context: { errorCode: 'api_key_banned', retryAfter: '601', rateLimitReset: String(noon / 1_000 + 600) },
    })
  })

  it.each([
    [Date.UTC(2026, 10, 2, 23, 59, 49, 999), 'the key itself'],
    [Date.UTC(2026, 10, 2, 23, 59, 50), 'the reserved key'],
    [Date.UTC(2026, 10, 2, 23, 59, 59, 999), 'the reserved key'],
    [Date.UTC(2026, 10, 3, 0, 0, 0), 'the reserved key'],
    [Date.UTC(2026, 10, 3, 0, 0, 9, 999), 'the reserved key'],
    [Date.UTC(2026, 10, 3, 0, 0, 10), 'the key itself'],
  ])('has requests around midnight metered on the reserved key: at %i on %s', async (now, meteredOn) => {
    const { gatewayKey } = await service.keys.show(await issueRecordedKey(60))
    service.time.set(now)
    const expected = meteredOn === 'the key itself' ? gatewayKey : meteredOn
    expect((await authorize(event)).usageIdentifierKey).toBe(expected)
  })

  it('refuses a key that was never issued', async () => {
    await expect(authorize(event)).rejects.toThrow(/^Unauthorized$/)
  })

  it.each([
    ['no header', []],
    ['two headers', [`Bearer ${recordedApiKey}`, `Bearer ${recordedApiKey}`]],
    ['a mistyped key', [`Bearer ${recordedApiKey.slice(0, -1)}0`]],
    ['a key of production', [`Bearer ${formatApiKey('pet_live_', random)}`]],
    ['a short key', [`Bearer ${formatApiKey('pet_test_', random.slice(1))}`]],
    ['a key without end', [`Bearer pet_test_${'a'.repeat(10_000)}`]],
  ])('refuses %s, and does not read the table', async (_what, values) => {
    await issueRecordedKey(60)
    await expect(authorize(sending(...values))).rejects.toThrow(/^Unauthorized$/)
    expect(calls).toEqual([])
  })
})
