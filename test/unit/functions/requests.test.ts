import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readGatewayEvent, replaceQuery } from '../../events/events.ts'
import { type LoadedFunctions, loadFunctions, openApi } from '../../fixtures/api.ts'
import { describeOnEachEngine } from '../../fixtures/engines.ts'
import { openService, type Service } from '../../fixtures/service.ts'
import { scenarios } from '../../requests/requests.ts'
import { type Api, findFaults } from '../../requests/scenario.ts'

/** The event of a gateway that decodes path parameters and encodes bodies. */
const passedOtherwise = (text: string): string => {
  const { body, pathParameters, ...event } = JSON.parse(text)
  const decoded = Object.entries(pathParameters ?? {}).map(([name, value]) => [name, decodeURIComponent(String(value))])
  const encoded = body && { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }
  return JSON.stringify({ ...event, body, ...encoded, pathParameters: pathParameters && Object.fromEntries(decoded) })
}

/** Without bans, which take a hundred requests. */
const differing = scenarios.filter(
  ({ steps }) =>
    steps.some(({ send, body }) => body !== undefined || send.includes('%')) &&
    steps.every(({ times }) => times === undefined),
)

describeOnEachEngine('the authorizer and the functions', (engine) => {
  const opened = new AsyncDisposableStack()
  let service: Service
  let operations: LoadedFunctions
  let api: Api
  let otherApi: Api
  beforeAll(async () => {
    service = await openService(engine)
    operations = await loadFunctions(service)
    const { invoke, report } = operations.invoker
    api = opened.use(await openApi({ invoke, report }, service.keys))
    const other = { invoke: (name: string, event: string) => invoke(name, passedOtherwise(event)), report }
    otherApi = opened.use(await openApi(other, service.keys))
  })
  afterAll(() => opened.disposeAsync())

  it.each(scenarios)('give the expected responses: $title', async (scenario) => {
    expect(await findFaults(scenario, api)).toEqual([])
  })

  it('give the same by a gateway that decodes path parameters and encodes bodies', async () => {
    for (const scenario of differing) {
      expect([scenario.title, ...(await findFaults(scenario, otherApi))]).toEqual([scenario.title])
    }
  })

  it('give no link to a page after the last', async () => {
    await service.pets.put({ id: 1n, name: 'Oldest', categoryId: 1n, status: 'sold' }, 'an attempt')
    const event = replaceQuery(readGatewayEvent('list-pets'), 'status=sold&limit=100')
    const { headers, body } = await operations.call('list-pets', event)
    expect(JSON.parse(body).at(-1)).toMatchObject({ id: 1, name: 'Oldest' })
    expect(headers).not.toHaveProperty('Link')
  })

  it('respond with these headers and fields, in this order, and do not show who added a pet', async () => {
    const { headers, body } = await operations.call('create-pet', readGatewayEvent('create-pet-idempotent'))
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
