import type { MiddlewareObj } from '@middy/core'
import { isStoreUnavailable } from '../dynamodb/store-errors.ts'
import { errorBody, ServiceError } from '../errors/service-error.ts'
import { gatewayResult } from './answer.ts'
import type { GatewayEvent, GatewayResult } from './gateway-event.ts'

/** The one place where an error becomes an answer. What the catalogue does not foresee is logged, and told to nobody. */
export const errorAnswer = (): MiddlewareObj<GatewayEvent, GatewayResult> => ({
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

/** What the caller may ask for again at once. */
export const unavailable = (cause: unknown): ServiceError =>
  new ServiceError('service_unavailable', { headers: { 'Retry-After': '1' }, cause })
