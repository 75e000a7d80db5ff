import { DynamoDBServiceException } from '@aws-sdk/client-dynamodb'
import { beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { listPets as contract } from '../../../../shared/contract/generated/list-pets.ts'
import { ServiceError } from '../../../../shared/errors/service-error.ts'
import { createOperationHandler } from '../../../../shared/http/operation.ts'
import { lambdaContext, readGatewayEvent } from '../../../events/events.ts'

const responseTo = async (fail: () => Promise<never>, context = lambdaContext) => {
  const {
    statusCode,
    headers = {},
    body,
  } = await createOperationHandler(contract, fail)(readGatewayEvent('list-pets'), context)
  return { ...JSON.parse(body), statusCode, wait: headers['Retry-After'], type: headers['Content-Type'] }
}

/** An error as the SDK creates it from a response of DynamoDB. */
const dynamodbError = (name: string, status: number) =>
  new DynamoDBServiceException({
    ...{ name, $fault: status < 500 ? 'client' : 'server', message: 'secret of table pets-123' },
    $metadata: { httpStatusCode: status, attempts: 3 },
  })

let logged: MockInstance<typeof console.error>
beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockReturnValue(undefined)
})

const responseOf = (code: string, status: number, message: string, wait?: string) => ({
  ...{ code, status, message, statusCode: status, wait, type: 'application/json' },
})
const internalError = responseOf('internal_error', 500, 'The service failed to respond. Try again later.')
const noData = 'The service cannot reach its data at the moment. Try again in a moment.'
const unavailable = responseOf('service_unavailable', 503, noData, '1')
const running = 'The first request with this Idempotency-Key is still running. Try again in a moment.'
const inUse = new ServiceError('idempotency_key_in_use', { headers: { 'Retry-After': '7' }, cause: new Error() })
const reserved = new ServiceError('not_implemented')

const unforeseen = [
  ...[new Error('secret of table pets-123'), new TypeError('secret'), 'secret'],
  ...['ValidationException', 'ResourceNotFoundException'].map((name) => dynamodbError(name, 400)),
]
const ofUnavailable = [
  ...['ProvisionedThroughputExceededException', 'RequestLimitExceeded'].map((name) => dynamodbError(name, 400)),
  ...[dynamodbError('ThrottlingException', 400), dynamodbError('InternalServerError', 500)],
  // As the SDK throws it where DynamoDB cannot be reached.
  Object.assign(new Error('socket hang up'), { $metadata: { attempts: 3 } }),
]

it.each<[kind: string, response: object, isLogged: boolean, errors: readonly unknown[]]>([
  ['is of the catalogue', responseOf('idempotency_key_in_use', 409, running, '7'), false, [inUse]],
  ['is the fault of nobody', { status: 501, message: reserved.message }, false, [reserved]],
  ['says nothing', internalError, false, [undefined]],
  ['was not foreseen, or is a fault of the service', internalError, true, unforeseen],
  ['says that DynamoDB is unavailable', unavailable, true, ofUnavailable],
])(
  'the response to an error that %s reveals nothing else; it is logged only where the service is at fault',
  async (_kind, response, isLogged, errors) => {
    for (const error of errors) expect(await responseTo(() => Promise.reject(error))).toMatchObject(response)
    expect(logged.mock.calls.flat()).toEqual(isLogged ? errors : [])
  },
)

it.each([501, 0])(
  'an operation that does not end is 503, with %i ms left before the timeout of the function',
  async (left) => {
    const context = { ...lambdaContext, getRemainingTimeInMillis: () => left }
    expect(await responseTo(() => new Promise<never>(() => {}), context)).toEqual(unavailable)
    expect(logged.mock.calls).toEqual([[new Error('The operation did not end before the timeout of the function.')]])
  },
)
