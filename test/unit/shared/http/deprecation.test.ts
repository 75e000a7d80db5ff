import { afterAll, describe, expect, it, vi } from 'vitest'
import { getPet as contract } from '../../../../shared/contract/generated/get-pet.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { operation } from '../../../../shared/http/operation.ts'
import { ok } from '../../../../shared/http/response.ts'
import { gatewayEvent, lambdaContext } from '../../../events/events.ts'

const sunset = Date.UTC(2030, 11, 5)
const event = gatewayEvent('get-pet')
// The service logs what it did not foresee.
vi.spyOn(console, 'error').mockReturnValue(undefined)
afterAll(() => vi.restoreAllMocks())

const responseAt = async (now: number, error?: Error, given = event) => {
  const run = async () => {
    if (error !== undefined) throw error
    return ok({ id: 5n, name: 'Bella', categoryId: 1n, status: 'sold' } as const)
  }
  const { statusCode, headers = {}, body } = await operation(contract, run, () => now)(given, lambdaContext)
  const { Deprecation, Sunset, Link } = headers
  return { statusCode, announced: [Deprecation, Sunset, Link], code: JSON.parse(body).code, body }
}

describe('a deprecated operation', () => {
  it.each([
    [404, sunset - 1, new ServiceError('pet_not_found'), 'pet_not_found'],
    [500, sunset - 1, new Error('the unforeseen'), 'internal_error'],
    // It does nothing any more.
    [404, sunset, new Error('the unforeseen'), 'operation_removed'],
  ])('announces its end with each response: %i at %i', async (statusCode, now, error, code) => {
    const announced = ['@1764892800', 'Thu, 05 Dec 2030 00:00:00 GMT', '</v1/pets>; rel="successor-version"']
    expect(await responseAt(now, error)).toMatchObject({ statusCode, announced, code })
  })

  it('says when it was removed, and what to do instead', async () => {
    expect((await responseAt(sunset)).body).toContain(
      '"This operation was removed on 5 December 2030. No other operation fetches an animal by its id: keep the animals that GET /pets returns."',
    )
  })

  it.each([
    ['the stage', '/v1/pets/5', '/v1/pets'],
    ["a custom domain's base path", '/animals/v1/pets/5', '/animals/v1/pets'],
    ['a custom domain without a base path', '/pets/5', '/pets'],
    ['the stage, where the id is encoded', '/v1/pets/..%2F5%2F', '/v1/pets'],
    ['the stage, where the request ends in slashes', '/v1/pets/5//', '/v1/pets'],
    ['the stage, where slashes follow it', '/v1//pets/5', '/v1/pets'],
    ['the stage, where the path begins with two slashes', '//v1/pets/5', '/v1/pets'],
    ["a custom domain's base path that is like the operation's", '/pets/pets/5', '/pets/pets'],
  ])('names its replacement as an address below %s', async (_where, path, replacement) => {
    const given = { ...event, requestContext: { ...event.requestContext, path } }
    const { announced } = await responseAt(sunset - 1, undefined, given)
    expect(announced[2]).toBe(`<${replacement}>; rel="successor-version"`)
  })
})
