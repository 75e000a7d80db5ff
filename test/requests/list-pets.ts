import { type Scenario, type Step, scenario } from './scenario.ts'

const statuses = ['available', 'pending', 'sold']

const limit = 'limit must be an integer from 1 to 100.'
const status = 'status must be one of available, pending, sold.'
const cursor = 'cursor must be a string of 1 to 100 characters.'

/** Queries that are refused, and the message that says why. */
const invalid: readonly (readonly [query: string, says: string])[] = [
  ...['0', '101', '-1', '1.5', '1e1', '0x10', '%20', '', 'ten', '9007199254740993', '99999999999999999999'].map(
    (text) => [`limit=${text}`, limit] as const,
  ),
  ['limit=5&limit=6', 'Send limit once.'],
  ...['unknown', 'Available', ''].map((text) => [`status=${text}`, status] as const),
  ['status=available&status=sold', 'Send status once.'],
  ...['colour', 'Limit', '__proto__', 'constructor', 'x'.repeat(64)].map(
    (name) =>
      [`${name}=1`, `${name} is not a query parameter of this operation. It takes limit, status and cursor.`] as const,
  ),
  [`${'x'.repeat(65)}=1`, `${'x'.repeat(64)}... is not a query parameter`],
  ['a%0d%0aX-Injected:%20yes%0d%0a%0d%0a=1', 'is not a query parameter'],
  ['cursor=', cursor],
  [`cursor=${'a'.repeat(101)}`, cursor],
]

const cursors = ['x', 'YmVmb3JlOjQ4NzkxMjMzOTk5MDExMg%3D%3D', '%00', '%0d%0aX-Injected:%20yes']

const added = (rest: object): readonly Step[] =>
  ['one', 'two'].map((name) => ({ send: 'POST /pets', body: { name, categoryId: 1, ...rest }, status: 201 }))

export const listPets: readonly Scenario[] = [
  ...statuses.map((status) =>
    scenario(
      `a list of pets that are ${status} has no others, and its next page goes on after the last`,
      ...added({ status }),
      {
        ...{ send: `GET /pets?status=${status}&limit=1`, status: 200, json: [{ status }] },
        with: { Link: new RegExp(`^<[^>]+/v1/pets\\?limit=1&status=${status}&cursor=[\\w-]+>; rel="next"$`) },
      },
      { send: 'GET {next}', status: 200, json: [{ status }] },
    ),
  ),
  scenario('headers change neither the list nor the address of the next page', ...added({}), {
    send: 'GET /pets?limit=1',
    headers: {
      ...{ ['__proto__']: 'x', constructor: 'x', 'X-Amzn-Trace-Id': '%0d%0aX-Injected:%20yes' },
      ...{ 'X-Forwarded-Host': 'evil.example', Origin: 'x%0d%0a' },
    },
    status: 200,
    with: { Link: /^<https?:\/\/(?!evil)[^>]+\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next"$/ },
  }),
  ...invalid.map(([query, says]) =>
    scenario(`?${query.slice(0, 40)} is 400`, {
      ...{ send: `GET /pets?${query}`, status: 400, code: 'invalid_parameter', says },
    }),
  ),
  ...cursors.map((cursor) =>
    scenario(`the cursor ${cursor} is 400`, {
      ...{ send: `GET /pets?cursor=${cursor}`, status: 400, code: 'invalid_cursor' },
    }),
  ),
]
