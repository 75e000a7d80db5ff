import { afterAll, describe, expect, it, vi } from 'vitest'
import { getPet as contract } from '../../../../shared/contract/generated/get-pet.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { operation, type Run } from '../../../../shared/http/operation.ts'
import { decodePath } from '../../../../shared/http/request-path.ts'
import { ok } from '../../../../shared/http/response.ts'
import { gatewayEvent, lambdaContext } from '../../../events/events.ts'

const sunset = Date.UTC(2030, 11, 5)
// The service logs what it did not foresee.
vi.spyOn(console, 'error').mockReturnValue(undefined)
afterAll(() => vi.restoreAllMocks())

const event = gatewayEvent('get-pet')

const bella = { id: 5n, name: 'Bella', categoryId: 1n, status: 'sold' } as const

const responseAt = (now: number, run: Run<typeof contract> = async () => ok(bella), given = event) =>
  operation(contract, run, () => now)(given, lambdaContext)

const linkFor = async (path: string, petId: string) => {
  const given = { ...event, pathParameters: { petId }, requestContext: { ...event.requestContext, path } }
  const { headers } = await responseAt(sunset - 1, async () => ok(bella), given)
  return /^<(.*)>; rel="successor-version"$/s.exec(String(headers?.['Link']))?.[1]
}

const announced = {
  Deprecation: '@1764892800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</v1/pets>; rel="successor-version"',
}

describe('a deprecated operation', () => {
  it('announces its end on a success', async () => {
    const response = await responseAt(sunset - 1)
    expect(response).toMatchObject({ statusCode: 200, headers: announced })
  })

  it.each([
    ['refusal', new ServiceError('pet_not_found'), 404],
    ['failure', new Error('the unforeseen'), 500],
  ])('announces its end on a %s', async (_kind, error, status) => {
    const response = await responseAt(sunset - 1, async () => {
      throw error
    })
    expect(response).toMatchObject({ statusCode: status, headers: announced })
  })

  it('is announced as deprecated no later than it ends', () => {
    expect(contract.deprecation.since).toBeLessThan(contract.deprecation.sunset)
  })

  it.each([
    ['the stage', '/v1/pets/5', '/v1/pets'],
    ["a custom domain's base path", '/animals/v1/pets/5', '/animals/v1/pets'],
    ['a custom domain without a base path', '/pets/5', '/pets'],
    ['the stage, where the request ends in a slash', '/v1/pets/5/', '/v1/pets'],
    ['the stage, where the request ends in slashes', '/v1/pets/5//', '/v1/pets'],
    ['the stage, where slashes follow it', '/v1//pets/5', '/v1/pets'],
    ['the stage, where the path begins with two slashes', '//v1/pets/5', '/v1/pets'],
    ["a custom domain's base path that is like the operation's", '/pets/pets/5', '/pets/pets'],
  ])('names its replacement as an address below %s', async (_where, path, link) => {
    expect(await linkFor(path, '5')).toBe(link)
  })

  it.each(['..%2F5', '%3E%2Fa%2Fb', '5%2F', '%2F', '%', '%zz%2F', '%2e%2e', '%C3%AB', ''])(
    'names its replacement whether the gateway hands the id %s on encoded or decoded',
    async (id) => {
      const decoded = decodePath(id)
      expect(await linkFor(`/v1/pets/${id}`, id)).toBe('/v1/pets')
      expect(await linkFor(`/v1/pets/${decoded}`, decoded)).toBe('/v1/pets')
      expect(await linkFor(`/v1/pets/${id}`, decoded)).toBe('/v1/pets')
    },
  )

  it('responds 404 from the millisecond of its sunset on, and does nothing', async () => {
    let ran = false
    const response = await responseAt(sunset, async () => {
      ran = true
      return ok(bella)
    })
    expect(response).toMatchObject({ statusCode: 404, headers: announced })
    expect(JSON.parse(response.body)).toEqual({
      code: 'operation_removed',
      message:
        'This operation was removed on 5 December 2030. No other operation fetches an animal by its id: keep the animals that GET /pets returns.',
      status: 404,
    })
    expect(ran).toBe(false)
  })
})
