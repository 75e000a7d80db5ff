import { beforeAll, expect, it, vi } from 'vitest'
import type { GatewayEvent } from '../../../shared/http/gateway-event.ts'
import { readGatewayEvent, replaceHeader, replaceQuery } from '../../events/events.ts'
import { createRecordingClient } from '../../fixtures/database/clients.ts'
import { describeOnEachEngine } from '../../fixtures/database/engines.ts'
import { type CallFunction, loadFunctions } from '../../fixtures/service/functions.ts'
import { issueKey, noDeadline, openService, type Service } from '../../fixtures/service/service.ts'

const functionNames = ['create-pet', 'get-pet', 'list-pets', 'list-store-orders', 'unknown-route'] as const

/** The name of an operation in the log, such as `createPet` for the function `create-pet`. */
const toCamelCase = (name: string): string => name.replaceAll(/-./g, (part) => part.slice(1).toUpperCase())

/** Requests of one key: the wait before each one, the decision about it, and the calls to DynamoDB that it takes. */
const decisions = [
  // The first request of a minute.
  { waitSeconds: 0, decision: 'admitted', calls: ['UpdateItem', 'UpdateItem'] },
  { waitSeconds: 0, decision: 'admitted', calls: ['UpdateItem'] },
  { waitSeconds: 0, decision: 'exhausted', calls: ['UpdateItem', 'UpdateItem'] },
  { waitSeconds: 0, decision: 'exhausted', calls: ['UpdateItem', 'UpdateItem'] },
  { waitSeconds: 0, decision: 'exhausted', calls: ['UpdateItem', 'UpdateItem'] },
  // The request that bans the key. The instance remembers the ban for two seconds.
  { waitSeconds: 0, decision: 'banned', calls: ['UpdateItem', 'UpdateItem'] },
  { waitSeconds: 0, decision: 'banned', calls: [] },
  { waitSeconds: 1.999, decision: 'banned', calls: [] },
  { waitSeconds: 0.001, decision: 'banned', calls: ['UpdateItem'] },
  { waitSeconds: 1.999, decision: 'banned', calls: [] },
]

describeOnEachEngine('calls to DynamoDB', (engine) => {
  const { client, calls } = createRecordingClient(engine)
  let service: Service
  let callFunction: CallFunction
  beforeAll(async () => {
    service = await openService(engine)
    callFunction = await loadFunctions({ ...service, client })
  })

  /** Runs an action. @returns the names of the calls to DynamoDB that it makes */
  const recordCalls = async (action: () => Promise<unknown>): Promise<readonly string[]> => {
    calls.length = 0
    await action()
    return calls.map(({ operation }) => operation)
  }

  it('the authorizer makes one call for most requests, two over a limit, and one in two seconds during a ban', async () => {
    const bans = { refusalsBeforeBan: 4, firstBanSeconds: 60, longestBanSeconds: 60 }
    const limiter = service.createLimiter({ client, bans })
    const { keyHash } = await issueKey(service, { perMinute: 2, perDay: 100 })

    for (const [index, { waitSeconds, decision: kind, calls: expectedCalls }] of decisions.entries()) {
      service.time.advanceSeconds(waitSeconds)
      const callsOfRequest = await recordCalls(async () => {
        const decision = await limiter.decide(keyHash, noDeadline)
        expect(decision.kind, `decision about request ${index}`).toBe(kind)
      })
      expect(callsOfRequest, `calls for request ${index}`).toEqual(expectedCalls)
    }
  })

  it('getting a pet is one call', async () => {
    const get = () => callFunction('get-pet', readGatewayEvent('get-pet'))

    expect(await recordCalls(get)).toEqual(['GetItem'])
  })

  it('adding a pet is one call', async () => {
    const add = () => callFunction('create-pet', readGatewayEvent('create-pet'))

    expect(await recordCalls(add)).toEqual(['PutItem'])
  })

  it('adding a pet with an Idempotency-Key is one transaction, also for a retry', async () => {
    const createEvent = () => replaceHeader(readGatewayEvent('create-pet'), 'Idempotency-Key', '0b7e3c52')
    const add = () => callFunction('create-pet', createEvent())

    expect(await recordCalls(add), 'first request').toEqual(['TransactWriteItems'])
    expect(await recordCalls(add), 'retry').toEqual(['TransactWriteItems'])
  })

  it('listing the pets of one status is one query', async () => {
    const event = replaceQuery(readGatewayEvent('list-pets'), 'limit=2&status=available')
    const list = () => callFunction('list-pets', event)

    expect(await recordCalls(list)).toEqual(['Query'])
  })

  it('listing the pets of all statuses is three concurrent queries', async () => {
    const list = () => callFunction('list-pets', readGatewayEvent('list-pets'))

    expect(await recordCalls(list)).toEqual(['Query', 'Query', 'Query'])
    const lastStart = Math.max(...calls.map(({ startedAt }) => startedAt))
    const firstEnd = Math.min(...calls.map(({ endedAt }) => endedAt))
    expect(lastStart).toBeLessThan(firstEnd)
  })

  /** Reads the event of a function, with another context and an invalid query parameter. */
  const createRefusedEvent = (name: string, context: Readonly<Record<string, string>>): GatewayEvent => {
    const event = readGatewayEvent(name, { multiValueQueryStringParameters: { limit: ['refused'] } })
    Object.assign(event.requestContext.authorizer, context)
    return event
  }

  const refusals = functionNames.flatMap((name) => [
    { name, errorCode: 'api_key_banned', status: 429 },
    { name, errorCode: 'service_unavailable', status: 503 },
  ])

  // Responses to a key that is over its limit or banned are tested in test/requests/limits.ts.
  it.each(refusals)(
    'the function $name refuses a request with $errorCode by $status, without a call and a log line',
    async ({ name, errorCode, status }) => {
      const log = vi.spyOn(console, 'error').mockReturnValue(undefined)
      const event = createRefusedEvent(name, { errorCode, retryAfter: '17' })

      const callsOfRequest = await recordCalls(async () => {
        expect(await callFunction(name, event)).toMatchObject({
          statusCode: status,
          headers: { 'Retry-After': '17', 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '41' },
        })
      })

      expect(callsOfRequest).toEqual([])
      expect(log).not.toHaveBeenCalled()
    },
  )

  it.each(functionNames)('the function %s refuses an invalid context without a call', async (name) => {
    const log = vi.spyOn(console, 'error').mockReturnValue(undefined)
    const event = createRefusedEvent(name, { scope: 'write' })

    const callsOfRequest = await recordCalls(async () => {
      expect(await callFunction(name, event)).toMatchObject({
        statusCode: 500,
        headers: { 'X-RateLimit-Limit': '60' },
      })
    })

    expect(callsOfRequest).toEqual([])
    expect(log.mock.calls).toMatchObject([
      [
        {
          operation: toCamelCase(name),
          keyId: 'key_0mhi3d2k5a7b3c9d1e',
          error: expect.stringContaining('The context of the authorizer has no valid scope.'),
        },
      ],
    ])
  })
})
