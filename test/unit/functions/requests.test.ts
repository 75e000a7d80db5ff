import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, expect, it } from 'vitest'
import { authorizer } from '../../../functions/authorizer/authorizer.ts'
import type { GatewayEvent } from '../../../shared/http/gateway-event.ts'
import { authorizerEvent, gatewayEvent, lambdaContext, withHeader, withQuery } from '../../events/events.ts'
import { describeOnEachEngine } from '../../fixtures/engines.ts'
import { operationsOn } from '../../fixtures/operations.ts'
import { openService, type Service } from '../../fixtures/service.ts'
import { createPet } from '../../requests/create-pet.ts'
import { getPet } from '../../requests/get-pet.ts'
import { limits } from '../../requests/limits.ts'
import { listPets } from '../../requests/list-pets.ts'
import { listStoreOrders } from '../../requests/list-store-orders.ts'
import { type Api, faultsOf, type KeyName, keyOrders, pathOf } from '../../requests/scenario.ts'
import { unknownRoutes } from '../../requests/unknown-routes.ts'

const scenarios = [createPet, getPet, listPets, listStoreOrders, limits, unknownRoutes].flat()
/** To a request without a key only API Gateway responds. */
const served = scenarios.filter(({ steps }) => steps.every(({ key }) => key !== null))

type Hosted = Parameters<ReturnType<typeof operationsOn>['call']>[0]

const routes: Readonly<Record<string, Hosted>> = {
  'GET /pets': 'list-pets',
  'POST /pets': 'create-pet',
  'GET /pets/{petId}': 'get-pet',
  'GET /store/orders': 'list-store-orders',
}

describeOnEachEngine('the authorizer and the functions, called as API Gateway calls them', (engine) => {
  let service: Service
  let operations: ReturnType<typeof operationsOn>
  let authorize: ReturnType<typeof authorizer>
  let usual: string

  const issue = async (name: KeyName): Promise<string> =>
    (await service.keys.issue({ owner: 'a test', ...keyOrders[name] })).apiKey

  beforeAll(async () => {
    service = await openService(engine)
    operations = operationsOn(service)
    const bans = { refusalsBeforeBan: 100, firstBanSeconds: 60, longestBanSeconds: 3_600 }
    authorize = authorizer(service.limiter({ bans }), 'pet_test_', 'the reserved key')
    usual = await issue('usual')
  })

  const send: Api['send'] = async ({ method, target, headers, body: bytes }) => {
    // API Gateway reads bytes as UTF-8.
    const body = bytes === undefined ? null : Buffer.from(await new Response(bytes).bytes()).toString()
    const path = pathOf(target)
    const petId = /^\/pets\/([^/]+)$/.exec(path)?.[1]
    const name = routes[`${method} ${petId === undefined ? path : '/pets/{petId}'}`] ?? 'unknown-route'
    const proxy = path.replace(/^\//, '') || undefined
    const pathParameters = name === 'unknown-route' ? { proxy } : petId === undefined ? null : { petId }
    const multiValueHeaders = { Authorization: [headers['Authorization'] ?? ''] }
    const { context } = await authorize({ ...authorizerEvent(), multiValueHeaders }, lambdaContext)
    const recorded = gatewayEvent(name, { httpMethod: method, path, body, pathParameters })
    // What the authorizer returns is what API Gateway passes on.
    const authorized = context as unknown as GatewayEvent['requestContext']['authorizer']
    const requestContext = { ...recorded.requestContext, path: `/v1${path}`, authorizer: authorized }
    const bare = ['Content-Type', 'Idempotency-Key'].reduce((event, header) => withHeader(event, header), recorded)
    const sent = Object.entries(headers).reduce((event, [header, value]) => withHeader(event, header, value), bare)
    const response = await operations.call(name, withQuery({ ...sent, requestContext }, target.split('?')[1] ?? ''))
    const { statusCode, headers: shown = {}, body: text, ...others } = response
    // API Gateway allows no other field ("Lambda proxy integration output format").
    expect(others).toEqual({})
    const seen = Object.entries(shown).map(([header, value]): [string, string] => [header, String(value)])
    return { status: statusCode, headers: new Headers(seen), text }
  }

  it.each(served)('give the expected responses: $title', async (scenario) => {
    expect(await faultsOf(scenario, { send, usual, issue })).toEqual([])
  })

  it('give no link to a page after the last', async () => {
    await service.pets.put({ id: 1n, name: 'Oldest', categoryId: 1n, status: 'sold' }, 'an attempt')
    const event = withQuery(gatewayEvent('list-pets'), 'status=sold&limit=100')
    const { headers, body } = await operations.call('list-pets', event)
    expect(JSON.parse(body).at(-1)).toMatchObject({ id: 1, name: 'Oldest' })
    expect(headers).not.toHaveProperty('Link')
  })

  it('respond with these headers and fields, in this order, and do not show who added a pet', async () => {
    const { headers, body } = await operations.call('create-pet', gatewayEvent('create-pet-idempotent'))
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers':
        'Link,Retry-After,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,RateLimit-Policy,RateLimit,Deprecation,Sunset,Idempotency-Replayed,x-amzn-RequestId',
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '41',
      'X-RateLimit-Reset': '1793611860',
      'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      RateLimit: '"minute";r=41;t=43, "day";r=412;t=52183',
    })
    expect(body).toMatch(/^\{"id":\d+,"name":"Milo","categoryId":9223372036854775807,"status":"available"\}$/)
    const { Items = [] } = await service.client.send(new ScanCommand({ TableName: service.tables.pets }))
    expect(Items).toContainEqual(expect.objectContaining({ name: 'Milo', addedBy: 'key_0mhi3d2k5a7b3c9d1e' }))
  })
})
