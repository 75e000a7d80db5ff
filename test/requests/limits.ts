import type { Scenario } from './scenario.ts'

const spent = { send: 'GET /pets?limit=1', key: 'one a day', status: 200 } as const
const shown = { 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0', 'Retry-After': /^\d+$/ }

export const limits: readonly Scenario[] = [
  {
    title: 'a key over its limit is 429 at each operation, and nothing is done',
    steps: [
      spent,
      ...['GET /pets', 'GET /pets/1', 'POST /pets', 'GET /store/orders', 'GET /nothing'].map((send) => ({
        ...{ send, key: 'one a day' as const, status: 429, code: 'rate_limit_exceeded', says: '1 requests per day' },
        with: shown,
      })),
    ],
  },
  {
    title: 'a key whose requests go on is banned',
    steps: [
      spent,
      { send: 'GET /pets', key: 'one a day', times: 101, status: 429, code: 'api_key_banned', with: shown },
      { send: 'POST /pets', key: 'one a day', body: {}, status: 429, code: 'api_key_banned' },
    ],
  },
]
