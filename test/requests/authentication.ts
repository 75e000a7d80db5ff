import { formatApiKey } from '../../shared/api-keys/api-key.ts'
import { type Scenario, scenario } from './scenario.ts'

const refused = {
  key: null,
  status: 401,
  code: 'unauthorized',
  with: {
    'WWW-Authenticate': 'Bearer',
    ...{ 'X-RateLimit-Limit': '0', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '0' },
  },
} as const

/** `{key}` is a key that may do everything. */
const malformed: Readonly<Record<string, string>> = {
  'an empty header': '',
  'only the scheme': 'Bearer',
  'the scheme and a space': 'Bearer ',
  'another scheme': 'Basic {key}',
  'another scheme before it': 'Basic Bearer {key}',
  'a key without a scheme': '{key}',
  'no space after the scheme': 'Bearer{key}',
  'a tab after the scheme': 'Bearer\t{key}',
  'two keys': 'Bearer {key} {key}',
  'a key of the right form that was never issued': `Bearer ${formatApiKey('pet_test_', '0'.repeat(32))}`,
}

export const authentication: readonly Scenario[] = [
  scenario(
    'a request without a header is 401 with no allowance, whatever else is wrong with it',
    ...['GET /pets', 'POST /pets', 'GET /pets?limit=0'].map((send) => ({ send, ...refused })),
  ),
  ...Object.entries(malformed).map(([what, Authorization]) =>
    scenario(`a request with ${what} is 401`, { send: 'GET /pets', headers: { Authorization }, ...refused }),
  ),
  scenario(
    'the scheme is read in capitals and in small letters',
    ...['bearer', 'BEARER', 'bEaReR   '].map((scheme) => ({
      ...{ send: 'GET /pets?limit=1', key: null, headers: { Authorization: `${scheme} {key}` }, status: 200 },
    })),
  ),
]
