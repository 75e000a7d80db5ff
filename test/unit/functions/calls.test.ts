import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import { readGatewayEvent } from '../../events/events.ts'
import { type LoadedFunctions, loadFunctions } from '../../fixtures/api.ts'
import { createRecordingClient } from '../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../fixtures/engines.ts'
import { issueKey, openService, type Service } from '../../fixtures/service.ts'

afterEach(() => vi.restoreAllMocks())

const noScope = new Error('The context of the authorizer has no valid scope.')

describeOnEachEngine('the calls to DynamoDB', (engine) => {
  const { client, calls } = createRecordingClient(engine)
  let service: Service
  let operations: LoadedFunctions
  beforeAll(async () => {
    service = await openService(engine)
    operations = await loadFunctions({ ...service, client })
  })

  /** Does something, and names the calls that it made. */
  const callsOf = async (work: () => Promise<unknown>): Promise<string[]> => {
    calls.length = 0
    await work()
    return calls.map(({ operation }) => operation)
  }

  it('of the authorizer are one, two for the first request of a minute and the first that an instance refuses, and one in two seconds for a ban', async () => {
    const bans = { refusalsBeforeBan: 4, firstBanSeconds: 60, longestBanSeconds: 60 }
    const limiter = service.createLimiter({ client, bans })
    const { keyHash } = await issueKey(service, { perMinute: 2, perDay: 100 })
    const made: string[] = []
    for (const wait of [0, 0, 0, 0, 0, 0, 0, 1.999, 0.001, 1.999]) {
      service.time.advance(wait)
      const kinds: string[] = []
      const operations = await callsOf(async () => kinds.push((await limiter.admit(keyHash)).kind))
      made.push([...kinds, ...operations].join(' '))
    }
    expect(made).toEqual([
      ...['admitted UpdateItem UpdateItem', 'admitted UpdateItem'],
      ...['exhausted UpdateItem UpdateItem', 'exhausted UpdateItem', 'exhausted UpdateItem'],
      ...['banned UpdateItem UpdateItem', 'banned', 'banned', 'banned UpdateItem', 'banned'],
    ])
  })

  it.each([
    ['to get a pet', ['GetItem'], 'get-pet', 'get-pet'],
    ['to create a pet', ['PutItem'], 'create-pet', 'create-pet'],
    ['to create one with an Idempotency-Key', ['PutItem', 'PutItem'], 'create-pet', 'create-pet-idempotent'],
    ['to replay that', ['PutItem', 'GetItem'], 'create-pet', 'create-pet-idempotent'],
    ['to list the pets of one status', ['Query'], 'list-pets', 'list-pets-filtered'],
    ['to list the pets of all', ['Query', 'Query', 'Query'], 'list-pets', 'list-pets'],
  ] as const)('%s are %j, queries side by side', async (_what, expected, name, event) => {
    expect(await callsOf(() => operations.call(name, readGatewayEvent(event)))).toEqual(expected)
    if (name !== 'list-pets') return
    const lastStart = Math.max(...calls.map(({ startedAt }) => startedAt))
    expect(lastStart).toBeLessThan(Math.min(...calls.map(({ endedAt }) => endedAt)))
  })

  // The responses to a key over its limit or banned: test/requests/limits.ts.
  it.each([
    [429, { errorCode: 'api_key_banned', retryAfter: '17' }, { 'Retry-After': '17', 'X-RateLimit-Limit': '60' }, []],
    [503, { scope: 'write' }, { 'Retry-After': '1', ...noAllowanceHeaders }, [noScope]],
  ])(
    'are none where the context of a request makes it %i, whatever else is wrong with it',
    async (statusCode, change, headers, errors) => {
      const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
      for (const name of ['create-pet', 'get-pet', 'list-pets', 'list-store-orders', 'unknown-route']) {
        logged.mockClear()
        const event = readGatewayEvent(name, { multiValueQueryStringParameters: { limit: ['refused'] } })
        Object.assign(event.requestContext.authorizer, change)
        const made = await callsOf(async () => {
          expect(await operations.call(name, event)).toMatchObject({ statusCode, headers })
        })
        expect([made, logged.mock.calls.flat()]).toEqual([[], errors])
      }
    },
  )
})
