import { setTimeout } from 'node:timers/promises'
import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb'
import { beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { listPets as contract } from '../../../../shared/contract/generated/list-pets.ts'
import { createOperationHandler, type RunOperation } from '../../../../shared/http/operation.ts'
import { ServiceError } from '../../../../shared/service-error.ts'
import { lambdaContext, readGatewayEvent } from '../../../events/events.ts'
import { createCancellation } from '../../../fixtures/database/clients.ts'

let log: MockInstance<typeof console.error>
beforeEach(() => {
  log = vi.spyOn(console, 'error').mockReturnValue(undefined)
})

/** Requests an operation whose function has some milliseconds left. */
const requestOperation = (run: RunOperation<typeof contract>, millisecondsLeft: number) => {
  const context = { ...lambdaContext, getRemainingTimeInMillis: () => millisecondsLeft }
  return createOperationHandler(contract, run)(readGatewayEvent('list-pets'), context)
}

const runForever = () => new Promise<never>(() => {})

// The function responds a second before its timeout, and at once if less is left.
it.each([1_001, 0])('an operation without an end is 503 if the function has %i ms left', async (millisecondsLeft) => {
  const { statusCode, headers } = await requestOperation(runForever, millisecondsLeft)

  expect(statusCode).toBe(503)
  expect(headers).toMatchObject({ 'Retry-After': '1' })
  expect(log.mock.calls).toMatchObject([
    [{ error: expect.stringContaining('Error: The operation did not end before the timeout of the function.') }],
  ])
})

it.each([
  { operationMilliseconds: 50, status: 501 },
  { operationMilliseconds: 150, status: 503 },
])(
  'an operation that is 501 after $operationMilliseconds ms is $status if the function has 1,100 ms left',
  async ({ operationMilliseconds, status }) => {
    const run = async () => {
      await setTimeout(operationMilliseconds)
      throw new ServiceError('not_implemented')
    }

    expect(await requestOperation(run, 1_100)).toMatchObject({ statusCode: status })
  },
)

it('the signal of an operation without an end is aborted when its response is sent', async () => {
  let operationSignal: AbortSignal | undefined
  const run: RunOperation<typeof contract> = (_input, _event, signal) => {
    operationSignal = signal
    return runForever()
  }

  await requestOperation(run, 0)

  expect(operationSignal?.aborted).toBe(true)
})

/** Requests an operation that fails. @returns the parts of its response that an error decides */
const requestFailure = async (run: () => Promise<never>) => {
  const handler = createOperationHandler(contract, run)
  const { statusCode, headers = {}, body } = await handler(readGatewayEvent('list-pets'), lambdaContext)
  return {
    statusCode,
    contentType: headers['Content-Type'],
    retryAfter: headers['Retry-After'],
    body: JSON.parse(body),
  }
}

/** The log of a failed request: its operation, its ids, its key and the text of its error. */
const expectLogged = (error: string) => ({
  operation: 'listPets',
  requestId: '5b1c6d2e-0f4a-4a6b-9c8d-7e6f5a4b3c10',
  extendedRequestId: 'KmF2sHXrIAMEWVF=',
  keyId: 'key_0mhi3d2k5a7b3c9d1e',
  error: expect.stringContaining(error),
})

const failWith = (error: unknown) => requestFailure(() => Promise.reject(error))

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
    message: 'The service is unavailable at the moment. Try again in a moment.',
  },
}

it('an error of the catalogue has its own status, message and headers, and is not logged below 500', async () => {
  const error = new ServiceError('rate_limit_exceeded', {
    headers: { 'Retry-After': '7' },
    cause: new Error('Not for the log.'),
  })

  expect(await failWith(error)).toEqual({
    statusCode: 429,
    contentType: 'application/json',
    retryAfter: '7',
    body: {
      code: 'rate_limit_exceeded',
      status: 429,
      message: 'The rate limit is used up. Wait for the time that Retry-After gives, and back off exponentially.',
    },
  })
  expect(log).not.toHaveBeenCalled()
})

it('an error of the catalogue without a cause is not logged, even if its status is 501', async () => {
  expect(await failWith(new ServiceError('not_implemented'))).toMatchObject({
    statusCode: 501,
    body: { message: 'This operation is reserved and does nothing yet.' },
  })
  expect(log).not.toHaveBeenCalled()
})

it('a rejection without an error is 500, and is logged', async () => {
  expect(await failWith(undefined)).toEqual(internalError)
  expect(log.mock.calls).toEqual([[expectLogged('Error: The operation failed without an error.')]])
})

it.each([
  { kind: 'an unexpected error', error: new Error('secret of table pets-123') },
  { kind: 'a TypeError', error: new TypeError('secret') },
  { kind: 'a text', error: 'secret' },
  { kind: 'a request that DynamoDB refuses', error: createDynamoDbError('ValidationException', 400) },
  { kind: 'a missing table', error: createDynamoDbError('ResourceNotFoundException', 400) },
])('the response to $kind is 500 and reveals nothing, but the log has the error', async ({ error }) => {
  expect(await failWith(error)).toEqual(internalError)
  expect(log.mock.calls).toEqual([[expectLogged('secret')]])
})

it.each([
  { kind: 'a throttled table', error: createDynamoDbError('ProvisionedThroughputExceededException', 400) },
  { kind: 'a throttled account', error: createDynamoDbError('RequestLimitExceeded', 400) },
  { kind: 'a throttled request', error: createDynamoDbError('ThrottlingException', 400) },
  { kind: 'an error of DynamoDB', error: createDynamoDbError('InternalServerError', 500) },
  { kind: 'a lost connection', error: createConnectionError() },
  { kind: 'a conflict with a transaction', error: createDynamoDbError('TransactionConflictException', 400) },
  { kind: 'an aborted call', error: new DOMException('This operation was aborted', 'AbortError') },
])('the response to $kind is 503 and reveals nothing, but the log has the error', async ({ error }) => {
  expect(await failWith(error)).toEqual(serviceUnavailable)
  expect(log.mock.calls).toEqual([[expectLogged(error.message)]])
})

// Lambda writes each log as JSON, which would leave out the cause of an Error object.
it('the log has the causes of an error as text', async () => {
  const cause = new RangeError('the attribute status is lost')

  await failWith(new Error('The pet 5 cannot be read.', { cause }))

  const line = JSON.stringify(log.mock.calls)
  expect(line).toContain('Error: The pet 5 cannot be read.')
  expect(line).toContain('RangeError: the attribute status is lost')
})

it('the log of a transaction that stays throttled has the reasons of its cancellation', async () => {
  const response = await failWith(createCancellation('None', 'ThrottlingError'))

  expect(response).toEqual(serviceUnavailable)
  expect(log.mock.calls).toEqual([[expectLogged("Code: 'ThrottlingError'")]])
})
