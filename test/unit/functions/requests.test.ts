import { beforeAll, expect, it } from 'vitest'
import { authorizer } from '../../../functions/authorizer/authorizer.ts'
import { createPet } from '../../../functions/create-pet/create-pet.ts'
import { getPet } from '../../../functions/get-pet/get-pet.ts'
import { listPets } from '../../../functions/list-pets/list-pets.ts'
import { handler as listStoreOrders } from '../../../functions/list-store-orders/index.ts'
import { handler as unknownRoute } from '../../../functions/unknown-route/index.ts'
import type { GatewayEvent, GatewayResult } from '../../../shared/http/gateway-event.ts'
import { authorizerEvent, gatewayEvent, lambdaContext, withHeader, withQuery } from '../../events/events.ts'
import { describeOnEachEngine } from '../../fixtures/engines.ts'
import { openService } from '../../fixtures/service.ts'
import { scenarios } from '../../requests/requests.ts'
import { type Api, faultsOf, type KeyName, keyOrders, pathOf } from '../../requests/scenario.ts'

type Handler = (event: GatewayEvent, context: typeof lambdaContext) => Promise<GatewayResult>

/** To a request without a key only API Gateway responds. */
const served = scenarios.filter(({ steps }) => steps.every(({ key }) => key !== null))

describeOnEachEngine('the authorizer and the functions, called as API Gateway calls them', (engine) => {
  let operations: Readonly<Record<string, readonly [event: string, handler: Handler]>>
  let authorize: ReturnType<typeof authorizer>
  let issue: (name: KeyName) => Promise<string>
  let usual: string

  beforeAll(async () => {
    const service = await openService(engine)
    const bans = { refusalsBeforeBan: 100, firstBanSeconds: 60, longestBanSeconds: 3_600 }
    authorize = authorizer(service.limiter({ bans }), 'pet_test_', 'the reserved key')
    operations = {
      'GET /pets': ['list-pets', listPets(service.pets)],
      'POST /pets': ['create-pet', createPet(service, service.time.clock)],
      'GET /pets/{petId}': ['get-pet', getPet(service.pets, service.time.clock)],
      'GET /store/orders': ['list-store-orders', listStoreOrders],
    }
    issue = async (name) => {
      const [allowance, scope] = keyOrders[name]
      return (await service.keys.issue({ owner: 'a test', plan: 'enterprise', allowance, scope })).apiKey
    }
    usual = await issue('usual')
  })

  const send: Api['send'] = async ({ method, target, headers, body: bytes }) => {
    // API Gateway reads bytes as UTF-8.
    const body = bytes === undefined ? null : Buffer.from(await new Response(bytes).bytes()).toString()
    const path = pathOf(target)
    const petId = /^\/pets\/([^/]+)$/.exec(path)?.[1]
    const proxy = path.replace(/^\//, '') || undefined
    const known = operations[`${method} ${petId === undefined ? path : '/pets/{petId}'}`]
    const [name, handler] = known ?? (['unknown-route', unknownRoute] as const)
    const pathParameters =
      known === undefined ? { proxy } : petId === undefined ? null : { petId: decodeURIComponent(petId) }
    const multiValueHeaders = { Authorization: [headers['Authorization'] ?? ''] }
    const { context } = await authorize({ ...authorizerEvent(), multiValueHeaders }, lambdaContext)
    const recorded = gatewayEvent(name, { httpMethod: method, path, body, pathParameters })
    // What the authorizer returns is what API Gateway passes on.
    const authorized = context as unknown as GatewayEvent['requestContext']['authorizer']
    const requestContext = { ...recorded.requestContext, path: `/v1${path}`, authorizer: authorized }
    const bare = ['Content-Type', 'Idempotency-Key'].reduce((event, header) => withHeader(event, header), recorded)
    const sent = Object.entries(headers).reduce((event, [header, value]) => withHeader(event, header, value), bare)
    const event = withQuery({ ...sent, requestContext }, target.split('?')[1] ?? '')
    const { statusCode, headers: shown = {}, body: text } = await handler(event, lambdaContext)
    const seen = Object.entries(shown).map(([header, value]): [string, string] => [header, String(value)])
    return { status: statusCode, headers: new Headers(seen), text }
  }

  it.each(served)('give the expected responses: $title', async (scenario) => {
    const keys = new Map([['usual', Promise.resolve(usual)]])
    const key: Api['key'] = async (name) => {
      const issued = keys.get(name) ?? issue(name)
      keys.set(name, issued)
      return await issued
    }
    expect(await faultsOf(scenario, { send, key })).toEqual([])
  })
})
