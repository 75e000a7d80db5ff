import { beforeEach, expect, it, vi } from 'vitest'
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
const otherRandomPart = 'Zq8Rk2Lw0Vn5Xt7Yb1Cd4Fg6Hj9Ms3Pa'
const bearer = `Bearer ${recordedApiKey}`

describeOnEachEngine('the authorizer', (engine) => {
  const { client, calls } = createRecordingClient(engine)
  let authorize: (change?: Partial<typeof event>) => ReturnType<ReturnType<typeof createAuthorizer>>
  beforeEach(async () => {
    const { keys, createLimiter } = await openService(engine)
    await keys.issueKnown(recordedApiKey, { owner: 'a test', plan: 'free', allowance: { perMinute: 1, perDay: 9 } })
    const handler = createAuthorizer(createLimiter({ client }), 'pet_test_', 'the reserved key')
    authorize = (change) => handler({ ...event, ...change }, lambdaContext)
    calls.length = 0
  })

  it('a request within the limit is allowed, with no error in the context', async () => {
    const { context } = await authorize()

    expect(context).toMatchObject({ rateLimitRemaining: '0', errorCode: 'none' })
  })

  it('a request over the limit is allowed, with an error in the context', async () => {
    await authorize()

    const { context } = await authorize()

    expect(context).toMatchObject({ rateLimitRemaining: '0', errorCode: 'rate_limit_exceeded' })
  })

  it.each([
    { request: 'within the limit', earlierRequests: 0 },
    { request: 'over the limit', earlierRequests: 1 },
  ])('the policy of a request $request contains nothing of its path', async ({ earlierRequests }) => {
    for (let sent = 0; sent < earlierRequests; sent += 1) await authorize()
    const [stage] = /^arn:.*\/v1\//.exec(event.methodArn) ?? []
    // AWS limits a policy to 512 characters.
    const methodArn = `${stage}GET/pets/${'9'.repeat(600)}`

    const { context, ...response } = await authorize({ methodArn })

    expect(response).toEqual({
      principalId: context?.['keyId'],
      usageIdentifierKey: 'the reserved key',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${stage}*` }],
      },
    })
  })

  // Other refused headers are rows of test/requests/authentication.ts.
  it.each([
    { request: 'a request without headers', headers: null },
    { request: 'a request with two Authorization headers', headers: { Authorization: [bearer, bearer] } },
    {
      request: 'a request with an Authorization header in each of two cases',
      headers: { Authorization: [bearer], authorization: [`Bearer ${formatApiKey('pet_test_', otherRandomPart)}`] },
    },
    { request: 'a mistyped key', headers: { Authorization: [`${bearer.slice(0, -1)}0`] } },
    {
      request: 'a key of production',
      headers: { Authorization: [`Bearer ${formatApiKey('pet_live_', otherRandomPart)}`] },
    },
  ])('$request is refused without a read of the table', async ({ headers }) => {
    await expect(authorize({ multiValueHeaders: headers })).rejects.toThrow(/^Unauthorized$/)

    expect(calls).toEqual([])
  })
})

/** A key that is metered on its own gateway key from noon on. */
const record = createApiKeyRecord({ meteredFrom: noon / 1_000 })

it.each([
  { moment: 'the time in its record', now: noon },
  { moment: 'more than 10 seconds before midnight', now: Date.UTC(2026, 10, 2, 23, 59, 49, 999) },
  { moment: '10 seconds after midnight', now: Date.UTC(2026, 10, 3, 0, 0, 10) },
])('an admitted request is metered on its own key at $moment', ({ now }) => {
  const admission = { kind: 'admitted', ...takeLimitSnapshot(record, now) } as const

  expect(chooseGatewayKey(admission, 'the reserved key')).toBe('GatewayKeyOfTheUnitTests')
})

it.each([
  { moment: 'a millisecond before the time in its record', now: noon - 1 },
  { moment: '10 seconds before midnight', now: Date.UTC(2026, 10, 2, 23, 59, 50) },
  { moment: 'less than 10 seconds after midnight', now: Date.UTC(2026, 10, 3, 0, 0, 9, 999) },
])('an admitted request is metered on the reserved key at $moment', ({ now }) => {
  const admission = { kind: 'admitted', ...takeLimitSnapshot(record, now) } as const

  expect(chooseGatewayKey(admission, 'the reserved key')).toBe('the reserved key')
})

it('a request over a limit is metered on the reserved key', () => {
  const admission = { kind: 'exhausted', ...takeLimitSnapshot(record, noon) } as const

  expect(chooseGatewayKey(admission, 'the reserved key')).toBe('the reserved key')
})

it('work that ends before the timeout of the function gives its result', async () => {
  const invocation = { getRemainingTimeInMillis: () => 5_000 }

  expect(await awaitBeforeTimeout(invocation, Promise.resolve('done'))).toBe('done')
})

it('work that has ended gives its result even if no time is left', async () => {
  const invocation = { getRemainingTimeInMillis: () => 0 }

  expect(await awaitBeforeTimeout(invocation, Promise.resolve('done'))).toBe('done')
})

// The function ends half a second before its timeout.
it.each([
  { remainingMilliseconds: 5_000, waitMilliseconds: 4_500 },
  { remainingMilliseconds: 0, waitMilliseconds: 0 },
])(
  'work without an end fails $waitMilliseconds ms after the start if $remainingMilliseconds ms remain',
  async ({ remainingMilliseconds, waitMilliseconds }) => {
    vi.useFakeTimers()
    const startedAt = Date.now()
    const invocation = { getRemainingTimeInMillis: () => remainingMilliseconds }
    const endlessWork = new Promise(() => {})

    const failure = awaitBeforeTimeout(invocation, endlessWork).catch((error) => ({
      error: String(error),
      afterMilliseconds: Date.now() - startedAt,
    }))
    await vi.runAllTimersAsync()

    expect(await failure).toEqual({
      error: 'Error: DynamoDB did not respond before the timeout of the function.',
      afterMilliseconds: waitMilliseconds,
    })
  },
)
