import { describe, expect, it, vi } from 'vitest'
import { getPet as contract } from '../../../../shared/contract/generated/get-pet.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { ok } from '../../../../shared/http/answer.ts'
import { operation, type Run } from '../../../../shared/http/operation.ts'
import { gatewayEvent, lambdaContext } from '../../../events/events.ts'

const sunset = Date.UTC(2030, 11, 5)
// The service logs what it did not foresee.
vi.spyOn(console, 'error').mockReturnValue(undefined)

const event = gatewayEvent('get-pet')

const answerAt = (now: number, run: Run<typeof contract> = async ({ path }) => ok(path.petId), given = event) =>
  operation(contract, run, () => now)(given, lambdaContext)

const announced = {
  Deprecation: '@1764892800',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</v1/pets>; rel="successor-version"',
}

describe('a deprecated operation', () => {
  it('announces its end on a success', async () => {
    const answer = await answerAt(sunset - 1)
    expect(answer).toMatchObject({ statusCode: 200, headers: announced })
  })

  it.each([
    ['refusal', new ServiceError('pet_not_found'), 404],
    ['failure', new Error('the unforeseen'), 500],
  ])('announces its end on a %s', async (_kind, error, status) => {
    const answer = await answerAt(sunset - 1, async () => {
      throw error
    })
    expect(answer).toMatchObject({ statusCode: status, headers: announced })
  })

  it('is announced as deprecated no later than it ends', () => {
    expect(contract.deprecation.since).toBeLessThan(contract.deprecation.sunset)
  })

  it.each([
    ['the stage', '/v1/pets/5', '/v1/pets'],
    ["a custom domain's base path", '/animals/v1/pets/5', '/animals/v1/pets'],
    ['a custom domain without a base path', '/pets/5', '/pets'],
    ['the stage, where the request ends in a slash', '/v1/pets/5/', '/v1/pets'],
  ])('names its replacement as an address below %s', async (_where, path, link) => {
    const given = { ...event, requestContext: { ...event.requestContext, path } }
    const { headers } = await answerAt(sunset - 1, undefined, given)
    expect(headers?.['Link']).toBe(`<${link}>; rel="successor-version"`)
  })

  it('is gone from the very millisecond of its sunset, and does nothing any more', async () => {
    let ran = false
    const answer = await answerAt(sunset, async ({ path }) => {
      ran = true
      return ok(path.petId)
    })
    expect(answer).toMatchObject({ statusCode: 404, headers: announced })
    expect(JSON.parse(answer.body)).toEqual({
      code: 'operation_removed',
      message: 'This operation was removed on 5 December 2030. Use GET /pets with a status filter instead.',
      status: 404,
    })
    expect(ran).toBe(false)
  })
})
