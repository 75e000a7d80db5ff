import { ServiceError } from '../../service-error.ts'
import { findInvalidValue, noError } from '../authorizer-context.ts'
import type { GatewayEvent } from '../gateway-event.ts'

/**
 * Refuses a request for one reason, before its input is read.
 *
 * @throws ServiceError if the reason applies
 */
export type Refusal = (event: GatewayEvent) => void

/**
 * Responds 500 to a request without a valid context, for example from an authorizer of another version. Nothing is
 * stored or counted for a caller who is not known exactly. This refusal comes first, because all others trust the
 * context.
 */
export const refuseWithoutContext: Refusal = ({ requestContext: { authorizer } }) => {
  const name = findInvalidValue(authorizer)
  if (name === undefined) return
  throw new ServiceError('internal_error', { cause: new Error(`The context of the authorizer has no valid ${name}.`) })
}

/**
 * Responds 429 to a request that the authorizer found over a limit or banned, and 503 to one that it could not count.
 */
export const refuseUnlessAdmitted: Refusal = ({ requestContext: { authorizer } }) => {
  const { errorCode, errorMessage, retryAfter } = authorizer
  if (errorCode === noError) return
  throw new ServiceError(errorCode, { message: errorMessage, headers: { 'Retry-After': retryAfter } })
}

/** Responds 403 to a request that changes something, unless the API key has the scope for it. */
export const refuseOutOfScope =
  (method: string): Refusal =>
  ({ requestContext: { authorizer } }) => {
    if (method !== 'GET' && authorizer.scope !== 'read-write') throw new ServiceError('insufficient_scope')
  }
