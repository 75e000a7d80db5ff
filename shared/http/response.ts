import type { MiddlewareObj } from '@middy/core'
import { isStoreUnavailable } from '../dynamodb/store-errors.ts'
import { createErrorBody, createUnavailableError, ServiceError } from '../errors/service-error.ts'
import { stringifyExactJson } from '../exact-json.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import type { CreateHeaders, Headers } from './response-headers.ts'

/** Response of an operation that succeeds. An operation that fails throws a ServiceError. */
export interface OperationResponse<Status extends number = number, Body = unknown> {
  readonly status: Status
  readonly body: Body
  readonly headers: Headers
}

/** Response of status 200. */
export const ok = <Body>(body: Body, headers: Headers = {}): OperationResponse<200, Body> => ({
  status: 200,
  body,
  headers,
})

/** Response of status 201. */
export const created = <Body>(body: Body, headers: Headers = {}): OperationResponse<201, Body> => ({
  status: 201,
  body,
  headers,
})

/** Formats a response for API Gateway, which allows no other field ("Lambda proxy integration output format"). */
export const formatGatewayResult = ({ status, body, headers }: OperationResponse): GatewayResult => ({
  statusCode: status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: stringifyExactJson(body),
})

/**
 * Middleware that turns errors into responses, and adds the common headers to every response. An error outside the
 * catalogue is logged, and the caller sees no detail of it.
 */
export const respond = (createHeaders: CreateHeaders): MiddlewareObj<GatewayEvent, GatewayResult> => {
  const addHeaders = (event: GatewayEvent, result: GatewayResult): GatewayResult => ({
    ...result,
    headers: { ...createHeaders(event), ...result.headers },
  })

  return {
    after: (request) => {
      if (request.response) request.response = addHeaders(request.event, request.response)
    },

    onError: (request) => {
      const error = toServiceError(request.error)
      if (error.status >= 500 && error.cause !== undefined) console.error(error.cause)

      const { status, headers } = error
      const result = formatGatewayResult({ status, body: createErrorBody(error), headers })
      request.response = addHeaders(request.event, result)
    },
  }
}

const toServiceError = (error: unknown): ServiceError => {
  if (error instanceof ServiceError) return error
  if (isStoreUnavailable(error)) return createUnavailableError(error)
  return new ServiceError('internal_error', { cause: error })
}
