import { createPet } from './create-pet.ts'
import { getPet } from './get-pet.ts'
import { limits } from './limits.ts'
import { listPets } from './list-pets.ts'
import { listStoreOrders } from './list-store-orders.ts'
import type { Scenario } from './scenario.ts'
import { unknownRoutes } from './unknown-routes.ts'

/** Every request of the tests and the response to it, for each way to send them. */
export const scenarios: readonly Scenario[] = [
  ...createPet,
  ...getPet,
  ...limits,
  ...listPets,
  ...listStoreOrders,
  ...unknownRoutes,
]
