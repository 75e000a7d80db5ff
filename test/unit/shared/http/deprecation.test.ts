import { beforeEach, expect, it, vi } from 'vitest'
import { getPet as contract } from '../../../../shared/contract/generated/get-pet.ts'
import { createOperationHandler } from '../../../../shared/http/operation.ts'
import { lambdaContext, readGatewayEvent } from '../../../events/events.ts'

// How it is announced with each pet: test/requests/get-pet.ts.

const sunset = Date.UTC(2030, 11, 5)

beforeEach(() => {
  // The service logs unforeseen errors.
  vi.spyOn(console, 'error').mockReturnValue(undefined)
})

const failingAt = async (now: number, path = '/v1/pets/5') => {
  const { requestContext, ...event } = readGatewayEvent('get-pet')
  const given = { ...event, requestContext: { ...requestContext, path } }
  const { headers, body } = await createOperationHandler(
    contract,
    () => Promise.reject(new Error('the unforeseen')),
    () => now,
  )(given, lambdaContext)
  return { ...headers, ...JSON.parse(body) }
}

const removed =
  'This operation was removed on 5 December 2030. No other operation fetches an animal by its id: keep the animals that GET /pets returns.'

it.each([
  [sunset - 1, { status: 500, code: 'internal_error' }],
  // It does nothing any more.
  [sunset, { status: 404, code: 'operation_removed', message: removed }],
])('a deprecated operation announces its end with each response, at %i %o', async (now, response) => {
  const Link = '</v1/pets>; rel="successor-version"'
  const announced = { Deprecation: '@1764892800', Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT', Link }
  expect(await failingAt(now)).toMatchObject({ ...announced, ...response })
})

it.each([
  ["a custom domain's base path", '/animals/v1/pets/5', '/animals/v1/pets'],
  ['a custom domain without a base path', '/pets/5', '/pets'],
  ['the stage, where the id is encoded', '/v1/pets/..%2F5%2F', '/v1/pets'],
  ['the stage, where the request ends in slashes', '/v1/pets/5//', '/v1/pets'],
  ['the stage, where slashes follow it', '/v1//pets/5', '/v1/pets'],
  ['the stage, where the path begins with two slashes', '//v1/pets/5', '/v1/pets'],
  ["a custom domain's base path that is like the operation's", '/pets/pets/5', '/pets/pets'],
])('it names its replacement as an address below %s', async (_where, path, replacement) => {
  const { Link } = await failingAt(sunset - 1, path)
  expect(Link).toBe(`<${replacement}>; rel="successor-version"`)
})
