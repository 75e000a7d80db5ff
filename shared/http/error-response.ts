import type { MiddlewareObj } from '@middy/core'
import { isStoreUnavailable } from '../dynamodb/store-errors.ts'
import { errorBody, ServiceError } from '../errors/service-error.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'
import { gatewayResult } from './response.ts'

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
