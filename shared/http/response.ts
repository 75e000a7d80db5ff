import type { MiddlewareObj } from '@middy/core'
import { isStoreUnavailable } from '../dynamodb/store-errors.ts'
import { errorBody, ServiceError } from '../errors/service-error.ts'
import { stringifyExactJson } from '../exact-json.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'

/** The response of an operation that succeeds. One that refuses throws a ServiceError. */
export interface OperationResponse {
  readonly status: 200 | 201
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const ok = (body: unknown, headers: Readonly<Record<string, string>> = {}): OperationResponse => ({
  status: 200,
  body,
  headers,
})

export const created = (body: unknown, headers: Readonly<Record<string, string>> = {}): OperationResponse => ({
  status: 201,
  body,
  headers,
})

/** The result in the format of API Gateway, which allows no other field ("Lambda proxy integration output format"). */
export const gatewayResult = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): GatewayResult => ({
  statusCode: status,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: stringifyExactJson(body),
})

/** The one place where an error becomes a response. An error outside the catalogue is logged; the caller sees no detail of it. */
export const errorResponse = (): MiddlewareObj<GatewayEvent, GatewayResult> => ({
  onError: (request) => {
    const error = toServiceError(request.error)
    if (error.status >= 500 && error.cause !== undefined) console.error(error.cause)
    request.response = gatewayResult(error.status, errorBody(error), error.headers)
  },
})

const toServiceError = (error: unknown): ServiceError => {
  if (error instanceof ServiceError) return error
  return isStoreUnavailable(error) ? unavailable(error) : new ServiceError('internal_error', { cause: error })
}

/** The service is unavailable for the moment. The caller may retry after a second. */
export const unavailable = (cause: unknown): ServiceError =>
  new ServiceError('service_unavailable', { headers: { 'Retry-After': '1' }, cause })
