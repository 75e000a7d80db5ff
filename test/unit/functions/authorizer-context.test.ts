import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { bundleFunction } from '../../../infra/bundling/function-bundle.ts'
import { listen } from '../../../infra/local/gateway/listen.ts'
import { environmentVariables } from '../../../shared/environment-variables.ts'
import type { GatewayEvent, GatewayResult } from '../../../shared/http/gateway-event.ts'
import { gatewayEvent, lambdaContext } from '../../events/events.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-context-'))
const names = ['create-pet', 'get-pet', 'list-pets', 'list-store-orders', 'unknown-route']

interface Loaded {
  readonly handler: (event: unknown, context: unknown) => Promise<GatewayResult>
}

const load = (name: string): Loaded => createRequire(import.meta.url)(join(directory, name, 'index.js'))

/** How often the functions called a table. */
let calls = 0
const dynamoDb = createServer((_request, response) => {
  calls += 1
  response.end('{}')
})
const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)

beforeAll(async () => {
  for (const name of names) bundleFunction(name, join(directory, name))
  for (const name of Object.values(environmentVariables)) vi.stubEnv(name, '1')
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${await listen(dynamoDb, 0)}`)
})
afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  dynamoDb.closeAllConnections()
  dynamoDb.close()
  rmSync(directory, { recursive: true })
})
beforeEach(() => {
  calls = 0
})
afterEach(() => logged.mockClear())

/** Events that a function would serve, or refuse for another reason, if their context let it. */
const events: readonly GatewayEvent[] = [
  gatewayEvent('create-pet'),
  gatewayEvent('create-pet-idempotent'),
  gatewayEvent('get-pet'),
  gatewayEvent('list-pets', { multiValueQueryStringParameters: { limit: ['nonsense'] } }),
]

const send = (name: string, event: GatewayEvent, authorizer: unknown): Promise<GatewayResult> =>
  load(name).handler({ ...event, requestContext: { ...event.requestContext, authorizer } }, lambdaContext)

const admitted = gatewayEvent('create-pet').requestContext.authorizer
const {
  plan: _,
  principalId: __,
  integrationLatency: ___,
  ...read
} = { principalId: '', integrationLatency: 0, ...admitted }

/** Contexts that no authorizer of this version passes, by what is wrong with them. */
const unreadable: readonly (readonly [string, unknown])[] = [
  ...[undefined, null, 'text', 7, true, [], {}].map(
    (context) => [`it is ${JSON.stringify(context)}`, context] as const,
  ),
  ...Object.keys(read).flatMap((name) =>
    [undefined, '', null, 7, {}, ['read-write'], '\n'].map(
      (value) => [`${name} is ${JSON.stringify(value)}`, { ...admitted, [name]: value }] as const,
    ),
  ),
  ...['write', 'READ-WRITE', 'read-write ', 'read,read-write', 'admin', 'none'].map(
    (scope) => [`scope is ${scope}`, { ...admitted, scope }] as const,
  ),
  ...['None', 'undefined', 'unauthorized', 'internal_error'].map(
    (errorCode) => [`errorCode is ${errorCode}`, { ...admitted, errorCode }] as const,
  ),
  ['rateLimitLimit is -1', { ...admitted, rateLimitLimit: '-1' }],
  ['retryAfter is soon', { ...admitted, retryAfter: 'soon' }],
]

describe.each(names)('the bundle of %s', (name) => {
  it('responds 503 to every context that it cannot read, logs it, and calls no table', async () => {
    for (const [fault, context] of unreadable) {
      for (const event of events) {
        const { statusCode, headers, body } = await send(name, event, context)
        expect([fault, statusCode, JSON.parse(body)]).toMatchObject([fault, 503, { code: 'service_unavailable' }])
        expect(headers).toMatchObject({
          'Retry-After': '1',
          'X-RateLimit-Limit': '0',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': '0',
          'Access-Control-Allow-Origin': '*',
        })
      }
    }
    expect(logged).toHaveBeenCalledTimes(unreadable.length * events.length)
    expect(String(logged.mock.calls.at(-1))).toContain('The context of the authorizer has no valid retryAfter.')
    expect(calls).toBe(0)
  })

  it('reads a context with more in it than it knows, and with a plan that it does not know', async () => {
    for (const event of events) {
      const { statusCode } = await send(name, event, { ...admitted, plan: 'of tomorrow', added: 'tomorrow' })
      expect([429, 503]).not.toContain(statusCode)
    }
  })

  it.each([
    ['rate_limit_exceeded', 'The limit of 60 requests per minute is used up.', '17'],
    ['api_key_banned', 'The API key is banned for a time.', '600'],
  ])('responds 429 %s before anything else, without a call to any table', async (code, message, retryAfter) => {
    for (const event of events) {
      const refused = { ...admitted, errorCode: code, errorMessage: message, retryAfter, rateLimitRemaining: '0' }
      const { statusCode, headers, body } = await send(name, event, refused)
      expect([statusCode, JSON.parse(body)]).toEqual([429, { code, message, status: 429 }])
      expect(headers).toMatchObject({
        'Retry-After': retryAfter,
        'X-RateLimit-Limit': '60',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': admitted.rateLimitReset,
        'Access-Control-Allow-Origin': '*',
        'Content-Type': 'application/json',
      })
    }
    expect(calls).toBe(0)
  })
})

it('creates with a key that has exactly the scope read-write', async () => {
  const codes: number[] = []
  for (const scope of ['read-write', 'read']) {
    codes.push((await send('create-pet', gatewayEvent('create-pet'), { ...admitted, scope })).statusCode)
  }
  expect(codes).toEqual([201, 403])
})
