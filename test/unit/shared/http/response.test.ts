import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { listPets as contract } from '../../../../shared/contract/generated/list-pets.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { operation } from '../../../../shared/http/operation.ts'
import { created, ok } from '../../../../shared/http/response.ts'
import { gatewayEvent, lambdaContext } from '../../../events/events.ts'

const responseTo = async (fail: () => Promise<never>, context = lambdaContext) => {
  const { statusCode, headers = {}, body } = await operation(contract, fail)(gatewayEvent('list-pets'), context)
  return { ...JSON.parse(body), statusCode, wait: headers['Retry-After'], type: headers['Content-Type'] }
}

const thrown = (error: unknown) => responseTo(() => Promise.reject(error))

/** An error as the SDK creates it from a response of DynamoDB. */
const dynamodbError = (name: string, status: number) =>
  new DynamoDBServiceException({
    ...{ name, $fault: status < 500 ? 'client' : 'server', message: 'secret of table pets-123' },
    $metadata: { httpStatusCode: status, attempts: 3 },
  })

const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
afterAll(() => vi.restoreAllMocks())
afterEach(() => {
  logged.mockClear()
})

const responseOf = (code: string, status: number, message: string, wait?: string) => ({
  ...{ code, status, message, statusCode: status, wait, type: 'application/json' },
})
const internalError = responseOf('internal_error', 500, 'The service failed to respond. Try again later.')
const noData = 'The service cannot reach its data at the moment. Try again in a moment.'
const unavailable = responseOf('service_unavailable', 503, noData, '1')

describe('the response to an error', () => {
  it('is the error of the catalogue, with its headers, and nothing else', async () => {
    const message = 'The first request with this Idempotency-Key is still running. Try again in a moment.'
    const inUse = responseOf('idempotency_key_in_use', 409, message, '7')
    expect(await thrown(new ServiceError('idempotency_key_in_use', { headers: { 'Retry-After': '7' } }))).toEqual(inUse)
  })

  it.each([
    ...[new Error('secret of table pets-123'), new TypeError('secret'), 'secret', undefined],
    ...['ValidationException', 'ResourceNotFoundException'].map((name) => dynamodbError(name, 400)),
  ])('reveals nothing about what was not foreseen, or is a fault of the service: %s', async (error) => {
    expect(await thrown(error)).toEqual(internalError)
  })

  it('is logged only where the service is at fault', async () => {
    const error = new Error('the unforeseen')
    await thrown(error)
    await thrown(new ServiceError('malformed_json', { cause: new SyntaxError('the fault of the caller') }))
    await thrown(new ServiceError('not_implemented'))
    expect(logged.mock.calls).toEqual([[error]])
  })

  it.each([
    ...['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException'].map((name) =>
      dynamodbError(name, 400),
    ),
    dynamodbError('InternalServerError', 500),
    // As the SDK throws it where DynamoDB cannot be reached.
    Object.assign(new Error('socket hang up'), { $metadata: { attempts: 3 } }),
  ])('is 503 with a Retry-After where DynamoDB is unavailable: %s', async (error) => {
    expect(await thrown(error)).toEqual(unavailable)
  })

  it.each([501, 0])(
    'is 503 where an operation does not end, with %i ms left before the timeout of the function',
    async (left) => {
      const context = { ...lambdaContext, getRemainingTimeInMillis: () => left }
      expect(await responseTo(() => new Promise<never>(() => {}), context)).toEqual(unavailable)
      expect(logged.mock.calls).toEqual([[new Error('The operation did not end before the timeout of the function.')]])
    },
  )
})

/** The compiler compares each with the contract: `npm run check` fails where it accepts one of them. */
export const notOfTheContract = [
  // @ts-expect-error one pet is no list
  operation(contract, async () => ok({ id: 1n, name: 'Bella', categoryId: 1n, status: 'sold' } as const)),
  // @ts-expect-error a pet without its status
  operation(contract, async () => ok([{ id: 1n, name: 'Bella', categoryId: 1n }])),
  // @ts-expect-error a list is not created
  operation(contract, async () => created([])),
]
