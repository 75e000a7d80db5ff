import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { awaitBeforeTimeout, chooseGatewayKey, createAuthorizer } from '../../../../functions/authorizer/authorizer.ts'
import { formatApiKey } from '../../../../shared/api-keys/api-key.ts'
import { takeLimitSnapshot } from '../../../../shared/rate-limit/admission.ts'
import { lambdaContext, readAuthorizerEvent, recordedApiKey } from '../../../events/events.ts'
import { createApiKeyRecord } from '../../../fixtures/api-key-record.ts'
import { createRecordingClient } from '../../../fixtures/clients.ts'
import { noon } from '../../../fixtures/clock.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService } from '../../../fixtures/service.ts'

const event = readAuthorizerEvent()
const random = 'Zq8Rk2Lw0Vn5Xt7Yb1Cd4Fg6Hj9Ms3Pa'

describeOnEachEngine('the authorizer', (engine) => {
  const { client, calls } = createRecordingClient(engine)
  let authorize: (sent?: Partial<typeof event>) => ReturnType<ReturnType<typeof createAuthorizer>>
  beforeEach(async () => {
    const { keys, createLimiter } = await openService(engine)
    await keys.issueKnown(recordedApiKey, { owner: 'a test', plan: 'free', allowance: { perMinute: 1, perDay: 9 } })
    const handler = createAuthorizer(createLimiter({ client }), 'pet_test_', 'the reserved key')
    authorize = (sent) => handler({ ...event, ...sent }, lambdaContext)
    calls.length = 0
  })

  it('allows each request of a valid key, with the error of its limit, and puts nothing of the path into its policy', async () => {
    for (const errorCode of ['none', 'rate_limit_exceeded']) {
      const methodArn = event.methodArn.replace(/(\/v1\/[A-Z]+)\/.*$/, `$1/pets/${'9'.repeat(600)}`)
      const { context, ...response } = await authorize({ methodArn })
      expect(context).toMatchObject({ rateLimitRemaining: '0', errorCode })
      // AWS limits a policy to 512 characters.
      const Resource = event.methodArn.replace(/\/v1\/.*$/, '/v1/*')
      expect(response).toEqual({
        principalId: context?.['keyId'],
        usageIdentifierKey: 'the reserved key',
        policyDocument: {
          Version: '2012-10-17',
          Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource }],
        },
      })
    }
  })

  // Others that are refused are rows of test/requests/authentication.ts.
  it.each([
    ['no headers', null],
    ['two headers', { Authorization: [`Bearer ${recordedApiKey}`, `Bearer ${recordedApiKey}`] }],
    ['two of different case', { Authorization: [`Bearer ${recordedApiKey}`], authorization: [`Bearer ${random}`] }],
    ['a mistyped key', { Authorization: [`Bearer ${recordedApiKey.slice(0, -1)}0`] }],
    ['a key of production', { Authorization: [`Bearer ${formatApiKey('pet_live_', random)}`] }],
  ])('refuses %s, and does not read the table', async (_what, multiValueHeaders) => {
    await expect(authorize({ multiValueHeaders })).rejects.toThrow(/^Unauthorized$/)
    expect(calls).toEqual([])
  })
})

it.each([
  ['before the time that stands in the record', noon - 1, 'admitted', 'reserved'],
  ['from that time on', noon, 'admitted', 'own'],
  ['that is refused', noon, 'exhausted', 'reserved'],
  ['more than 10 seconds before midnight', Date.UTC(2026, 10, 2, 23, 59, 49, 999), 'admitted', 'own'],
  ['10 seconds before midnight', Date.UTC(2026, 10, 2, 23, 59, 50), 'admitted', 'reserved'],
  ['less than 10 seconds after midnight', Date.UTC(2026, 10, 3, 0, 0, 9, 999), 'admitted', 'reserved'],
  ['10 seconds after midnight', Date.UTC(2026, 10, 3, 0, 0, 10), 'admitted', 'own'],
] as const)('a request %s, %i, is metered where it is %s on the %s key', (_when, now, kind, meteredOn) => {
  const record = createApiKeyRecord({ meteredFrom: noon / 1_000 })
  const expected = meteredOn === 'own' ? record.gatewayKey : 'the reserved key'
  expect(chooseGatewayKey({ kind, ...takeLimitSnapshot(record, now) }, 'the reserved key')).toBe(expected)
})

afterEach(() => vi.useRealTimers())

it.each([
  [5_000, 4_500],
  [0, 0],
])('work ends half a second before the timeout of the function: of %i ms left, after %i', async (left, expected) => {
  vi.useFakeTimers()
  const start = Date.now()
  const invocation = { getRemainingTimeInMillis: () => left }
  expect(await awaitBeforeTimeout(invocation, Promise.resolve('done'))).toBe('done')
  const late = awaitBeforeTimeout(invocation, new Promise(() => {})).catch((error) => [
    Date.now() - start,
    String(error),
  ])
  await vi.runAllTimersAsync()
  expect(await late).toEqual([expected, 'Error: DynamoDB did not respond before the timeout of the function.'])
})
