import type { Scenario } from './scenario.ts'

export const listStoreOrders: readonly Scenario[] = [
  {
    title: 'the orders are reserved: 501, whatever is asked for',
    steps: [
      { send: 'GET /store/orders', status: 501, code: 'not_implemented' },
      { send: 'GET /store/orders?limit=0', status: 501, code: 'not_implemented' },
    ],
  },
]
