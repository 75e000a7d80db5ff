import type { Scenario, Step } from './scenario.ts'

/** Uses up the day's limit of the key `one a day`, whose other limit is 1,000 a minute. */
const onlyRequest: Step = {
  send: 'GET /pets?limit=1',
  key: 'one a day',
  status: 200,
  responseHeaders: {
    'X-RateLimit-Limit': '1',
    'X-RateLimit-Remaining': '0',
    'RateLimit-Policy': '"minute";q=1000;w=60, "day";q=1;w=86400',
    RateLimit: /^"minute";r=999;t=\d+, "day";r=0;t=\d+$/,
  },
}

const refused = {
  key: 'one a day',
  status: 429,
  responseHeaders: {
    'X-RateLimit-Limit': '1',
    'X-RateLimit-Remaining': '0',
    'Retry-After': /^\d+$/,
  },
} as const satisfies Partial<Step>

const overLimit = {
  ...refused,
  code: 'rate_limit_exceeded',
  messageContains: 'The limit of 1 requests per day is used up.',
} as const satisfies Partial<Step>

const banned = { ...refused, code: 'api_key_banned' } as const satisfies Partial<Step>

export const limits: readonly Scenario[] = [
  {
    title: 'a key over its limit is 429 at each operation and at an unknown path',
    steps: [
      onlyRequest,
      { send: 'GET /pets', ...overLimit },
      { send: 'GET /pets/1', ...overLimit },
      { send: 'POST /pets', ...overLimit },
      { send: 'GET /store/orders', ...overLimit },
      { send: 'GET /nothing', ...overLimit },
    ],
  },
  {
    title: 'a key is banned when its requests go on over the limit',
    steps: [
      onlyRequest,
      // The hundredth refusal bans the key. Only the last response is checked: it is one after the ban.
      { send: 'GET /pets', times: 101, ...banned },
      { send: 'POST /pets', ...banned },
    ],
  },
]
