import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { noAllowanceHeaders } from '../../../shared/http/response-headers.ts'
import { gatewayEvent } from '../../events/events.ts'
import { recordingClient } from '../../fixtures/client-middleware.ts'
import { describeOnEachEngine } from '../../fixtures/engines.ts'
import { operationsOn } from '../../fixtures/operations.ts'
import { openService } from '../../fixtures/service.ts'

const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
afterAll(() => vi.restoreAllMocks())

const admitted = gatewayEvent('create-pet').requestContext.authorizer
const notRead = ['plan', 'principalId', 'integrationLatency']

/** Values that no authorizer of this version passes under a name, beside those that it passes under none. */
const unreadableValues: Readonly<Record<string, readonly unknown[]>> = {
  scope: ['write', 'READ-WRITE', 'read-write ', ' read', 'read,read-write', 'none'],
  errorCode: ['None', 'unauthorized', 'internal_error', 'none ', ' none'],
  rateLimitLimit: ['-1', '1.5'],
  retryAfter: ['soon', '17 s'],
}
const neverPassed = [undefined, '', null, 7, {}, ['read-write'], 'a\n', '\na']

const unreadable: readonly unknown[] = [
  ...[undefined, null, 'text', 7, true, [], {}],
  ...Object.keys(admitted)
    .filter((name) => !notRead.includes(name))
    .flatMap((name) =>
      [...neverPassed, ...(unreadableValues[name] ?? [])].map((value) => ({ ...admitted, [name]: value })),
    ),
]

/** Requests that a function would serve, or refuse for another reason, if their context let it. */
const requests = [
  ['create-pet', gatewayEvent('create-pet-idempotent')],
  ['get-pet', gatewayEvent('get-pet')],
  ['list-pets', gatewayEvent('list-pets', { multiValueQueryStringParameters: { limit: ['nonsense'] } })],
  ['list-store-orders', gatewayEvent('list-store-orders')],
  ['unknown-route', gatewayEvent('unknown-route')],
] as const

describeOnEachEngine('a function', (engine) => {
  const { client, calls } = recordingClient(engine)
  let operations: ReturnType<typeof operationsOn>
  beforeEach(async () => {
    operations = operationsOn({ ...(await openService(engine)), client })
    calls.length = 0
    logged.mockClear()
  })

  const send = async ([name, event]: (typeof requests)[number], authorizer: unknown) => {
    const given = { ...event, requestContext: { ...event.requestContext, authorizer: authorizer as typeof admitted } }
    const { statusCode, headers, body } = await operations.call(name, given)
    return { statusCode, headers, json: JSON.parse(body) }
  }

  it('responds 503 to every context that it cannot read, logs it, and calls no table', async () => {
    for (const context of unreadable) {
      for (const request of requests) {
        expect({ context, ...(await send(request, context)) }).toMatchObject({
          ...{ context, statusCode: 503, json: { code: 'service_unavailable' } },
          headers: { 'Retry-After': '1', 'Access-Control-Allow-Origin': '*', ...noAllowanceHeaders },
        })
      }
    }
    expect(logged).toHaveBeenCalledTimes(unreadable.length * requests.length)
    expect(String(logged.mock.calls[0])).toContain('The context of the authorizer has no valid keyId.')
    expect(calls).toEqual([])
  })

  it('reads a context with more in it than it knows, and with a plan that it does not know', async () => {
    for (const request of requests) {
      const { statusCode } = await send(request, { ...admitted, plan: 'of tomorrow', added: 'tomorrow' })
      expect([429, 503]).not.toContain(statusCode)
    }
  })

  it.each([
    ['rate_limit_exceeded', 'The limit of 60 requests per minute is used up.', '17'],
    ['api_key_banned', 'The API key is banned for a time.', '600'],
  ])('responds 429 %s before anything else, without a call to any table', async (code, message, retryAfter) => {
    for (const request of requests) {
      const refused = { ...admitted, errorCode: code, errorMessage: message, retryAfter, rateLimitRemaining: '0' }
      expect(await send(request, refused)).toMatchObject({
        ...{ statusCode: 429, json: { code, message, status: 429 } },
        headers: { 'Retry-After': retryAfter, 'X-RateLimit-Limit': '60', 'X-RateLimit-Remaining': '0' },
      })
    }
    expect(calls).toEqual([])
  })
})
