import type { OperationName } from '../../shared/contract/generated/routes.ts'
import { authentication } from './authentication.ts'
import { createPet } from './create-pet.ts'
import { getPet } from './get-pet.ts'
import { limits } from './limits.ts'
import { listPets } from './list-pets.ts'
import { listStoreOrders } from './list-store-orders.ts'
import type { Scenario } from './scenario.ts'
import { crossOriginRequests, unknownRoutes } from './unknown-routes.ts'

const requestsOfOperations: Readonly<Record<OperationName, readonly Scenario[]>> = {
  'create-pet': createPet,
  'get-pet': getPet,
  'list-pets': listPets,
  'list-store-orders': listStoreOrders,
}

/**
 * All scenarios, by operation or by what is wrong with the request. `test/e2e` sends them over HTTP, and
 * `test/promises/permissions` in process.
 */
export const requests: Readonly<Record<string, readonly Scenario[]>> = {
  ...requestsOfOperations,
  'a request without a valid API key': authentication,
  'a request over a limit': limits,
  'a request that names no operation': unknownRoutes,
  'a browser on another origin': crossOriginRequests,
}

export const scenarios: readonly Scenario[] = Object.values(requests).flat()
