import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { readContract } from '../../../infra/contract/contract.ts'
import type { GatewayEvent, GatewayResult } from '../../../shared/http/gateway-event.ts'
import { addPet } from '../../../shared/pets/add-pet.ts'
import { PetTable } from '../../../shared/pets/pet-table.ts'
import { lambdaContext, readGatewayEvent, replaceHeader, replaceQuery } from '../../events/events.ts'
import { createRecordingClient } from '../../fixtures/database/clients.ts'
import { editItem } from '../../fixtures/database/edit-item.ts'
import { describeOnEachEngine } from '../../fixtures/database/engines.ts'
import { issueKey, noDeadline, openService, type Service } from '../../fixtures/service/service.ts'

const { operations } = readContract()

/** Each function of the API, with the name of its operation in the log. */
const functions = [...operations, { name: 'unknown-route', operationId: 'unknownRoute' }]

it.each(operations)('the recorded event of $name belongs to the operation', (operation) => {
  expect(readGatewayEvent(operation.name)).toMatchObject({ httpMethod: operation.method, resource: operation.path })
})

type Handler = (event: GatewayEvent, context: typeof lambdaContext) => Promise<GatewayResult>

const importFunction = (name: string, file: string) => import(`../../../functions/${name}/${file}.ts`)

/** Loads the functions of the API into this process, on the tables of a service. */
const loadFunctions = async ({ client, tables, time }: Pick<Service, 'client' | 'tables' | 'time'>) => {
  // A function takes those of these tables that it needs, by these names.
  const tablesOfFunctions = { pets: new PetTable(client, tables.pets), idempotencyTable: tables.idempotency }

  const handlers = new Map<string, Handler>()
  for (const { name, operationId, isReserved } of operations) {
    if (isReserved) {
      handlers.set(name, (await importFunction(name, 'index')).handler)
    } else {
      // The module exports a function with the name of the operation, such as `listPets`, that creates the handler.
      const createHandler = (await importFunction(name, name))[operationId]
      handlers.set(name, createHandler(tablesOfFunctions, time.clock))
    }
  }
  const { handler: unknownRoute }: { handler: Handler } = await importFunction('unknown-route', 'index')

  /** Calls the function of an operation, or `unknown-route` for any other name. */
  return (name: string, event = readGatewayEvent(name)): Promise<GatewayResult> => {
    const handler = handlers.get(name) ?? unknownRoute
    return handler(event, lambdaContext)
  }
}

