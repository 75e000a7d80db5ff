import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readGatewayEvent, replaceQuery } from '../../events/events.ts'
import { describeOnEachEngine } from '../../fixtures/database/engines.ts'
import { type LoadedFunctions, loadFunctions, openApi } from '../../fixtures/service/api.ts'
import { openService, type Service } from '../../fixtures/service/service.ts'
import { scenarios } from '../../requests/requests.ts'
import { type Api, findFaults, type Scenario } from '../../requests/scenario.ts'

/** Changes the text of an event as a gateway does that decodes path parameters and encodes bodies. */
const passThroughOtherGateway = (eventText: string): string => {
  const event = JSON.parse(eventText)
  if (event.pathParameters) {
    const decoded = Object.entries(event.pathParameters).map(([name, value]) => [
      name,
      decodeURIComponent(String(value)),
    ])
    event.pathParameters = Object.fromEntries(decoded)
  }
  if (event.body) {
    event.body = Buffer.from(event.body).toString('base64')
    event.isBase64Encoded = true
  }
  return JSON.stringify(event)
}

/**
 * Tells whether the other gateway changes events of a scenario. The end-to-end tests send all scenarios over HTTP. Bans
 * are left out: they take a hundred requests.
 */
const differsByGateway = ({ steps }: Scenario): boolean => {
  const hasBodyOrEncodedPath = steps.some(({ send, body }) => body !== undefined || send.includes('%'))
  const isRepeated = steps.some(({ times }) => times !== undefined)
  return hasBodyOrEncodedPath && !isRepeated
}

describeOnEachEngine('the authorizer and the functions', (engine) => {
  const resources = new AsyncDisposableStack()
  let service: Service
  let functions: LoadedFunctions
  let apiBehindOtherGateway: Api
  beforeAll(async () => {
    service = await openService(engine)
    functions = await loadFunctions(service)
    const { invoke, report } = functions.invoker
    const invokeByOtherGateway = (name: string, event: string) => invoke(name, passThroughOtherGateway(event))
    apiBehindOtherGateway = resources.use(await openApi({ invoke: invokeByOtherGateway, report }, service.keys))
  })
  afterAll(() => resources.disposeAsync())

  // Mutants act in this process alone, so mutation tests send all scenarios here.
  const sent = process.env['STRYKER_MUTATOR_WORKER'] === undefined ? scenarios.filter(differsByGateway) : scenarios

  it.each(sent)('behind a gateway that decodes path parameters and encodes bodies: $title', async (scenario) => {
    expect(await findFaults(scenario, apiBehindOtherGateway)).toEqual([])
  })

  it('the last page of a list has no link to another page', async () => {
    // No request of test/requests names this id.
    await service.pets.put({ id: 6n, name: 'Oldest', categoryId: 1n, status: 'sold' }, 'an attempt')
    const event = replaceQuery(readGatewayEvent('list-pets'), 'status=sold&limit=100')

    const { headers, body } = await functions.call('list-pets', event)

    expect(JSON.parse(body).at(-1)).toMatchObject({ id: 6, name: 'Oldest' })
    expect(headers).not.toHaveProperty('Link')
  })

  it('a response has exactly the headers of the contract', async () => {
    const { headers } = await functions.call('create-pet', readGatewayEvent('create-pet'))

    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers':
        'Allow,Link,Retry-After,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,RateLimit-Policy,RateLimit,' +
        'Deprecation,Sunset,Idempotency-Replayed,WWW-Authenticate,x-amzn-RequestId,x-amz-apigw-id',
      'X-RateLimit-Limit': '60',
      'X-RateLimit-Remaining': '41',
      'X-RateLimit-Reset': '1793611860',
      'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      RateLimit: '"minute";r=41;t=43, "day";r=412;t=52183',
    })
  })

  it('a response has exactly the fields of a pet, in their order', async () => {
    const { body } = await functions.call('create-pet', readGatewayEvent('create-pet-idempotent'))

    expect(body).toMatch(/^\{"id":\d+,"name":"Milo","categoryId":9223372036854775807,"status":"available"\}$/)
  })

  it.each([
    { request: 'without an Idempotency-Key', event: 'create-pet' },
    { request: 'with an Idempotency-Key', event: 'create-pet-idempotent' },
  ])('a pet of a request $request is stored with the id of the API key that added it', async ({ event }) => {
    const { body } = await functions.call('create-pet', readGatewayEvent(event))

    const { Items = [] } = await service.client.send(new ScanCommand({ TableName: service.tables.pets }))
    const { id } = JSON.parse(body)
    expect(Items.find((item) => item['id'] === id)).toMatchObject({ addedBy: 'key_0mhi3d2k5a7b3c9d1e' })
  })
})
