import { createRefusingHandler } from '../../shared/http/operation.ts'
import { ServiceError } from '../../shared/service-error.ts'

/**
 * `GET /store/orders`: reserved. Requests are authenticated and counted like those of every operation. The parameters
 * of the operation are not specified yet, so none is validated.
 */
export const handler = createRefusingHandler('listStoreOrders', () => {
  throw new ServiceError('not_implemented')
})
