import { listStoreOrders as contract } from '../../shared/contract/generated/list-store-orders.ts'
import { ServiceError } from '../../shared/errors/service-error.ts'
import { operation } from '../../shared/http/operation.ts'

/** `GET /store/orders`: reserved. It is authenticated and counted like every operation, and does nothing. */
export const handler = operation(contract, async () => {
  throw new ServiceError('not_implemented')
})
