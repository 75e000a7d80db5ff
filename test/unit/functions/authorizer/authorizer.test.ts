import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it, vi } from 'vitest'
import { createAuthorizer } from '../../../../functions/authorizer/authorizer.ts'
import { formatApiKey, hashApiKey } from '../../../../shared/api-keys/api-key.ts'
import { lambdaContext, readAuthorizerEvent, recordedApiKey } from '../../../events/events.ts'
import { createRecordingClient } from '../../../fixtures/database/clients.ts'
import { editItem } from '../../../fixtures/database/edit-item.ts'
import { describeOnEachEngine } from '../../../fixtures/database/engines.ts'
import { createApiKeyRecord, createStoredKey } from '../../../fixtures/service/api-key-record.ts'
import { openService, type Service } from '../../../fixtures/service/service.ts'

const event = readAuthorizerEvent()
const otherRandomPart = 'Zq8Rk2Lw0Vn5Xt7Yb1Cd4Fg6Hj9Ms3Pa'
const bearer = `Bearer ${recordedApiKey}`

describeOnEachEngine('the authorizer', (engine) => {
  const { client, calls } = createRecordingClient(engine)
  let service: Service
  let handler: ReturnType<typeof createAuthorizer>
  beforeEach(async () => {
    service = await openService(engine)
    const { tables, createLimiter } = service
    const record = createApiKeyRecord({ minuteLimit: 1, dayLimit: 9 })
    const item = createStoredKey({ record, keyHash: hashApiKey(recordedApiKey) })
    await service.client.send(new PutCommand({ TableName: tables.apiKeys, Item: item }))
    handler = createAuthorizer(createLimiter({ client }), 'pet_test_', 'the unlimited gateway key')
    calls.length = 0
  })

  const authorize = (change: Partial<typeof event> = {}) => handler({ ...event, ...change }, lambdaContext)

  // The function of the operation refuses a request over the limit.
  it.each([
    { request: 'within the limit', earlierRequests: 0 },
    { request: 'over the limit', earlierRequests: 1 },
  ])('the policy of a request $request allows it, and contains nothing of its path', async ({ earlierRequests }) => {
    for (let sent = 0; sent < earlierRequests; sent += 1) await authorize()
    const [stage] = /^arn:.*\/v1\//.exec(event.methodArn) ?? []
    // AWS limits the ARN of a resource in a policy to 512 characters, which this path exceeds.
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

  it('a call to DynamoDB is aborted a second before the timeout of the function', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort())

    const result = handler(event, { getRemainingTimeInMillis: () => 1_020 })

    await expect(result).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    expect(timeout.mock.calls).toEqual([[20]])
  })

  /** Edits the item of the key by hand. */
  const editKey = (change: Readonly<Record<string, unknown>>) =>
    editItem(service.client, service.tables.apiKeys, { keyHash: hashApiKey(recordedApiKey) }, change)

  it.each([
    // A plan that only another version of the service knows, and the name of a property that every object has.
    { attribute: 'plan', value: 'shelter' },
    { attribute: 'plan', value: 'toString' },
    { attribute: 'gatewayKey', value: 5 },
    { attribute: 'meteredFrom', value: 'noon' },
  ])(
    'a request of a key whose $attribute is $value is allowed, and metered on the unlimited gateway key',
    async (damage) => {
      // The gateway key of an undamaged record would meter the request, because its `meteredFrom` has passed.
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
      await editKey({ [attribute]: ['wrong'] })

      await expect(authorize()).rejects.toThrow(`cannot be read: its item has no valid ${attribute}.`)
    },
  )

  /** The result for a request without a valid key: Deny, and nothing else. */
  const denial = {
    principalId: 'unknown',
    policyDocument: { Version: '2012-10-17', Statement: [expect.objectContaining({ Effect: 'Deny' })] },
  }

  it('a request of a revoked key is denied, although its item cannot be read', async () => {
    await editKey({ state: 'revoked', minuteLimit: undefined })

    expect(await authorize()).toEqual(denial)
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
  ])('$request is denied without a call and without a log line', async ({ headers }) => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined)

    expect(await authorize({ multiValueHeaders: headers })).toEqual(denial)

    expect(calls).toEqual([])
    expect(log).not.toHaveBeenCalled()
  })
})
