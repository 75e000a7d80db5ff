import { createUnavailableError, ServiceError } from '../errors/service-error.ts'
import { findInvalidValue, noError } from './authorizer-context.ts'
import type { GatewayEvent } from './gateway-event.ts'

/** A reason to refuse a request before its input is read. @throws ServiceError */
export type Refusal = (event: GatewayEvent) => void

/**
 * Refuses a request whose context the authorizer of another version wrote, or none at all: nothing is stored or counted
 * for a caller that is not known exactly. It comes before all others, which trust the context.
 */
export const refuseWithoutContext: Refusal = ({ requestContext: { authorizer } }) => {
  const fault = findInvalidValue(authorizer)
  if (fault !== undefined)
    throw createUnavailableError(new Error(`The context of the authorizer has no valid ${fault}.`))
}

/** Responds 429 to a request that the authorizer found over a limit, banned or throttled. */
export const refuseOverLimit: Refusal = ({ requestContext: { authorizer } }) => {
  const { errorCode, errorMessage, retryAfter } = authorizer
  if (errorCode === noError) return
  throw new ServiceError(errorCode, { message: errorMessage, headers: { 'Retry-After': retryAfter } })
}

/** Responds 403 to a request that changes something, unless its key may. */
export const refuseOutOfScope =
  (method: string): Refusal =>
  ({ requestContext: { authorizer } }) => {
    if (method !== 'GET' && authorizer.scope !== 'read-write') throw new ServiceError('insufficient_scope')
  }
