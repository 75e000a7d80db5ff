import { beforeEach, expect, it, vi } from 'vitest'
import { getPet as contract } from '../../../../shared/contract/generated/get-pet.ts'
import { createOperationHandler } from '../../../../shared/http/operation.ts'
import { ok } from '../../../../shared/http/response/response.ts'
import { lambdaContext, readGatewayEvent } from '../../../events/events.ts'

// The announcement in a response with a pet is tested in test/requests/get-pet.ts.

const sunset = Date.UTC(2030, 11, 5)

beforeEach(() => {
  // The handler logs the error with which the operation fails.
  vi.spyOn(console, 'error').mockReturnValue(undefined)
})

/** Requests a pet of the deprecated operation, which fails. @returns the headers and the fields of the response */
const requestPet = async (now: number, path = '/v1/pets/5') => {
  const event = readGatewayEvent('get-pet')
  event.requestContext.path = path
  const handler = createOperationHandler(
    contract,
    () => Promise.reject(new Error('An unexpected error.')),
    () => now,
  )

  const { headers, body } = await handler(event, lambdaContext)
  return { ...headers, ...JSON.parse(body) }
}

const announcement = {
  Deprecation: '@1764892800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</v1/pets>; rel="successor-version"',
}

it('a deprecated operation runs until the sunset, and announces its end', async () => {
  // The error of the operation shows that it has run.
  expect(await requestPet(sunset - 1)).toMatchObject({
    ...announcement,
    status: 500,
    code: 'internal_error',
  })
})

it('a deprecated operation does not run from the sunset on', async () => {
  expect(await requestPet(sunset)).toMatchObject({
    ...announcement,
    status: 404,
    code: 'operation_removed',
    message:
      'This operation was removed on 5 December 2030. ' +
      'No other operation fetches a pet by its id: keep the pets that GET /pets returns.',
  })
})

it.each([
  { address: 'below the base path of a custom domain', path: '/animals/v1/pets/5', replacement: '/animals/v1/pets' },
  { address: 'below a custom domain without a base path', path: '/pets/5', replacement: '/pets' },
  { address: 'below the stage, with an encoded id', path: '/v1/pets/..%2F5%2F', replacement: '/v1/pets' },
  { address: 'below the stage, with slashes at the end', path: '/v1/pets/5//', replacement: '/v1/pets' },
  { address: 'below the stage, with slashes after the stage', path: '/v1//pets/5', replacement: '/v1/pets' },
  { address: 'below the stage, with slashes at the beginning', path: '//v1/pets/5', replacement: '/v1/pets' },
  { address: "below a base path that equals the operation's path", path: '/pets/pets/5', replacement: '/pets/pets' },
])('the replacement of an operation $address is $replacement', async ({ path, replacement }) => {
  const { Link } = await requestPet(sunset - 1, path)

  expect(Link).toBe(`<${replacement}>; rel="successor-version"`)
})

it('the announcement does not displace the links of the operation', async () => {
  const link = '</v1/pets/5>; rel="canonical"'
  const pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' } as const
  const handler = createOperationHandler(
    contract,
    async () => ok(pet, { Link: link }),
    () => sunset - 1,
  )

  const { headers } = await handler(readGatewayEvent('get-pet'), lambdaContext)

  expect(headers).toMatchObject({ ...announcement, Link: `${link}, ${announcement.Link}` })
})
