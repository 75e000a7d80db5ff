import { type Scenario, scenario } from './scenario.ts'

export const listStoreOrders: readonly Scenario[] = [
  scenario(
    'the orders are reserved: 501, whatever is asked for',
    { send: 'GET /store/orders', status: 501, code: 'not_implemented' },
    { send: 'GET /store/orders?limit=0', status: 501, code: 'not_implemented' },
  ),
]
