import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb'
import { beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { listPets as contract } from '../../../../shared/contract/generated/list-pets.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { createOperationHandler } from '../../../../shared/http/operation.ts'
import { lambdaContext, readGatewayEvent } from '../../../events/events.ts'

let log: MockInstance<typeof console.error>
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockReturnValue(undefined)
})

/** Requests an operation. @returns the parts of its response that an error decides */
const requestOperation = async (run: () => Promise<never>, context = lambdaContext) => {
  const handler = createOperationHandler(contract, run)
  const { statusCode, headers = {}, body } = await handler(readGatewayEvent('list-pets'), context)
  return {
    statusCode,
    contentType: headers['Content-Type'],
    retryAfter: headers['Retry-After'],
    body: JSON.parse(body),
  }
}

const failWith = (error: unknown) => requestOperation(() => Promise.reject(error))

/** Creates an error as the SDK does from a response of DynamoDB. */
const createDynamoDbError = (name: string, status: 400 | 500): Error =>
  new DynamoDBServiceException({
    name,
    $fault: status === 400 ? 'client' : 'server',
    message: 'secret of table pets-123',
    $metadata: { httpStatusCode: status, attempts: 3 },
  })

/** Creates an error as the SDK does when DynamoDB cannot be reached. */
const createConnectionError = (): Error => Object.assign(new Error('socket hang up'), { $metadata: { attempts: 3 } })

const internalError = {
  statusCode: 500,
  contentType: 'application/json',
  retryAfter: undefined,
  body: {
    code: 'internal_error',
    status: 500,
    message: 'The service failed to respond. Try again later.',
  },
}

const serviceUnavailable = {
  statusCode: 503,
  contentType: 'application/json',
  retryAfter: '1',
  body: {
    code: 'service_unavailable',
    status: 503,
    message: 'The service cannot reach its data at the moment. Try again in a moment.',
  },
}

it('an error of the catalogue has its own status, message and headers', async () => {
  const error = new ServiceError('idempotency_key_in_use', {
    headers: { 'Retry-After': '7' },
    cause: new Error('Not for the log.'),
  })

  expect(await failWith(error)).toEqual({
    statusCode: 409,
    contentType: 'application/json',
    retryAfter: '7',
    body: {
      code: 'idempotency_key_in_use',
      status: 409,
      message: 'The first request with this Idempotency-Key is still running. Try again in a moment.',
    },
  })
  expect(log).not.toHaveBeenCalled()
})

it('an error above 500 without a cause is not logged', async () => {
  expect(await failWith(new ServiceError('not_implemented'))).toMatchObject({
    statusCode: 501,
    body: { message: 'This operation is reserved and does nothing yet.' },
  })
  expect(log).not.toHaveBeenCalled()
})

it('a rejection without an error is 500', async () => {
  expect(await failWith(undefined)).toEqual(internalError)
  expect(log).not.toHaveBeenCalled()
})

it.each([
  { kind: 'an unexpected error', error: new Error('secret of table pets-123') },
  { kind: 'a TypeError', error: new TypeError('secret') },
  { kind: 'a text', error: 'secret' },
  { kind: 'a request that DynamoDB refuses', error: createDynamoDbError('ValidationException', 400) },
  { kind: 'a missing table', error: createDynamoDbError('ResourceNotFoundException', 400) },
])('the response to $kind is 500 and reveals nothing, but the log has the error', async ({ error }) => {
  expect(await failWith(error)).toEqual(internalError)
  expect(log.mock.calls).toEqual([[error]])
})

it.each([
  { kind: 'a throttled table', error: createDynamoDbError('ProvisionedThroughputExceededException', 400) },
  { kind: 'a throttled account', error: createDynamoDbError('RequestLimitExceeded', 400) },
  { kind: 'a throttled request', error: createDynamoDbError('ThrottlingException', 400) },
  { kind: 'an error of DynamoDB', error: createDynamoDbError('InternalServerError', 500) },
  { kind: 'a lost connection', error: createConnectionError() },
])('the response to $kind is 503 and reveals nothing, but the log has the error', async ({ error }) => {
  expect(await failWith(error)).toEqual(serviceUnavailable)
  expect(log.mock.calls).toEqual([[error]])
})

it.each([501, 0])('an operation without an end is 503 if the function has %i ms left', async (millisecondsLeft) => {
  const context = { ...lambdaContext, getRemainingTimeInMillis: () => millisecondsLeft }

  const response = await requestOperation(() => new Promise<never>(() => {}), context)

  expect(response).toEqual(serviceUnavailable)
  expect(log.mock.calls).toEqual([[new Error('The operation did not end before the timeout of the function.')]])
})
