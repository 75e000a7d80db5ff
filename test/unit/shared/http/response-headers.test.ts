import { afterAll, describe, expect, it, vi } from 'vitest'
import { listPets as contract } from '../../../../shared/contract/generated/list-pets.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import type { GatewayEvent, GatewayResult } from '../../../../shared/http/gateway-event.ts'
import { operation } from '../../../../shared/http/operation.ts'
import { ok } from '../../../../shared/http/response.ts'
import { gatewayEvent, lambdaContext, withQuery } from '../../../events/events.ts'

// The service logs what it did not foresee.
vi.spyOn(console, 'error').mockReturnValue(undefined)
afterAll(() => vi.restoreAllMocks())

const event = gatewayEvent('list-pets')

const common = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Link,Retry-After,X-RateLimit-Limit,X-RateLimit-Remaining,X-RateLimit-Reset,RateLimit-Policy,RateLimit,Deprecation,Sunset,Idempotency-Replayed,x-amzn-RequestId',
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '41',
  'X-RateLimit-Reset': '1793611860',
  'RateLimit-Policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
  RateLimit: '"minute";r=41;t=43, "day";r=412;t=52183',
  'Content-Type': 'application/json',
}

const succeed = operation(contract, async () => ok([], { 'X-Own': 'kept' }))
const refuse = operation(contract, async () => {
  throw new ServiceError('invalid_cursor')
})
const fail = operation(contract, async () => {
  throw new Error('the unforeseen')
})

describe('the headers of a response', () => {
  it.each<[string, number, (event: GatewayEvent) => Promise<GatewayResult>]>([
    ['a refusal', 400, (given) => refuse(given, lambdaContext)],
    ['a refusal of the input', 400, (given) => succeed(withQuery(given, 'limit=0'), lambdaContext)],
    ['a failure', 500, (given) => fail(given, lambdaContext)],
  ])('show the limits, and any web page may read them: %s', async (_kind, status, respond) => {
    const { statusCode, headers } = await respond(event)
    expect({ statusCode, headers }).toEqual({ statusCode: status, headers: common })
  })

  it('are the same on a success, beside its own', async () => {
    expect((await succeed(event, lambdaContext)).headers).toEqual({ ...common, 'X-Own': 'kept' })
  })

  it('are in a result with only the fields of a Lambda proxy integration', async () => {
    const allowed = ['statusCode', 'headers', 'body']
    expect(Object.keys(await succeed(event, lambdaContext)).sort()).toEqual([...allowed].sort())
    expect(Object.keys(await refuse(event, lambdaContext)).sort()).toEqual([...allowed].sort())
  })
})
