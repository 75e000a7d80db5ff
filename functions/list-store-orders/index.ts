import { ServiceError } from '../../shared/errors/service-error.ts'
import { refusingOperation } from '../../shared/http/operation.ts'

/**
 * `GET /store/orders`: reserved. It is authenticated and counted like every operation, and does nothing. Its parameters
 * are not specified yet, so it validates none.
 */
export const handler = refusingOperation(() => {
  throw new ServiceError('not_implemented')
})
