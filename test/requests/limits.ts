import { type Scenario, type Step, scenario } from './scenario.ts'

const spent = { send: 'GET /pets?limit=1', key: 'one a day', status: 200 } as const
const refused: Omit<Step, 'send'> = {
  ...{ key: 'one a day', status: 429 },
  with: { 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0', 'Retry-After': /^\d+$/ },
}

export const limits: readonly Scenario[] = [
  scenario(
    'a key over its limit is 429 at each operation, and nothing is done',
    spent,
    ...['GET /pets', 'GET /pets/1', 'POST /pets', 'GET /store/orders', 'GET /nothing'].map((send) => ({
      ...{ ...refused, send, code: 'rate_limit_exceeded', says: '1 requests per day' },
    })),
  ),
  scenario(
    'a key whose requests go on is banned',
    spent,
    { ...refused, send: 'GET /pets', times: 101, code: 'api_key_banned' },
    { ...refused, send: 'POST /pets', body: {}, code: 'api_key_banned' },
  ),
]
