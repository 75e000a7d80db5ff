import type { MiddlewareObj } from '@middy/core'
import { isStoreUnavailable } from '../dynamodb/store-errors.ts'
import { createErrorBody, createUnavailableError, ServiceError } from '../errors/service-error.ts'
import { stringifyExactJson } from '../exact-json.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import type { CreateHeaders, Headers } from './response-headers.ts'

/** The response of an operation that succeeds. One that refuses throws a ServiceError. */
export interface OperationResponse<Status extends number = number, Body = unknown> {
  readonly status: Status
  readonly body: Body
  readonly headers: Headers
}

const responding =
  <Status extends number>(status: Status) =>
  <Body>(body: Body, headers: Headers = {}): OperationResponse<Status, Body> => ({ status, body, headers })

export const ok = responding(200)
export const created = responding(201)

/** The result in the format of API Gateway, which allows no other field ("Lambda proxy integration output format"). */
export const formatGatewayResult = ({ status, body, headers }: OperationResponse): GatewayResult => ({
  statusCode: status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: stringifyExactJson(body),
})

/**
 * The one place where an error becomes a response, and where a response gets the headers of all. An error outside the
 * catalogue is logged; the caller sees no detail of it.
 */
export const respond = (headersOf: CreateHeaders): MiddlewareObj<GatewayEvent, GatewayResult> => {
  const withHeaders = (event: GatewayEvent, result: GatewayResult): GatewayResult => ({
    ...result,
    headers: { ...headersOf(event), ...result.headers },
  })
  return {
    after: (request) => {
      if (request.response) request.response = withHeaders(request.event, request.response)
    },
    onError: (request) => {
      const error = toServiceError(request.error)
      if (error.status >= 500 && error.cause !== undefined) console.error(error.cause)
      const { status, headers } = error
      request.response = withHeaders(
        request.event,
        formatGatewayResult({ status, body: createErrorBody(error), headers }),
      )
    },
  }
}

const toServiceError = (error: unknown): ServiceError => {
  if (error instanceof ServiceError) return error
  return isStoreUnavailable(error)
    ? createUnavailableError(error)
    : new ServiceError('internal_error', { cause: error })
}
