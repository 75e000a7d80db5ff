import { ServiceError } from '../../shared/errors/service-error.ts'
import { refusal } from '../../shared/http/operation.ts'

/**
 * `GET /store/orders`: reserved. It is authenticated and counted like every operation, and does nothing; not
 * even its parameters are settled, so it refuses none.
 */
export const handler = refusal(() => {
  throw new ServiceError('not_implemented')
})
