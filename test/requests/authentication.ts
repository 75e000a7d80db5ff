import { formatApiKey } from '../../shared/api-keys/api-key.ts'
import type { Scenario, Step } from './scenario.ts'

const unauthorized = {
  key: null,
  status: 401,
  code: 'unauthorized',
  responseHeaders: {
    'WWW-Authenticate': 'Bearer',
    'X-RateLimit-Limit': '0',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '0',
  },
} as const satisfies Partial<Step>

/** Values of the header Authorization. `{key}` is a key that may do everything. */
const invalidHeaders = [
  { problem: 'an empty Authorization header', authorization: '' },
  { problem: 'only the scheme', authorization: 'Bearer' },
  { problem: 'the scheme and a space', authorization: 'Bearer ' },
  { problem: 'another scheme', authorization: 'Basic {key}' },
  { problem: 'another scheme before Bearer', authorization: 'Basic Bearer {key}' },
  { problem: 'a key without a scheme', authorization: '{key}' },
  { problem: 'no space after the scheme', authorization: 'Bearer{key}' },
  { problem: 'a tab after the scheme', authorization: 'Bearer\t{key}' },
  { problem: 'two keys', authorization: 'Bearer {key} {key}' },
  {
    problem: 'a key of the right form that was never issued',
    authorization: `Bearer ${formatApiKey('pet_test_', '0'.repeat(32))}`,
  },
]

const createAcceptedStep = (scheme: string): Step => ({
  send: 'GET /pets?limit=1',
  key: null,
  headers: { Authorization: `${scheme} {key}` },
  status: 200,
})

export const authentication: readonly Scenario[] = [
  {
    title: 'a request without a key is 401 with limits of 0, whatever else is wrong with it',
    steps: [
      { send: 'GET /pets', ...unauthorized },
      { send: 'POST /pets', ...unauthorized },
      { send: 'GET /pets?limit=0', ...unauthorized },
    ],
  },
  ...invalidHeaders.map(({ problem, authorization }) => ({
    title: `a request with ${problem} is 401`,
    steps: [{ send: 'GET /pets', headers: { Authorization: authorization }, ...unauthorized }],
  })),
  {
    title: 'the scheme Bearer is accepted in any case',
    steps: [createAcceptedStep('bearer'), createAcceptedStep('BEARER'), createAcceptedStep('bEaReR   ')],
  },
]
