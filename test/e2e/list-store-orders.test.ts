import { describe } from 'vitest'
import { listStoreOrders } from '../requests/list-store-orders.ts'
import { itResponds } from './api.ts'

describe('GET /store/orders', () => itResponds(listStoreOrders))
