import type { OperationName } from '../../shared/contract/generated/routes.ts'
import { authentication } from './authentication.ts'
import { createPet } from './create-pet.ts'
import { getPet } from './get-pet.ts'
import { limits } from './limits.ts'
import { listPets } from './list-pets.ts'
import { listStoreOrders } from './list-store-orders.ts'
import type { Scenario } from './scenario.ts'
import { crossOriginRequests, unknownRoutes } from './unknown-routes.ts'

const ofOperations: Readonly<Record<OperationName, readonly Scenario[]>> = {
  'create-pet': createPet,
  'get-pet': getPet,
  'list-pets': listPets,
  'list-store-orders': listStoreOrders,
}

/** Every request of the tests and the response to it, for each way to send them: by operation, or by what is wrong with it. */
export const requests: Readonly<Record<string, readonly Scenario[]>> = {
  ...ofOperations,
  'a request without a valid API key': authentication,
  'a request over a limit': limits,
  'a request that names no operation': unknownRoutes,
  'a browser on another origin': crossOriginRequests,
}

export const scenarios: readonly Scenario[] = Object.values(requests).flat()
