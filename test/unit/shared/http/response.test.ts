import { DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { listPets as contract } from '../../../../shared/contract/generated/list-pets.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { operation } from '../../../../shared/http/operation.ts'
import { created, ok } from '../../../../shared/http/response.ts'
import { PetStore } from '../../../../shared/pets/pet-store.ts'
import { gatewayEvent, lambdaContext } from '../../../events/events.ts'

const responseTo = async (fail: () => Promise<never>, context = lambdaContext) => {
  const { statusCode, headers, body } = await operation(contract, fail)(gatewayEvent('list-pets'), context)
  return { status: statusCode, headers, text: body, json: JSON.parse(body) }
}

/** An error as the SDK creates it from a response of DynamoDB. */
const dynamodbError = (name: string, status: number): DynamoDBServiceException =>
  new DynamoDBServiceException({
    name,
    $fault: status < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode: status, attempts: 3 },
    message: 'the table pets-123',
  })

const thrown = (error: unknown) =>
  responseTo(async () => {
    throw error
  })

const logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
afterAll(() => vi.restoreAllMocks())
afterEach(() => {
  logged.mockClear()
})

const internalError = {
  code: 'internal_error',
  message: 'The service failed to respond. Try again later.',
  status: 500,
}

describe('the response to an error', () => {
  it('is the error of the catalogue, with its headers, and nothing else', async () => {
    const { status, headers, json } = await thrown(
      new ServiceError('idempotency_key_in_use', { headers: { 'Retry-After': '1' } }),
    )
    expect(status).toBe(409)
    expect(headers).toMatchObject({ 'Content-Type': 'application/json', 'Retry-After': '1' })
    expect(json).toEqual({
      code: 'idempotency_key_in_use',
      message: 'The first request with this Idempotency-Key is still running. Try again in a moment.',
      status: 409,
    })
  })

  it.each([new Error('secret of table pets-123'), new TypeError('secret'), 'secret', undefined])(
    'reveals nothing about an unexpected error',
    async (error) => {
      const { status, text, json } = await thrown(error)
      expect({ status, json }).toEqual({ status: 500, json: internalError })
      expect(text).not.toContain('secret')
    },
  )

  it('is logged only where the service is at fault', async () => {
    const error = new Error('the unforeseen')
    await thrown(error)
    await thrown(new ServiceError('pet_not_found'))
    await thrown(new ServiceError('malformed_json', { cause: new SyntaxError('the fault of the caller') }))
    await thrown(new ServiceError('not_implemented'))
    expect(logged.mock.calls).toEqual([[error]])
  })

  it.each([
    ['throttles a table', dynamodbError('ProvisionedThroughputExceededException', 400)],
    ['throttles an account', dynamodbError('ThrottlingException', 400)],
    ['fails', dynamodbError('InternalServerError', 500)],
  ])('is 503 with a Retry-After where DynamoDB %s', async (_how, error) => {
    const { status, headers, json } = await thrown(error)
    expect({ status, json }).toMatchObject({ status: 503, json: { code: 'service_unavailable' } })
    expect(headers).toMatchObject({ 'Retry-After': '1' })
  })

  it.each(['ValidationException', 'ResourceNotFoundException', 'AccessDeniedException'])(
    'is 500 where DynamoDB refuses an invalid request of the service: %s',
    async (name) => {
      const { status, headers, text, json } = await thrown(dynamodbError(name, 400))
      expect({ status, json }).toEqual({ status: 500, json: internalError })
      expect(headers).not.toHaveProperty('Retry-After')
      expect(text).not.toContain('pets-123')
    },
  )

  it('is 503 where DynamoDB cannot be reached', async () => {
    const nobodyListens = new DynamoDBClient({
      endpoint: 'http://127.0.0.1:9',
      region: 'us-east-1',
      credentials: { accessKeyId: 'nobody', secretAccessKey: 'nobody' },
      maxAttempts: 1,
    })
    const store = new PetStore(DynamoDBDocumentClient.from(nobodyListens), 'pets')
    const { status, headers } = await responseTo(async () => {
      await store.find(1n)
      throw new Error('Something listens on port 9.')
    })
    expect({ status, wait: headers?.['Retry-After'] }).toEqual({ status: 503, wait: '1' })
  })

  it.each([501, 500, 0])(
    'is 503 where an operation does not end, with %i ms left before the timeout of the function',
    async (left) => {
      const never = new Promise<never>(() => {})
      const context = { ...lambdaContext, getRemainingTimeInMillis: () => left }
      const { status, headers, json } = await responseTo(() => never, context)
      expect({ status, json }).toMatchObject({ status: 503, json: { code: 'service_unavailable', status: 503 } })
      expect(headers).toMatchObject({ 'Retry-After': '1', 'Access-Control-Allow-Origin': '*' })
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
