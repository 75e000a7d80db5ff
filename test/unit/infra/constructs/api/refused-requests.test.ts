import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { bundleFunction } from '../../../../../infra/bundling/function-bundle.ts'
import { readFunctionFolders } from '../../../../../infra/constructs/functions/function-folders.ts'
import { environmentVariables } from '../../../../../shared/environment-variables.ts'
import type { GatewayEvent, GatewayResult } from '../../../../../shared/http/gateway-event.ts'
import { gatewayEvent, lambdaContext } from '../../../../events/events.ts'

const directory = mkdtempSync(join(tmpdir(), 'pet-adoption-refused-'))
let callsToDynamoDb = 0
const dynamoDb = createServer((_request, response) => {
  callsToDynamoDb += 1
  response.writeHead(500).end()
})

beforeAll(async () => {
  dynamoDb.listen(0, '127.0.0.1')
  await once(dynamoDb, 'listening')
  for (const name of Object.values(environmentVariables)) vi.stubEnv(name, 'a-table')
  // The server was given a port.
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(dynamoDb.address() as AddressInfo).port}`)
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
})

afterAll(() => {
  vi.unstubAllEnvs()
  dynamoDb.close()
  rmSync(directory, { recursive: true })
})

const operations = readFunctionFolders().filter((name) => name !== 'authorizer')

/** What the authorizer adds to the context of the events where it refuses a request. */
const refusals = [
  {
    errorCode: 'rate_limit_exceeded',
    errorMessage: 'The limit of 60 requests per minute is used up.',
    retryAfter: '17',
  },
  { errorCode: 'api_key_banned', errorMessage: 'The API key is banned for a time.', retryAfter: '600' },
] as const

/** An event that the function would serve, or refuse for another reason, if the request were within the limits. */
const events: readonly GatewayEvent[] = [
  gatewayEvent('create-pet'),
  gatewayEvent('get-pet'),
  gatewayEvent('list-pets', { multiValueQueryStringParameters: { limit: ['nonsense'] } }),
]

describe.each(operations)('the function %s, when the authorizer refuses a request', (name) => {
  const invoke = async (event: GatewayEvent): Promise<GatewayResult> => {
    const folder = join(directory, name)
    bundleFunction(name, folder)
    const loaded: { handler: (event: GatewayEvent, context: unknown) => Promise<GatewayResult> } = createRequire(
      import.meta.url,
    )(join(folder, 'index.js'))
    return loaded.handler(event, lambdaContext)
  }

  it.each(refusals)('responds 429 $errorCode before anything else, without a call to any table', async (refusal) => {
    for (const event of events) {
      const { authorizer } = event.requestContext
      const requestContext = {
        ...event.requestContext,
        authorizer: { ...authorizer, ...refusal, rateLimitLimit: '60', rateLimitRemaining: '0' },
      }
      const response = await invoke({ ...event, requestContext })
      expect(response.statusCode).toBe(429)
      expect(JSON.parse(response.body)).toEqual({ code: refusal.errorCode, message: refusal.errorMessage, status: 429 })
      expect(response.headers).toMatchObject({
        'Retry-After': refusal.retryAfter,
        'X-RateLimit-Limit': '60',
        'X-RateLimit-Remaining': '0',
        'X-RateLimit-Reset': authorizer.rateLimitReset,
        'Access-Control-Allow-Origin': '*',
        'Content-Type': 'application/json',
      })
    }
    expect(callsToDynamoDb).toBe(0)
  })
})
