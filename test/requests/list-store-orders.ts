import type { Scenario } from './scenario.ts'

export const listStoreOrders: readonly Scenario[] = [
  {
    title: 'the list of orders is reserved and 501, whatever the query',
    steps: [
      { send: 'GET /store/orders', status: 501, code: 'not_implemented' },
      { send: 'GET /store/orders?limit=0', status: 501, code: 'not_implemented' },
    ],
  },
]