/** Requests of one key: the wait before each one, the decision about it, and the calls to DynamoDB that it takes. */
const decisions = [
  // The first request of a minute: no window is open for its first write.
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

// These tests count calls to DynamoDB and read the log. test/requests has the responses, which test/e2e checks over
// HTTP.
describeOnEachEngine('the functions of the API', (engine) => {
  const { client, calls } = createRecordingClient(engine)
  let service: Service
  let callFunction: Awaited<ReturnType<typeof loadFunctions>>
  beforeAll(async () => {
    service = await openService(engine)
    callFunction = await loadFunctions({ ...service, client })
  })
  let log: MockInstance
  beforeEach(() => {
    log = vi.spyOn(console, 'error').mockReturnValue(undefined)
    calls.length = 0
  })

  const listCalls = (): readonly string[] => calls.splice(0).map(({ operation }) => operation)

  it('the authorizer makes one call for most requests, two over a limit, and one in two seconds during a ban', async () => {
    const bans = { refusalsBeforeBan: 4, firstBanSeconds: 60, longestBanSeconds: 60 }
    const limiter = service.createLimiter({ client, bans })
    const { keyHash } = await issueKey(service, { perMinute: 2, perDay: 100 })

    for (const [index, { waitSeconds, decision, calls: expectedCalls }] of decisions.entries()) {
      service.time.advanceSeconds(waitSeconds)
      const { kind } = await limiter.decide(keyHash, noDeadline)
      expect(kind, `decision about request ${index}`).toBe(decision)
      expect(listCalls(), `calls for request ${index}`).toEqual(expectedCalls)
    }
  })

  it('getting a pet is one call', async () => {
    await callFunction('get-pet')

    expect(listCalls()).toEqual(['GetItem'])
  })

  it('adding a pet is one call', async () => {
    await callFunction('create-pet')

    expect(listCalls()).toEqual(['PutItem'])
  })

  it('adding a pet with an Idempotency-Key is one transaction, also for a retry', async () => {
    const createEvent = () => replaceHeader(readGatewayEvent('create-pet'), 'Idempotency-Key', '0b7e3c52')

    await callFunction('create-pet', createEvent())
    expect(listCalls(), 'first request').toEqual(['TransactWriteItems'])
    await callFunction('create-pet', createEvent())
    expect(listCalls(), 'retry').toEqual(['TransactWriteItems'])
  })

  const list = (query: string) => callFunction('list-pets', replaceQuery(readGatewayEvent('list-pets'), query))

  it('listing the pets of one status is one query', async () => {
    await list('limit=2&status=available')

    expect(listCalls()).toEqual(['Query'])
  })

  it('listing the pets of all statuses is three concurrent queries', async () => {
    await list('')

    const lastStart = Math.max(...calls.map(({ startedAt }) => startedAt))
    const firstEnd = Math.min(...calls.map(({ endedAt }) => endedAt))
    expect(lastStart).toBeLessThan(firstEnd)
    expect(listCalls()).toEqual(['Query', 'Query', 'Query'])
  })

  /**
   * Reads the recorded event of a function, with another context. Its query is invalid, so that a refusal shows that
   * the context is checked first.
   */
  const createRefusedEvent = (name: string, context: Readonly<Record<string, string>>): GatewayEvent => {
    const event = readGatewayEvent(name, { multiValueQueryStringParameters: { limit: ['refused'] } })
    Object.assign(event.requestContext.authorizer, context)
    return event
  }

  const refusals = functions.flatMap(({ name }) => [
    { name, errorCode: 'api_key_banned', status: 429 },
    { name, errorCode: 'service_unavailable', status: 503 },
  ])

  // The numbers are those of the recorded events. test/requests/limits.ts tests the responses to a key that is over its
  // limit, or banned, by the real authorizer.
  it.each(refusals)(
    'the function $name refuses a request with $errorCode by $status, without a call and a log line',
    async ({ name, errorCode, status }) => {
      const response = await callFunction(name, createRefusedEvent(name, { errorCode, retryAfter: '17' }))

      expect(response).toMatchObject({
        statusCode: status,
        headers: { 'Retry-After': '17', 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '41' },
      })
      expect(listCalls()).toEqual([])
      expect(log).not.toHaveBeenCalled()
    },
  )

  it.each(functions)(
    'the function $name refuses an invalid context without a call, and logs it as $operationId',
    async ({ name, operationId }) => {
      const response = await callFunction(name, createRefusedEvent(name, { scope: 'write' }))

      expect(response).toMatchObject({ statusCode: 500, headers: { 'X-RateLimit-Limit': '60' } })
      expect(listCalls()).toEqual([])
      const error = expect.stringContaining('The context of the authorizer has no valid scope.')
      expect(log.mock.calls).toMatchObject([[{ operation: operationId, keyId: 'key_0mhi3d2k5a7b3c9d1e', error }]])
    },
  )

  // The values are those of the recorded event.
  it('a response has exactly the headers of the contract', async () => {
    const { headers } = await callFunction('create-pet')

    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Access-Control-Allow-Origin': '*',
      // test/unit/shared/contract/openapi.test.ts compares the names with the contract.
      'Access-Control-Expose-Headers': expect.any(String),
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '41',
      'X-RateLimit-Reset': '1793611860',
      'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      RateLimit: '"minute";r=41;t=43, "day";r=412;t=52183',
    })
  })

  it.each([
    { request: 'without an Idempotency-Key', idempotencyKeys: [] },
    { request: 'with an Idempotency-Key', idempotencyKeys: ['1c8f4d63'] },
  ])('a pet of a request $request is stored with the id of the API key that added it', async ({ idempotencyKeys }) => {
    const event = replaceHeader(readGatewayEvent('create-pet'), 'Idempotency-Key', ...idempotencyKeys)

    const { body } = await callFunction('create-pet', event)

    const { Items = [] } = await service.client.send(new ScanCommand({ TableName: service.tables.pets }))
    const { id } = JSON.parse(body)
    expect(Items.find((item) => item['id'] === id)).toMatchObject({ addedBy: 'key_0mhi3d2k5a7b3c9d1e' })
  })

  describe('a pet that cannot be read', () => {
    let damagedId: bigint
    beforeEach(async () => {
      service = await openService(engine)
      callFunction = await loadFunctions(service)

      // The pet that cannot be read stands between two others.
      await addAvailablePet('Bella')
      damagedId = await addAvailablePet('Milo')
      await addAvailablePet('Luna')
      await editItem(service.client, service.tables.pets, { id: damagedId }, { name: undefined })
    })

    const addAvailablePet = async (name: string): Promise<bigint> => {
      service.time.advanceSeconds(1)
      const { id } = await addPet(service.pets, { name, categoryId: 1n, status: 'available' }, service.time.clock)
      return id
    }

    it('a list leaves out a pet that cannot be read, and logs one line with the pet and the request', async () => {
      const { statusCode, body, headers } = await list('limit=20')

      expect(statusCode).toBe(200)
      expect(JSON.parse(body)).toMatchObject([{ name: 'Luna' }, { name: 'Bella' }])
      expect(headers, 'the last page has no link').not.toHaveProperty('Link')
      const message = `The list leaves out items that cannot be read: 1. The first: pet ${damagedId} has no valid name.`
      expect(log.mock.calls).toEqual([
        [
          expect.objectContaining({
            operation: 'listPets',
            requestId: expect.any(String),
            keyId: expect.any(String),
            error: expect.stringContaining(message),
          }),
        ],
      ])
    })

    it('getting a pet that cannot be read is 500, and the log has its id and attribute', async () => {
      const event = readGatewayEvent('get-pet', { pathParameters: { petId: String(damagedId) } })

      const { statusCode, body } = await callFunction('get-pet', event)

      expect(statusCode).toBe(500)
      expect(JSON.parse(body)).toMatchObject({ code: 'internal_error' })
      const message = `The pet ${damagedId} cannot be read: its item has no valid name.`
      expect(log.mock.calls).toEqual([[expect.objectContaining({ error: expect.stringContaining(message) })]])
    })
  })
})
