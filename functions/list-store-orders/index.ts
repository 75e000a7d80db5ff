import { ServiceError } from '../../shared/errors/service-error.ts'
import { createRefusingHandler } from '../../shared/http/operation.ts'

/**
 * `GET /store/orders`: reserved. It is authenticated and counted like every operation, and does nothing. Its parameters
 * are not specified yet, so it validates none.
 */
export const handler = createRefusingHandler(() => {
  throw new ServiceError('not_implemented')
})
