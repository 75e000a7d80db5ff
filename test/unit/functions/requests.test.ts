import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, expect, it } from 'vitest'
import { authorizer } from '../../../functions/authorizer/authorizer.ts'
import { readContract } from '../../../infra/contract/contract.ts'
import { errorBody, ServiceError } from '../../../shared/errors/service-error.ts'
import type { GatewayEvent } from '../../../shared/http/gateway-event.ts'
import { crossOriginHeaders, noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import { authorizerEvent, gatewayEvent, lambdaContext, withQuery } from '../../events/events.ts'
import { describeOnEachEngine } from '../../fixtures/engines.ts'
import { operationsOn } from '../../fixtures/operations.ts'
import { openService, type Service } from '../../fixtures/service.ts'
import { scenarios } from '../../requests/requests.ts'
import { type Api, faultsOf, type KeyName, keyOrders, pathOf } from '../../requests/scenario.ts'
import { crossOriginRequests } from '../../requests/unknown-routes.ts'

/** To the others only API Gateway responds, in whole or in part. */
const served = scenarios.filter((scenario) => !crossOriginRequests.includes(scenario))

// A path without parameters comes before one with them.
const described = readContract().operations.toSorted(
  (one, other) => Number(/\{/.test(one.path)) - Number(/\{/.test(other.path)),
)

/** The function that API Gateway routes a request to, and the path parameters. */
const route = (method: string, path: string) => {
  for (const operation of described) {
    const pattern = new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const match = operation.method === method ? pattern.exec(path) : null
    if (match !== null) return { name: operation.name, parameters: Object.entries(match.groups ?? {}) }
  }
  const proxy = path.replace(/^\//, '')
  return { name: 'unknown-route', parameters: proxy === '' ? [] : [['proxy', proxy] as const] } as const
}

/** What becomes of a request on its way to a function. */
interface Gateway {
  readonly parameter: (text: string) => string
  readonly body: (bytes: Buffer) => Pick<GatewayEvent, 'body' | 'isBase64Encoded'>
}

/** API Gateway passes path parameters as they were sent, and reads bytes as UTF-8. */
const apiGateway: Gateway = {
  parameter: (text) => text,
  body: (bytes) => ({ body: bytes.toString(), isBase64Encoded: false }),
}

const otherGateway: Gateway = {
  parameter: decodeURIComponent,
  body: (bytes) => ({ body: bytes.toString('base64'), isBase64Encoded: true }),
}

/** What API Gateway responds where the authorizer throws `Unauthorized`. */
const unauthorized = {
  status: 401,
  headers: new Headers({
    ...{ 'Content-Type': 'application/json', 'WWW-Authenticate': 'Bearer' },
    ...{ ...crossOriginHeaders, ...noAllowanceHeaders },
  }),
  text: JSON.stringify(errorBody(new ServiceError('unauthorized'))),
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

  const sendBy =
    (gateway: Gateway): Api['send'] =>
    async ({ method, target, headers, body }) => {
      const path = pathOf(target)
      const { name, parameters } = route(method, path)
      const passed = parameters.map(([parameter, text]) => [parameter, gateway.parameter(text)])
      const pathParameters = passed.length === 0 ? null : Object.fromEntries(passed)
      // HTTP does not have the white space around a value.
      const sent = new Headers({ Host: 'api.example.org', 'X-Forwarded-Proto': 'https', ...headers })
      const multiValueHeaders = Object.fromEntries([...sent].map(([header, text]) => [header, [text]]))
      const authorized = authorize({ ...authorizerEvent(), multiValueHeaders }, lambdaContext)
      const { context } = await authorized.catch((error: Error) => {
        if (error.message !== 'Unauthorized') throw error
        return { context: undefined }
      })
      if (context === undefined) return unauthorized
      const recorded = gatewayEvent(name, {
        ...{ httpMethod: method, path, pathParameters, multiValueHeaders },
        ...(body === undefined ? { body: null } : gateway.body(Buffer.from(await new Response(body).bytes()))),
      })
      // What the authorizer returns is what API Gateway passes on.
      const authorizer = context as unknown as GatewayEvent['requestContext']['authorizer']
      const requestContext = { ...recorded.requestContext, path: `/v1${path}`, authorizer }
      const event = withQuery({ ...recorded, requestContext }, target.split('?')[1] ?? '')
      const response = await operations.call(name, event)
      const { statusCode, headers: shown = {}, body: text, ...others } = response
      // API Gateway allows no other field ("Lambda proxy integration output format").
      expect(others).toEqual({})
      const seen = Object.entries(shown).map(([header, value]): [string, string] => [header, String(value)])
      return { status: statusCode, headers: new Headers(seen), text }
    }

  it.each(served)('give the expected responses: $title', async (scenario) => {
    expect(await faultsOf(scenario, { send: sendBy(apiGateway), usual, issue })).toEqual([])
  })

  it('give the same by a gateway that decodes path parameters and encodes bodies', async () => {
    // A ban takes a hundred requests.
    for (const scenario of served.filter(({ steps }) => steps.every(({ times }) => times === undefined))) {
      const faults = await faultsOf(scenario, { send: sendBy(otherGateway), usual, issue })
      expect([scenario.title, faults]).toEqual([scenario.title, []])
    }
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
