import fc from 'fast-check'
import { beforeEach, expect, it, vi } from 'vitest'
import { awaitBeforeTimeout, chooseGatewayKey, createAuthorizer } from '../../../../functions/authorizer/authorizer.ts'
import { formatApiKey, hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { fixedPlanNames, fixedPlans, maximumPerMinute, type Plan } from '../../../../shared/api-keys/plans.ts'
import { takeLimitSnapshot } from '../../../../shared/rate-limit/decision.ts'
import { lambdaContext, readAuthorizerEvent, recordedApiKey } from '../../../events/events.ts'
import { createApiKeyRecord } from '../../../fixtures/api-key-record.ts'
import { createInterceptingClient, createRecordingClient } from '../../../fixtures/clients.ts'
import { noon } from '../../../fixtures/clock.ts'
import { editItem } from '../../../fixtures/edit-item.ts'
import { describeOnEachEngine } from '../../../fixtures/engines.ts'
import { openService, type Service } from '../../../fixtures/service.ts'

const event = readAuthorizerEvent()
const otherRandomPart = 'Zq8Rk2Lw0Vn5Xt7Yb1Cd4Fg6Hj9Ms3Pa'
const bearer = `Bearer ${recordedApiKey}`

describeOnEachEngine('the authorizer', (engine) => {
  const { client, calls } = createRecordingClient(engine)
  let service: Service
  let authorize: (change?: Partial<typeof event>) => ReturnType<ReturnType<typeof createAuthorizer>>
  beforeEach(async () => {
    service = await openService(engine)
    const { keys, createLimiter } = service
    await keys.issueKnown(recordedApiKey, { owner: 'a test', plan: 'free', limits: { perMinute: 1, perDay: 9 } })
    const handler = createAuthorizer(createLimiter({ client }), 'pet_test_', 'the unlimited gateway key')
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
      usageIdentifierKey: 'the unlimited gateway key',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${stage}*` }],
      },
    })
  })

  /** The log of a request that the authorizer could not decide. The id of its key is unknown then. */
  const expectLogged = (error: string) => ({
    operation: 'authorizer',
    requestId: '5b1c6d2e-0f4a-4a6b-9c8d-7e6f5a4b3c80',
    extendedRequestId: 'KmF2sHXrIAMEWVA=',
    keyHash: hashApiKey(recordedApiKey),
    error: expect.stringContaining(error),
  })

  /** Creates an authorizer whose every count of a request fails with an error. */
  const createFailingAuthorizer = async (error: Error) => {
    const { createLimiter } = await openService(engine)
    const failingClient = createInterceptingClient(engine, 'UpdateItem', () => Promise.reject(error))
    return createAuthorizer(createLimiter({ client: failingClient }), 'pet_test_', 'the unlimited gateway key')
  }

  it('a request is denied while DynamoDB is unavailable, and the log has the error', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const error = Object.assign(new Error('socket hang up'), { $metadata: { attempts: 3 } })
    const handler = await createFailingAuthorizer(error)

    const { policyDocument, context } = await handler(event, lambdaContext)

    expect(policyDocument.Statement).toMatchObject([{ Effect: 'Deny' }])
    expect(context).toBeUndefined()
    expect(log.mock.calls).toEqual([[expectLogged('Error: socket hang up')]])
  })

  it('a request is denied if DynamoDB has not responded shortly before the timeout of the function', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const silentClient = createInterceptingClient(engine, 'UpdateItem', () => new Promise(() => {}))
    const handler = createAuthorizer(
      service.createLimiter({ client: silentClient }),
      'pet_test_',
      'the unlimited gateway key',
    )

    const { policyDocument } = await handler(event, { getRemainingTimeInMillis: () => 0 })

    expect(policyDocument.Statement).toMatchObject([{ Effect: 'Deny' }])
    expect(log.mock.calls).toEqual([
      [expectLogged('LateStoreError: DynamoDB did not respond before the timeout of the function.')],
    ])
  })

  it('an error of the code is thrown, and the log has the error', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const handler = await createFailingAuthorizer(new TypeError('undefined is not a function'))

    await expect(handler(event, lambdaContext)).rejects.toThrow('undefined is not a function')
    expect(log.mock.calls).toEqual([[expectLogged('TypeError: undefined is not a function')]])
  })

  it('the log has no API key', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const handler = await createFailingAuthorizer(new TypeError('undefined is not a function'))

    await expect(handler(event, lambdaContext)).rejects.toThrow('undefined is not a function')

    expect(log).toHaveBeenCalledOnce()
    expect(JSON.stringify(log.mock.calls)).not.toContain(recordedApiKey)
  })

  /** Edits the item of the key by hand. */
  const editKey = (change: Readonly<Record<string, unknown>>) =>
    editItem(service.client, service.tables.apiKeys, { keyHash: hashApiKey(recordedApiKey) }, change)

  it.each([
    { attribute: 'plan', value: 'shelter' },
    { attribute: 'plan', value: 'toString' },
    { attribute: 'gatewayKey', value: 5 },
    { attribute: 'meteredFrom', value: 'noon' },
  ])(
    'a request of a key whose $attribute is $value is allowed, and metered on the unlimited gateway key',
    async (damage) => {
      await editKey({ meteredFrom: 0, [damage.attribute]: damage.value })

      const { context, usageIdentifierKey } = await authorize()

      expect(context).toMatchObject({ errorCode: 'none' })
      expect(usageIdentifierKey).toBe('the unlimited gateway key')
    },
  )

  it('the context of a key whose plan this version does not know has the plan unknown', async () => {
    await editKey({ plan: 'shelter' })

    const { context } = await authorize()

    expect(context).toMatchObject({ plan: 'unknown' })
  })

  it('a request of a key whose owner and creation cannot be read is allowed', async () => {
    await editKey({ owner: undefined, createdAt: 'today' })

    const { context } = await authorize()

    expect(context).toMatchObject({ errorCode: 'none' })
  })

  it.each(['keyId', 'idempotencyScope', 'scope', 'state', 'minuteLimit', 'dayCount', 'expiresAt'])(
    'a request of a key with a malformed %s fails with an error that names it',
    async (attribute) => {
      vi.spyOn(console, 'error').mockReturnValue(undefined)
      await editKey({ [attribute]: ['wrong'] })

      await expect(authorize()).rejects.toThrow(`cannot be read: its item has no valid ${attribute}.`)
    },
  )

  it('a request of a revoked key is refused, although its item cannot be read', async () => {
    await editKey({ state: 'revoked', minuteLimit: undefined })

    await expect(authorize()).rejects.toThrow(/^Unauthorized$/)
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
  const decision = { kind: 'admitted', ...takeLimitSnapshot(record, now) } as const

  expect(chooseGatewayKey(decision, 'the unlimited gateway key')).toBe('GatewayKeyOfTheUnitTests')
})

it.each([
  { moment: 'a millisecond before the time in its record', now: noon - 1 },
  { moment: '10 seconds before midnight', now: Date.UTC(2026, 10, 2, 23, 59, 50) },
  { moment: 'less than 10 seconds after midnight', now: Date.UTC(2026, 10, 3, 0, 0, 9, 999) },
])('an admitted request is metered on the unlimited gateway key at $moment', ({ now }) => {
  const decision = { kind: 'admitted', ...takeLimitSnapshot(record, now) } as const

  expect(chooseGatewayKey(decision, 'the unlimited gateway key')).toBe('the unlimited gateway key')
})

it.each(['exhausted', 'banned', 'throttled'] as const)(
  'a request that is %s is metered on the unlimited gateway key',
  (kind) => {
    const decision = { kind, ...takeLimitSnapshot(record, noon) }

    expect(chooseGatewayKey(decision, 'the unlimited gateway key')).toBe('the unlimited gateway key')
  },
)

/** Chooses the gateway key for an admitted request of a key with limits that may differ from those of its plan. */
const chooseKeyForLimits = (plan: Plan, minuteLimit: number, dayLimit: number): string => {
  const limitedRecord = createApiKeyRecord({ plan, minuteLimit, dayLimit, meteredFrom: noon / 1_000 })
  return chooseGatewayKey({ kind: 'admitted', ...takeLimitSnapshot(limitedRecord, noon) }, 'the unlimited gateway key')
}

/** Generates an older limit, often one close to the limit that the plan has now. */
const generateOlderLimit = (limit: number): fc.Arbitrary<number> =>
  fc.oneof(fc.constantFrom(limit - 1, limit, limit + 1), fc.integer({ min: 1, max: 10 * limit }))

it.each(fixedPlanNames)(
  'a key of the plan %s is metered on the unlimited gateway key if a limit exceeds its plan',
  (plan) => {
    const { perMinute, perDay } = fixedPlans[plan]
    const property = fc.property(generateOlderLimit(perMinute), generateOlderLimit(perDay), (minuteLimit, dayLimit) => {
      const exceedsPlan = minuteLimit > perMinute || dayLimit > perDay

      expect(chooseKeyForLimits(plan, minuteLimit, dayLimit)).toBe(
        exceedsPlan ? 'the unlimited gateway key' : 'GatewayKeyOfTheUnitTests',
      )
    })

    fc.assert(property, { numRuns: 1_000 })
  },
)

it('a key of the plan enterprise is metered on its own key, whatever its limits', () => {
  expect(chooseKeyForLimits('enterprise', maximumPerMinute, 1e9)).toBe('GatewayKeyOfTheUnitTests')
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
      error: 'LateStoreError: DynamoDB did not respond before the timeout of the function.',
      afterMilliseconds: waitMilliseconds,
    })
  },
)
